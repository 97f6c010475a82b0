import type { Task } from '../progress.js';
import { reflector } from './reflector.js';
import { axpy, dot, maxAbs, powerOfTwo, scale } from './vector.js';

export interface QR {
  /** Orthonormal vectors, one per row (count × length). */
  readonly q: Float64Array;
  /** count × count, upper triangular. */
  readonly r: Float64Array;
}

/**
 * Thin Householder QR of `count` vectors given as rows of length `length` ≥ count: vectorⱼ = Σᵢ rᵢⱼ·qᵢ
 * (Golub & Van Loan §5.2.2, with the columns of A as our rows). Cost 4·length·count².
 * The qᵢ are orthonormal to rounding whatever the vectors are; where one depends on those before it, rᵢᵢ is 0 up to
 * rounding and qᵢ is some direction orthogonal to the others.
 */
export function* qr(vectors: Float64Array, count: number, length: number): Task<QR> {
  const work = vectors.slice(0, count * length);
  const unit = powerOfTwo(maxAbs(work));
  scale(1 / unit, work);
  const taus = new Float64Array(count);
  const r = new Float64Array(count * count);
  for (let j = 0; j < count; j++) {
    const v = j * length + j;
    const { beta, tau } = reflector(work, v, length - j);
    taus[j] = tau;
    r[j * count + j] = beta * unit;
    for (let c = j + 1; c < count; c++) {
      const x = c * length + j;
      axpy(-tau * dot(work, v, work, x, length - j), work, v, work, x, length - j);
      r[j * count + c] = work[x] * unit;
    }
    yield 4 * (length - j) * (count - j);
  }
  const q = new Float64Array(count * length);
  for (let c = 0; c < count; c++) {
    q[c * length + c] = 1;
    for (let j = c; j >= 0; j--) {
      const v = j * length + j;
      const x = c * length + j;
      axpy(-taus[j] * dot(work, v, q, x, length - j), work, v, q, x, length - j);
    }
    yield 4 * length * c;
  }
  return { q, r };
}

/**
 * Absorbs rows into a triangular factor: R (cols × cols, upper) becomes that of [R; tile], so that RᵀR grows by
 * tileᵀtile without ever being squared. Row by row of tiles this is the QR of a matrix of any height in the memory
 * of one tile (Golub & Van Loan §6.5.3; "TSQR"). The tile has its columns one after the other, each with a free place before it for
 * its entry of R, and is destroyed. Cost 2·rows·cols².
 */
export function* absorbRows(r: Float64Array, cols: number, tile: Float64Array, rows: number): Task<void> {
  const length = rows + 1;
  for (let j = 0; j < cols; j++) {
    const v = j * length;
    tile[v] = r[j * cols + j];
    const { beta, tau } = reflector(tile, v, length);
    r[j * cols + j] = beta;
    if (tau === 0) continue;
    for (let c = j + 1; c < cols; c++) {
      const x = c * length;
      tile[x] = r[j * cols + c];
      axpy(-tau * dot(tile, v, tile, x, length), tile, v, tile, x, length);
      r[j * cols + c] = tile[x];
    }
    if ((j & 15) === 15) yield 64 * rows * (cols - j);
  }
}

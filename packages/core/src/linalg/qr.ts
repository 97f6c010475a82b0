import type { Task } from '../base/progress.js';
import { reflector } from './reflector.js';
import { axpy, dot, maxAbs, powerOfTwo, scale } from './vector.js';

export interface QR {
  /** Orthonormal vectors, one per row (count × length). */
  readonly q: Float64Array;
  /** count × count, upper triangular. */
  readonly r: Float64Array;
}

/**
 * Thin Householder QR of `count` vectors given as rows of length `length` ≥ count: vectorⱼ = Σᵢ rᵢⱼ·qᵢ (Golub & Van Loan §5.2.2, with the
 * columns of A as our rows). Cost 4·length·count². The qᵢ are orthonormal to rounding for any vectors. If a vector depends on earlier ones,
 * rᵢᵢ is 0 up to rounding, and qᵢ is some direction orthogonal to the others.
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
 * Updates a triangular factor: R (cols × cols, upper) becomes the factor of [R; tile], so that RᵀR grows by tileᵀtile, which is never
 * formed. Applied to tile after tile, this computes the QR of a matrix of any height in the memory of one tile (Golub & Van Loan §6.5.3;
 * "TSQR"). The tile is stored column by column and is overwritten. Cost 2·rows·cols².
 *
 * Step j reflects by u = (ρ − β, tⱼ) with ρ = rⱼⱼ, tⱼ column j of the tile, and β = ∓√(ρ² + tⱼᵀtⱼ). Every later column y becomes y +
 * u·uᵀy/(β(ρ − β)). u is not scaled. The products tⱼ₊₁ᵀt of the next step are summed while the columns change, so the tile is read once per
 * step.
 */
export function* absorbRows(r: Float64Array, cols: number, tile: Float64Array, rows: number): Task<void> {
  const products = new Float64Array(cols);
  const factors = new Float64Array(cols);
  let known = false;
  for (let j = 0; j < cols; j++) {
    const line = j * cols;
    const v = j * rows;
    let rho = r[line + j];
    let unit = 1;
    let squares = 0;
    for (let attempt = 0; attempt < 2 && !(squares > 2 ** -200); attempt++) {
      if (attempt > 0) {
        // Squares of such small numbers could underflow. The reflection is the same for any multiple of u.
        unit = powerOfTwo(Math.max(Math.abs(rho), maxAbs(tile.subarray(v, v + rows))));
        rho /= unit;
        scale(1 / unit, tile, v, rows);
        known = false;
      }
      for (let c = j; c < cols && !known; c++) products[c] = dot(tile, v, tile, c * rows, rows);
      squares = rho * rho + products[j];
    }
    known = squares > 0;
    if (!known) continue;
    const beta = (rho > 0 ? -1 : 1) * Math.sqrt(squares);
    const pivot = rho - beta;
    r[line + j] = beta * unit;
    for (let c = j + 1; c < cols; c++) {
      factors[c] = (pivot * r[line + c] + products[c]) / (beta * pivot);
      r[line + c] += factors[c] * pivot;
    }
    addAndMultiply(tile, rows, j, cols, factors, products);
    if ((j & 15) === 15) yield 64 * rows * (cols - j);
  }
}

/**
 * t_c += factor_c·t_j for the columns c > j of a tile. Also computes the products of column j + 1 with all later columns. Column j is read
 * once for three columns.
 */
function addAndMultiply(
  t: Float64Array,
  length: number,
  j: number,
  cols: number,
  factors: Float64Array,
  products: Float64Array,
): void {
  const from = j * length;
  const by = from + length;
  let c = j + 1;
  for (; c + 2 < cols; c += 3) {
    const x = c * length;
    const y = x + length;
    const z = y + length;
    const p = factors[c];
    const q = factors[c + 1];
    const s = factors[c + 2];
    let a = 0;
    let b = 0;
    let d = 0;
    for (let i = 0; i < length; i++) {
      const own = t[from + i];
      const tx = t[x + i] + p * own;
      const ty = t[y + i] + q * own;
      const tz = t[z + i] + s * own;
      t[x + i] = tx;
      t[y + i] = ty;
      t[z + i] = tz;
      // Read after tx is written: for the first c, `by` is the column x itself.
      const other = t[by + i];
      a += other * tx;
      b += other * ty;
      d += other * tz;
    }
    products[c] = a;
    products[c + 1] = b;
    products[c + 2] = d;
  }
  for (; c < cols; c++) {
    const x = c * length;
    const p = factors[c];
    let sum = 0;
    for (let i = 0; i < length; i++) {
      const tx = t[x + i] + p * t[from + i];
      t[x + i] = tx;
      sum += t[by + i] * tx;
    }
    products[c] = sum;
  }
}

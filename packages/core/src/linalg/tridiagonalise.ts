import type { Task } from '../base/progress.js';
import { reflector } from './reflector.js';
import { axpy, dot } from './vector.js';

/** A = QTQᵀ: the diagonal and off-diagonal of T, and the Householder reflectors of Q. */
export interface Tridiagonal {
  readonly size: number;
  readonly diagonal: Float64Array;
  /** `offDiagonal[i]` couples i and i + 1. The last entry is 0. */
  readonly offDiagonal: Float64Array;
  /** Row j holds the reflector vⱼ in columns j + 1 … size − 1. */
  readonly reflectors: Float64Array;
  readonly taus: Float64Array;
}

/**
 * Householder reduction of a symmetric matrix to tridiagonal form (Golub & Van Loan §8.3.1).
 *
 * Reads and overwrites the upper triangle of `a` (row-major, size × size). For j = 0, 1, …, the reflector H = I − τvvᵀ maps row j right of
 * the diagonal to βe₁. The rest becomes A − vwᵀ − wvᵀ with p = τAv and w = p − ½τ(pᵀv)v. Backward stable. Cost 4/3·size³, and half of it is
 * limited by memory bandwidth.
 */
export function* tridiagonalise(a: Float64Array, size: number): Task<Tridiagonal> {
  const diagonal = new Float64Array(size);
  const offDiagonal = new Float64Array(size);
  const taus = new Float64Array(size);
  const w = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    const row = j * size;
    diagonal[j] = a[row + j];
    if (j === size - 1) break;
    const start = j + 1;
    const { beta, tau } = reflector(a, row + start, size - start);
    offDiagonal[j] = beta;
    taus[j] = tau;
    if (tau !== 0) {
      multiplyUpper(a, size, start, a, row, w);
      const half = 0.5 * tau * dot(w, start, a, row + start, size - start);
      for (let i = start; i < size; i++) w[i] = tau * (w[i] - half * a[row + i]);
      for (let i = start; i < size; i++) {
        const vi = a[row + i];
        const wi = w[i];
        const target = i * size;
        for (let c = i; c < size; c++) a[target + c] -= vi * w[c] + wi * a[row + c];
      }
    }
    yield 4 * (size - j) * (size - j);
  }
  return { size, diagonal, offDiagonal, reflectors: a, taus };
}

/** out[start…] = A[start…, start…]·v[start…] for symmetric A, given by its upper triangle. */
function multiplyUpper(
  a: Float64Array,
  size: number,
  start: number,
  v: Float64Array,
  vRow: number,
  out: Float64Array,
): void {
  out.fill(0, start, size);
  for (let i = start; i < size; i++) {
    const row = i * size;
    const vi = v[vRow + i];
    let sum = a[row + i] * vi;
    for (let c = i + 1; c < size; c++) {
      const entry = a[row + c];
      sum += entry * v[vRow + c];
      out[c] += entry * vi;
    }
    out[i] += sum;
  }
}

/** Converts eigenvectors of T to eigenvectors of A: each row z of `vectors` (count × size) becomes Qz. Cost 2·size²·count. */
export function* backTransform(t: Tridiagonal, vectors: Float64Array, count: number): Task<void> {
  const { size, reflectors, taus } = t;
  for (let j = size - 2; j >= 0; j--) {
    if (taus[j] === 0) continue;
    const start = j + 1;
    const length = size - start;
    const v = j * size + start;
    for (let r = 0; r < count; r++) {
      const z = r * size + start;
      axpy(-taus[j] * dot(reflectors, v, vectors, z, length), reflectors, v, vectors, z, length);
    }
    yield 4 * length * count;
  }
}

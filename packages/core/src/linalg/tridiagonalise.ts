import type { Task } from '../base/progress.js';
import { reflector } from './reflector.js';
import { axpy, dot } from './vector.js';

/** A = QTQᵀ: T by its diagonal and off-diagonal, Q as the Householder reflectors it is a product of. */
export interface Tridiagonal {
  readonly size: number;
  readonly diagonal: Float64Array;
  /** `offDiagonal[i]` couples i and i + 1; one entry longer than needed, the last is 0. */
  readonly offDiagonal: Float64Array;
  /** Row j holds the reflector vⱼ in columns j + 1 … size − 1. */
  readonly reflectors: Float64Array;
  readonly taus: Float64Array;
}

/**
 * Householder reduction of a symmetric matrix to tridiagonal form (Golub & Van Loan §8.3.1).
 *
 * Reads and destroys the upper triangle of `a` (row-major, size × size). For j = 0, 1, …: the reflector
 * H = I − τvvᵀ takes row j right of the diagonal to βe₁, and the rest becomes A − vwᵀ − wvᵀ with
 * p = τAv, w = p − ½τ(pᵀv)v. Cost 4/3·size³, half of it bound by memory; backward stable.
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

/** out[start…] = A[start…, start…]·v[start…] for symmetric A known by its upper triangle. */
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

/** Takes eigenvectors of T to those of A: each row z of `vectors` (count × size) becomes Qz. Cost 2·size²·count. */
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

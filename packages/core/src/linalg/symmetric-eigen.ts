import { runTaskSync, type Task } from '../base/progress.js';
import { type BlockValue, CLUSTER, implicitQL, inverseIteration, tridiagonalValues } from './tridiagonal-eigen.js';
import { backTransform, type Tridiagonal, tridiagonalise } from './tridiagonalise.js';
import { axpy, dot, maxAbs, norm, powerOfTwo, scale } from './vector.js';

/** Eigenvalues, largest first, and their vectors. */
export interface Eigen {
  /** All eigenvalues, largest first. */
  readonly values: Float64Array;
  /** Eigenvectors of the first values, one per row. */
  readonly vectors: Float64Array;
}

/** Eigenvalues of a symmetric matrix and the requested vectors. */
export interface SymmetricEigen extends Eigen {
  /** Number of eigenvectors: `vectors` is count × size. */
  readonly count: number;
}

/** The number of eigenvectors, or a function that chooses it when all eigenvalues are known. */
export type Count = number | ((values: Float64Array) => number);

/**
 * Above this share of the vectors, QL with all vectors costs no more than inverse iteration, which has to orthogonalise clusters. If
 * clusters are small, inverse iteration is faster up to a larger share: at 70 %, QL costs three times as much.
 */
const MOST = 0.5;
const MOST_APART = 0.8;
const SMALL_CLUSTER = 8;
/** Maximum overlap of two vectors that can be subtracted without losing digits. */
const LARGEST_OVERLAP = 1e-3;

/** Flops of the decomposition, for progress: reduction, then vectors. */
export function eigenFlops(size: number, count: number): number {
  return (4 / 3) * size ** 3 + (count > MOST * size ? 6 * size ** 3 : 0) + 2 * size ** 2 * count;
}

/**
 * Eigenvalues and the leading eigenvectors of a symmetric matrix A = VΛVᵀ given by its upper triangle (row-major).
 *
 * Householder tridiagonalisation, the eigenproblem of the tridiagonal matrix, and back-transformation. The error of eigenvalues is a small
 * multiple of size·ε·‖A‖. Overwrites `a`.
 */
export function* symmetricEigen(a: Float64Array, size: number, count: Count): Task<SymmetricEigen> {
  const unit = powerOfTwo(maxAbs(a));
  scale(1 / unit, a);
  const t = yield* tridiagonalise(a, size);
  const found = yield* tridiagonalEigen(t, unit, count);
  yield* backTransform(t, found.vectors, found.count);
  return found;
}

/** Returns all eigenvalues of a small symmetric matrix, largest first, and their eigenvectors as rows. Does not change the matrix. */
export function eigenOf(matrix: ArrayLike<number>, size: number): Eigen {
  const { values, vectors } = runTaskSync(symmetricEigen(Float64Array.from(matrix), size, size));
  return { values, vectors };
}

/**
 * The eigenproblem of T, with values times `unit`. Implicit QL without vectors computes all eigenvalues. Inverse iteration computes the
 * requested vectors, or QL with vectors if most are requested. The result of inverse iteration is checked: if vectors overlap or do not
 * solve T, QL with vectors, which does not have these failures, computes them again.
 */
export function* tridiagonalEigen(t: Tridiagonal, unit: number, count: Count): Task<SymmetricEigen> {
  const found = yield* tridiagonalValues(t.diagonal, t.offDiagonal);
  const values = Float64Array.from(found, ({ value }) => value * unit);
  const wanted = Math.max(0, Math.min(t.size, typeof count === 'number' ? count : count(values)));
  if (wanted === 0) return { values, vectors: new Float64Array(0), count: 0 };
  const chosen = found.slice(0, wanted);
  if (wanted <= (areApart(chosen) ? MOST_APART : MOST) * t.size) {
    const vectors = yield* inverseIteration(t.diagonal, t.offDiagonal, chosen);
    if (yield* solves(t, chosen, vectors)) return { values, vectors, count: wanted };
  }
  return { values, vectors: yield* leadingByQL(t, wanted), count: wanted };
}

/** Returns true if clusters of these eigenvalues (largest first) are small. */
function areApart(chosen: readonly BlockValue[]): boolean {
  const close = CLUSTER * Math.abs(chosen[0].value);
  return chosen.every(({ value }, i) => i < SMALL_CLUSTER || chosen[i - SMALL_CLUSTER].value - value > close);
}

/** Computes all vectors of T by QL, and returns the leading ones. */
function* leadingByQL(t: Tridiagonal, count: number): Task<Float64Array> {
  const { size } = t;
  const d = t.diagonal.slice();
  const all = new Float64Array(size * size);
  for (let i = 0; i < size; i++) all[i * size + i] = 1;
  yield* implicitQL(d, t.offDiagonal.slice(), all);
  const order = Array.from(d.keys()).sort((i, j) => d[j] - d[i]);
  const vectors = new Float64Array(count * size);
  for (let i = 0; i < count; i++) {
    vectors.set(all.subarray(order[i] * size, (order[i] + 1) * size), i * size);
  }
  return vectors;
}

/**
 * Makes the rows orthonormal. Returns true if they are eigenvectors of T to the rounding of QL. Inverse iteration leaves overlaps of
 * ε‖T‖/gap. Subtracting them changes a residual by the rounding of T.
 */
function* solves(t: Tridiagonal, chosen: readonly BlockValue[], vectors: Float64Array): Task<boolean> {
  const { size, diagonal: d, offDiagonal: e } = t;
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, Math.abs(d[i]) + 2 * Math.abs(e[i]));
  const allowed = 16 * Math.sqrt(size) * Number.EPSILON;
  for (let r = 0; r < chosen.length; r++) {
    const x = vectors.subarray(r * size, (r + 1) * size);
    for (let other = 0; other < r; other++) {
      const overlap = dot(vectors, other * size, x, 0, size);
      if (!(Math.abs(overlap) < LARGEST_OVERLAP)) return false;
      if (Math.abs(overlap) > Number.EPSILON) axpy(-overlap, vectors, other * size, x, 0, size);
    }
    scale(1 / norm(x), x);
    let residual = 0;
    for (let i = 0; i < size; i++) {
      const above = i > 0 ? e[i - 1] * x[i - 1] : 0;
      const below = i + 1 < size ? e[i] * x[i + 1] : 0;
      const gap = above + (d[i] - chosen[r].value) * x[i] + below;
      residual += gap * gap;
    }
    if (!(Math.sqrt(residual) <= allowed * largest)) return false;
    yield 2 * size * r;
  }
  return true;
}

import type { OnStep } from '@scree/core/engine';
import { type Count, maxAbs, powerOfTwo, type SymmetricEigen, withoutZeroRows } from '@scree/core/linalg';
import { Integers, type Lapack } from './functions.js';
import type { Library } from './library.js';

/** Columns per panel (each ends with a progress step), and the size below which LAPACK reduces the rest unblocked. */
const PANEL = 32;
const UNBLOCKED_SIZE = 64;
/** If more than this share of the vectors is requested, computing all of them is faster. */
const ALL_VECTORS_SHARE = 0.5;

/**
 * Eigenvalues and leading eigenvectors of a symmetric matrix by LAPACK, like `symmetricEigen` of core. The matrix is reduced to tridiagonal
 * form panel by panel (like dsytrd, with a progress step after each panel). dsterf computes all eigenvalues. dstemr (relatively robust
 * representations) computes the requested vectors, or dstedc (divide and conquer) computes all vectors.
 *
 * Zero rows are left out. Returns undefined if LAPACK did not converge or its vectors failed the check; another engine must solve the
 * problem then. Does not change `a`.
 */
export async function lapackEigen(
  library: Library,
  lapack: Lapack,
  a: Float64Array,
  size: number,
  count: Count,
  onStep: OnStep,
): Promise<SymmetricEigen | undefined> {
  await onStep(0);
  return withoutZeroRows(a, size, count, (kept, some) => ofRows(library, lapack, a, size, kept, some, onStep));
}

/** Solves the eigenproblem of the rows and columns `kept` of a matrix. */
async function ofRows(
  library: Library,
  lapack: Lapack,
  a: Float64Array,
  size: number,
  kept: Int32Array,
  count: Count,
  onStep: OnStep,
): Promise<SymmetricEigen | undefined> {
  const n = kept.length;
  const unit = powerOfTwo(maxAbs(a));
  const t = await reduce(library, lapack, compress(a, size, kept, 1 / unit), n, onStep);
  const found = t && (await tridiagonalValues(library, lapack, t));
  if (!found) return undefined;
  const values = Float64Array.from(found, (value) => value * unit).reverse();
  const wanted = Math.max(0, Math.min(n, typeof count === 'number' ? count : count(values)));
  const vectors = wanted > 0 ? await leadingVectors(library, lapack, t, found, wanted) : new Float64Array(0);
  if (!vectors) return undefined;
  await onStep(2 * n * n * wanted);
  return { values, vectors, count: wanted };
}

function compress(a: Float64Array, size: number, kept: Int32Array, factor: number): Float64Array {
  const n = kept.length;
  const matrix = new Float64Array(n * n);
  for (let p = 0; p < n; p++) {
    const row = kept[p] * size;
    for (let q = p; q < n; q++) matrix[p * n + q] = a[row + kept[q]] * factor;
  }
  return matrix;
}

/** A = QTQᵀ. Q is stored as in LAPACK: reflectors below the diagonal of the matrix, column-major. */
interface Reduced {
  readonly n: number;
  readonly matrix: Float64Array;
  readonly diagonal: Float64Array;
  readonly offDiagonal: Float64Array;
  readonly taus: Float64Array;
}

/**
 * dsytrd for the lower triangle, with a progress step after each panel. The lower triangle in column-major order is the upper triangle in
 * row-major order.
 */
async function reduce(
  library: Library,
  lapack: Lapack,
  matrix: Float64Array,
  n: number,
  onStep: OnStep,
): Promise<Reduced | undefined> {
  const diagonal = new Float64Array(n);
  const offDiagonal = new Float64Array(n);
  const taus = new Float64Array(n);
  const w = new Float64Array(n * PANEL);
  const [one, minusOne] = [Float64Array.of(1), Float64Array.of(-1)];
  let i = 0;
  for (; n - i > UNBLOCKED_SIZE; i += PANEL) {
    const left = n - i;
    const corner = matrix.subarray(i * n + i);
    await lapack.call('dlatrd', 'L', left, PANEL, corner, n, offDiagonal.subarray(i), taus.subarray(i), w, left);
    const rest = left - PANEL;
    await lapack.call(
      'dsyr2k',
      ...(['L', 'N', rest, PANEL, minusOne, corner.subarray(PANEL), n, w.subarray(PANEL), left, one] as const),
      ...([matrix.subarray((i + PANEL) * n + i + PANEL), n] as const),
    );
    for (let j = i; j < i + PANEL; j++) {
      matrix[j * n + j + 1] = offDiagonal[j];
      diagonal[j] = matrix[j * n + j];
    }
    await onStep(4 * left * left * PANEL);
  }
  const info = new Integers(library, 1);
  const rest = [diagonal, offDiagonal, taus].map((array) => array.subarray(i));
  await lapack.call('dsytd2', 'L', n - i, matrix.subarray(i * n + i), n, rest[0], rest[1], rest[2], info);
  return info.first === 0 ? { n, matrix, diagonal, offDiagonal, taus } : undefined;
}

/** Returns all eigenvalues, smallest first. */
async function tridiagonalValues(library: Library, lapack: Lapack, t: Reduced): Promise<Float64Array | undefined> {
  const values = t.diagonal.slice();
  const info = new Integers(library, 1);
  await lapack.call('dsterf', t.n, values, t.offDiagonal.slice(), info);
  return info.first === 0 ? values : undefined;
}

/** Returns the eigenvectors of A for the `count` largest eigenvalues, one per row, largest first. */
async function leadingVectors(
  library: Library,
  lapack: Lapack,
  t: Reduced,
  values: Float64Array,
  count: number,
): Promise<Float64Array | undefined> {
  const { n } = t;
  const some = count <= ALL_VECTORS_SHARE * n ? await vectorsByRepresentations(library, lapack, t, count) : undefined;
  const ofT = some && solves(t, values, some, count) ? some : await allVectors(library, lapack, t, count);
  if (!ofT || !solves(t, values, ofT, count)) return undefined;
  const info = new Integers(library, 1);
  const work = new Float64Array(64 * Math.max(64, count));
  await lapack.call('dormtr', 'L', 'L', 'N', n, count, t.matrix, n, t.taus, ofT, n, work, work.length, info);
  if (info.first !== 0) return undefined;
  const rows = new Float64Array(count * n);
  for (let r = 0; r < count; r++) rows.set(ofT.subarray((count - 1 - r) * n, (count - r) * n), r * n);
  return rows;
}

/** dstemr: eigenvectors of the `count` largest eigenvalues of T, in ascending order. */
async function vectorsByRepresentations(
  library: Library,
  lapack: Lapack,
  { n, diagonal, offDiagonal }: Reduced,
  count: number,
): Promise<Float64Array | undefined> {
  const none = new Float64Array(1);
  const [found, support, tryRelative, info] = [1, 2 * n, 1, 1].map((length) => new Integers(library, length));
  if (tryRelative.values instanceof Int32Array) tryRelative.values[0] = 1;
  else tryRelative.values[0] = 1n;
  const vectors = new Float64Array(count * n);
  const work = new Float64Array(18 * n);
  const integers = new Integers(library, 10 * n);
  await lapack.call(
    'dstemr',
    ...(['V', 'I', n, diagonal.slice(), offDiagonal.slice(), none, none, n - count + 1, n] as const),
    ...([found, new Float64Array(n), vectors, n, count, support, tryRelative] as const),
    ...([work, work.length, integers, 10 * n, info] as const),
  );
  return info.first === 0 && found.first === count ? vectors : undefined;
}

/** dstedc: computes all eigenvectors of T, and returns those of the `count` largest eigenvalues, in ascending order. */
async function allVectors(
  library: Library,
  lapack: Lapack,
  { n, diagonal, offDiagonal }: Reduced,
  count: number,
): Promise<Float64Array | undefined> {
  const vectors = new Float64Array(n * n);
  const info = new Integers(library, 1);
  const work = new Float64Array(1 + 4 * n + n * n);
  const integers = new Integers(library, 3 + 5 * n);
  await lapack.call(
    'dstedc',
    ...(['I', n, diagonal.slice(), offDiagonal.slice(), vectors, n] as const),
    ...([work, work.length, integers, 3 + 5 * n, info] as const),
  );
  return info.first === 0 ? vectors.slice((n - count) * n) : undefined;
}

/** Returns true if the rows are orthonormal eigenvectors of T. Only neighbouring rows are compared, because they lose orthogonality first. */
function solves(t: Reduced, values: Float64Array, vectors: Float64Array, count: number): boolean {
  const { n, diagonal: d, offDiagonal: e } = t;
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(d[i]) + 2 * Math.abs(i + 1 < n ? e[i] : 0));
  const allowed = 64 * n * Number.EPSILON;
  for (let r = 0; r < count; r++) {
    const x = vectors.subarray(r * n, (r + 1) * n);
    const before = vectors.subarray(Math.max(0, r - 1) * n, Math.max(1, r) * n);
    const value = values[n - count + r];
    let [residual, length, product] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const above = i > 0 ? e[i - 1] * x[i - 1] : 0;
      const below = i + 1 < n ? e[i] * x[i + 1] : 0;
      const gap = above + (d[i] - value) * x[i] + below;
      residual += gap * gap;
      length += x[i] * x[i];
      product += x[i] * before[i];
    }
    if (!(Math.sqrt(residual) <= allowed * largest)) return false;
    if (!(Math.abs(length - 1) <= allowed)) return false;
    if (r > 0 && !(Math.abs(product) <= allowed)) return false;
  }
  return true;
}

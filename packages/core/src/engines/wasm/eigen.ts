import { type Count, type SymmetricEigen, tridiagonalEigen } from '../../linalg/symmetric-eigen.js';
import type { Tridiagonal } from '../../linalg/tridiagonalise.js';
import { maxAbs, powerOfTwo } from '../../linalg/vector.js';
import { type Waiting, wait } from '../../maybe-promise.js';
import { runTask } from '../../progress.js';
import type { OnStep } from '../engine.js';
import type { JobRunner } from './threads/job-runner.js';

/** Smallest matrix for which the kernels save more than the copies cost, and largest one that fits into memory with its copy. */
const SMALLEST = 48;
const LARGEST = 16384;
/** Columns per panel of the reduction. */
const PANEL = 16;
/** Rows below which one thread is faster than several that wait for each other. */
const SHARED = 256;
/**
 * Parts that a product of a matrix with so many rows is divided into: a number that follows from the size alone, so that the sums do not
 * depend on the number of threads.
 */
const partsOf = (rows: number): number => (rows < SHARED ? 1 : rows < 512 ? 4 : rows < 1024 ? 8 : 16);
/** Rows that one job updates, and vectors that one job transforms back. */
const ROWS = 32;
const VECTORS = 8;

/** Whether the kernels are faster for this size, and the matrix fits. */
export function suits(size: number): boolean {
  return size >= SMALLEST && size <= LARGEST;
}

/** `symmetricEigen` of linalg, its O(size³) parts in WebAssembly: the reduction, and the back-transformation of the vectors. */
export function* wasmEigen(
  a: Float64Array,
  size: number,
  count: Count,
  runner: JobRunner,
  onStep: OnStep,
): Waiting<SymmetricEigen> {
  const unit = powerOfTwo(maxAbs(a));
  runner.reserve(Math.max(partsOf(size), Math.ceil(size / ROWS), Math.ceil(size / VECTORS)));
  const { t, matrix, rows, stride, taus } = yield* reduce(a, size, 1 / unit, runner, onStep);
  const found = yield* wait(runTask(tridiagonalEigen(t, unit, count), onStep));
  const { kernels } = runner;
  const vectors = kernels.zeros((found.count + 1) * stride);
  for (let r = 0; r < found.count; r++) {
    kernels.doubles(vectors + r * stride * 8, size).set(found.vectors.subarray(r * size, (r + 1) * size));
  }
  for (let from = 0; from < found.count; from += VECTORS) {
    const to = Math.min(found.count, from + VECTORS);
    runner.addJob('backTransform', matrix, stride, rows, taus, vectors, from, to);
  }
  yield* runner.runJobs(() => onStep(0));
  for (let r = 0; r < found.count; r++) {
    found.vectors.set(kernels.doubles(vectors + r * stride * 8, size), r * size);
  }
  yield* wait(onStep(2 * size * size * found.count));
  return found;
}

interface Reduced {
  readonly t: Tridiagonal;
  /** Where the reflectors and their factors are in the memory, and the layout of the reflectors. */
  readonly matrix: number;
  readonly taus: number;
  readonly rows: number;
  readonly stride: number;
}

/** A·factor = QTQᵀ, panel by panel: assembly/tridiagonalise.ts. */
function* reduce(a: Float64Array, size: number, factor: number, runner: JobRunner, onStep: OnStep): Waiting<Reduced> {
  const { kernels } = runner;
  const { run } = kernels;
  const rows = Math.ceil(size / 4) * 4;
  // An odd number of cache lines: rows at multiples of 4096 bytes would be in each other's way in the cache.
  const stride = 8 * (2 * Math.floor(size / 16) + (size % 16 <= 8 ? 1 : 3));
  const matrix = kernels.zeros(rows * stride);
  for (let i = 0; i < size; i++) {
    const row = kernels.doubles(matrix + i * stride * 8, size);
    // From the square on the diagonal on, which is needed whole.
    for (let j = i - (i % 4); j < size; j++) row[j] = a[j < i ? j * size + i : i * size + j] * factor;
  }
  const [diagonal, offDiagonal, taus] = [0, 0, 0].map(() => kernels.zeros(rows));
  const panel = kernels.zeros(2 * PANEL * stride);
  const part = stride * 8;
  const p = kernels.zeros(partsOf(size) * stride);
  for (let first = 0; first < size; first += PANEL) {
    const columns = Math.min(PANEL, size - first);
    for (let i = 0; i < columns; i++) {
      const j = first + i;
      run.beginColumn(matrix, stride, size, diagonal, offDiagonal, taus, panel, j, i);
      if (j === size - 1) break;
      const parts = partsOf(size - j);
      const v = panel + 2 * i * part;
      for (let k = 0; k < parts; k++) {
        if (parts > 1) runner.addJob('multiplyUpper', matrix, stride, rows, v, p + k * part, j, k, parts);
        else run.multiplyUpper(matrix, stride, rows, v, p, j, 0, 1);
      }
      if (parts > 1) yield* runner.runJobs(() => onStep(0));
      run.endColumn(stride, taus, panel, p, part, j, i, parts);
    }
    const next = first + columns;
    for (let from = next; from < size; from += ROWS) {
      runner.addJob('updateRows', matrix, stride, rows, panel, columns, from, Math.min(rows, from + ROWS));
    }
    yield* runner.runJobs(() => onStep(0));
    yield* wait(onStep(4 * columns * (size - first) ** 2));
  }
  const copy = (start: number): Float64Array => kernels.doubles(start, size).slice();
  // The reflectors stay in the WebAssembly memory; `reflectors` is not read.
  const t = { size, diagonal: copy(diagonal), offDiagonal: copy(offDiagonal), taus: copy(taus), reflectors: a };
  return { t, matrix, taus, rows, stride };
}

import { type Count, type SymmetricEigen, tridiagonalEigen } from '../../linalg/symmetric-eigen.js';
import type { Tridiagonal } from '../../linalg/tridiagonalise.js';
import { maxAbs, powerOfTwo, scale } from '../../linalg/vector.js';
import { type Waiting, wait } from '../../maybe-promise.js';
import { runTask } from '../../progress.js';
import type { OnStep } from '../engine.js';
import type { JobRunner } from './threads/job-runner.js';

/** Smallest matrix for which the kernels save more than the copies cost, and largest one that fits into memory with its copy. */
const SMALLEST = 48;
const LARGEST = 16384;
/** Parts that rows are divided into: a number that follows from the size alone, so that the sums do not depend on the number of threads. */
const partsOf = (size: number): number => (size < 512 ? 4 : 16);
/** Rows below which one thread is faster than several that wait for each other. */
const SHARED = 256;
/** Columns reduced between two calls of `onStep`. */
const COLUMNS = 16;
/** Vectors that one job transforms back. */
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
  scale(1 / unit, a);
  runner.reserve(Math.max(partsOf(size), Math.ceil(size / VECTORS)));
  const { t, matrix, taus } = yield* reduce(a, size, runner, onStep);
  const found = yield* wait(runTask(tridiagonalEigen(t, unit, count), onStep));
  const vectors = runner.kernels.put(found.vectors);
  for (let from = 0; from < found.count; from += VECTORS) {
    runner.addJob('backTransform', matrix, size, taus, vectors, from, Math.min(found.count, from + VECTORS));
  }
  yield* runner.runJobs(() => onStep(0));
  found.vectors.set(runner.kernels.doubles(vectors, found.vectors.length));
  yield* wait(onStep(2 * size * size * found.count));
  return found;
}

interface Reduced {
  readonly t: Tridiagonal;
  /** Where the reflectors and their factors are in the memory. */
  readonly matrix: number;
  readonly taus: number;
}

function* reduce(a: Float64Array, size: number, runner: JobRunner, onStep: OnStep): Waiting<Reduced> {
  const { kernels } = runner;
  const { run } = kernels;
  const matrix = kernels.put(a.subarray(0, size * size));
  const [diagonal, offDiagonal, taus, w] = [0, 0, 0, 0].map(() => kernels.zeros(size));
  const part = Math.ceil(size / 8) * 64;
  const parts = partsOf(size);
  const p = kernels.zeros((parts * part) / 8);
  let flops = 0;
  for (let j = 0; j < size; j++) {
    run.beginColumn(matrix, size, diagonal, offDiagonal, taus, w, j);
    if (j === size - 1) break;
    const shared = size - j > SHARED;
    for (let i = 0; i < parts; i++) {
      if (shared) runner.addJob('reduceRows', matrix, size, taus, w, p + i * part, j, i, parts);
      else run.reduceRows(matrix, size, taus, w, p + i * part, j, i, parts);
    }
    if (shared) yield* runner.runJobs(() => onStep(0));
    run.endColumn(matrix, size, taus, w, p, part, j, parts);
    flops += 4 * (size - j) * (size - j);
    if (j % COLUMNS !== 0) continue;
    yield* wait(onStep(flops));
    flops = 0;
  }
  const copy = (start: number): Float64Array => kernels.doubles(start, size).slice();
  // The reflectors stay in the WebAssembly memory; `reflectors` is not read.
  const t = { size, diagonal: copy(diagonal), offDiagonal: copy(offDiagonal), taus: copy(taus), reflectors: a };
  return { t, matrix, taus };
}

import { nextTurn } from '../../base/event-loop.js';
import { runTask } from '../../base/progress.js';
import { type Count, type SymmetricEigen, tridiagonalEigen } from '../../linalg/symmetric-eigen.js';
import type { Tridiagonal } from '../../linalg/tridiagonalise.js';
import { maxAbs, powerOfTwo } from '../../linalg/vector.js';
import { withoutZeroRows } from '../../linalg/zero-rows.js';
import type { OnStep } from '../engine.js';
import { CHECK_INTERVAL, type JobRunner, type SharedWork, sleep } from './threads/job-runner.js';
import { threadTimes } from './threads/thread-times.js';

/** Smallest matrix for which the kernels save more time than the copies take, and largest matrix that fits into memory with its copy. */
const SMALLEST = 48;
const LARGEST = 16384;
/** Columns per panel of the reduction, and maximum parts of a product, as in assembly/reduce.ts. */
const PANEL = 16;
const PARTS = 16;
/** Number of 32-bit words in the state of a reduction. Word 0 is the claim. */
const STATE_WORDS = 64;
/** Index of the number of sleeping threads in the state. */
const SLEEPERS = 32;
/** Index of the microseconds that workers waited in the state. The next word has those of this thread. */
const IDLE = 48;
/** Values of the claim: at the start, after the end, and after a stop. */
const FIRST = (1 << PARTS) | 1;
const END = -1;
const STOPPED = -2;
/** Milliseconds that this thread works before it checks whether to yield to the event loop. */
const SLICE = 4;
/** Rows of the matrix that are read or copied between two progress steps. */
const STEP = 64;
/** Minimum vectors per back-transformation job, and the product of vectors and size² that takes some milliseconds. */
const VECTORS = 4;
const MOST_NUMBERS = 1.5e7;

/** Returns true if the kernels are faster for this size and the matrix fits into memory. */
export function suits(size: number): boolean {
  return size >= SMALLEST && size <= LARGEST;
}

/**
 * `symmetricEigen` of linalg with its O(size³) parts in WebAssembly: the reduction and the back-transformation of the vectors. `a` is not
 * changed, and its zero rows are left out.
 */
export async function wasmEigen(
  a: Float64Array,
  size: number,
  count: Count,
  runner: JobRunner,
  onStep: OnStep,
): Promise<SymmetricEigen> {
  const solve = (kept: Int32Array, some: Count): Promise<SymmetricEigen> =>
    eigenOfRows(a, size, kept, some, runner, onStep);
  return await withoutZeroRows(a, size, count, solve);
}

/** The eigenproblem of the rows and columns `kept` of a matrix. */
async function eigenOfRows(
  a: Float64Array,
  all: number,
  kept: Int32Array,
  count: Count,
  runner: JobRunner,
  onStep: OnStep,
): Promise<SymmetricEigen> {
  const size = kept.length;
  let largest = 0;
  for (let i = 0; i < all; i++) {
    largest = Math.max(largest, maxAbs(a.subarray(i * all + i, (i + 1) * all)));
    if (i % STEP === 0) await onStep(0);
  }
  const unit = powerOfTwo(largest);
  runner.reserve(Math.max(runner.workers, Math.ceil(size / VECTORS)));
  const { t, matrix, rows, stride, taus } = await reduce(a, all, kept, 1 / unit, runner, onStep);
  const found = await runTask(tridiagonalEigen(t, unit, count), onStep);
  const { kernels } = runner;
  const vectors = kernels.zeros((found.count + 1) * stride);
  for (let r = 0; r < found.count; r++) {
    kernels.doubles(vectors + r * stride * 8, size).set(found.vectors.subarray(r * size, (r + 1) * size));
  }
  // Every job reads all reflectors and computes their products, so few jobs are best. Vectors are transformed in pairs.
  const most = Math.min(found.count / (runner.workers + 1), MOST_NUMBERS / size ** 2);
  const each = Math.max(VECTORS, 2 * Math.ceil(most / 2));
  for (let from = 0; from < found.count; from += each) {
    const to = Math.min(found.count, from + each);
    runner.addJob('backTransform', matrix, stride, rows, taus, vectors, from, to);
  }
  await runner.runJobs(() => onStep(0));
  for (let r = 0; r < found.count; r++) {
    found.vectors.set(kernels.doubles(vectors + r * stride * 8, size), r * size);
  }
  await onStep(2 * size * size * found.count);
  return found;
}

interface Reduced {
  readonly t: Tridiagonal;
  /** Addresses of the reflectors and their factors, and the layout of the reflectors. */
  readonly matrix: number;
  readonly taus: number;
  readonly rows: number;
  readonly stride: number;
}

/** Reduces the rows and columns `kept` of a matrix, times `factor`, to QTQᵀ (assembly/tridiagonalise.ts, assembly/reduce.ts). */
async function reduce(
  a: Float64Array,
  all: number,
  kept: Int32Array,
  factor: number,
  runner: JobRunner,
  onStep: OnStep,
): Promise<Reduced> {
  const { kernels } = runner;
  const size = kept.length;
  const rows = Math.ceil(size / 4) * 4;
  // An odd number of cache lines: rows at multiples of 4096 bytes would share cache sets.
  const stride = 8 * (2 * Math.floor(size / 16) + (size % 16 <= 8 ? 1 : 3));
  const matrix = kernels.allocate(rows * stride * 8);
  for (let i = 0; i < rows; i++) {
    const row = kernels.doubles(matrix + i * stride * 8, stride);
    row.fill(0, i < size ? size : 0);
    if (i < size) scaledRow(row, i, a, kept[i] * all, kept, factor);
    // The kernel reads all of the 4 × 4 squares on the diagonal.
    for (let j = i - (i % 4); i < size && j < i; j++) row[j] = a[kept[j] * all + kept[i]] * factor;
    if (i % STEP === 0) await onStep(0);
  }
  const [diagonal, offDiagonal, taus] = [0, 0, 0].map(() => kernels.zeros(rows));
  const panel = kernels.zeros(2 * PANEL * stride);
  const p = kernels.zeros(PARTS * stride);
  const state = kernels.zeros(STATE_WORDS / 2);
  const words = new Int32Array(kernels.buffer, state, STATE_WORDS);
  words[0] = FIRST;
  const numbers = [matrix, stride, size, rows, diagonal, offDiagonal, taus, panel, p];
  const threads = runner.workers + 1;
  const own = (thread: number): number => {
    let parts = 0;
    for (let part = thread; part < PARTS; part += threads) parts |= 1 << part;
    return parts;
  };
  for (let i = 1; i < threads; i++) runner.addJob('reduce', state, 0, own(i), ...numbers);
  const step = (flops: number): void | Promise<void> => stepOrStop(onStep, flops, words);
  const part = (): void => kernels.run.reduce(state, SLICE, own(0), ...numbers);
  try {
    const shared: SharedWork = {
      progress: () => Atomics.load(words, 0),
      help: () => {
        part();
        return Atomics.load(words, 0) >= 0;
      },
    };
    const meanwhile = (): Promise<void> | undefined =>
      runner.claims ? takePart(part, words, size, runner, step) : undefined;
    await runner.runJobs(step, meanwhile, shared);
  } finally {
    stop(words);
  }
  threadTimes.workers -= words[IDLE] / 1000;
  threadTimes.own -= words[IDLE + 1] / 1000;
  const copy = (start: number): Float64Array => kernels.doubles(start, size).slice();
  // The reflectors stay in the WebAssembly memory. The field `reflectors` is not read.
  const t = { size, diagonal: copy(diagonal), offDiagonal: copy(offDiagonal), taus: copy(taus), reflectors: a };
  return { t, matrix, taus, rows, stride };
}

/** Copies the kept columns of a row from entry `first` on, times `factor`. A separate function, so that the engine compiles it after a few rows. */
function scaledRow(
  row: Float64Array,
  first: number,
  a: Float64Array,
  start: number,
  kept: Int32Array,
  factor: number,
): void {
  for (let j = first; j < kept.length; j++) row[j] = a[start + kept[j]] * factor;
}

/** Runs this thread's part of a reduction until the reduction is finished. */
async function takePart(
  part: () => void,
  words: Int32Array,
  size: number,
  runner: JobRunner,
  onStep: OnStep,
): Promise<void> {
  let [seen, since, left] = [0, performance.now(), size];
  for (;;) {
    part();
    const claim = Atomics.load(words, 0);
    if (claim === END) return;
    if (claim !== seen) [seen, since] = [claim, performance.now()];
    else waitForOthers(words, claim);
    // With `blocking: 'full'` a step does not wait. Only a turn of the event loop reports that a worker has died.
    if (performance.now() - since > CHECK_INTERVAL) await nextTurn();
    runner.checkWorkers(since);
    const before = left;
    left = size - (claim >> (PARTS + 1));
    await onStep((4 / 3) * (before ** 3 - left ** 3));
  }
}

/** Sleeps until there is another list of jobs, or for a moment. */
function waitForOthers(words: Int32Array, claim: number): void {
  const start = performance.now();
  Atomics.add(words, SLEEPERS, 1);
  sleep(words, 0, claim, 1);
  Atomics.sub(words, SLEEPERS, 1);
  words[IDLE + 1] += 1000 * (performance.now() - start);
}

/** Stops the workers if the reduction is not finished. */
function stop(words: Int32Array): void {
  if (Atomics.load(words, 0) === END) return;
  Atomics.store(words, 0, STOPPED);
  Atomics.notify(words, 0);
}

async function stepOrStop(onStep: OnStep, flops: number, words: Int32Array): Promise<void> {
  try {
    await onStep(flops);
  } catch (error) {
    stop(words);
    throw error;
  }
}

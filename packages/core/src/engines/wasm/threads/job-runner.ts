import { EngineError } from '../../../errors.js';
import type { OnStep } from '../../engine.js';
import type { Kernels } from '../kernels.js';
import { copyRows, HALF } from './copy-rows.js';
import {
  BUSY,
  COPY,
  FUNCTIONS,
  type FunctionName,
  JOB_BITS,
  JOB_WORDS,
  MOST_JOBS,
  queueIndex,
  STALL_TIME,
} from './job-queue.js';
import { threadTimes } from './thread-times.js';
import { acquireWorkers, releaseWorkers, type Worker } from './worker-pool.js';

/** Milliseconds between two calls of `onStep`, which reports progress and throws if the work is cancelled. */
const PROGRESS_INTERVAL = 1;
/** Maximum milliseconds that the main thread waits for the last jobs before it yields to the event loop. It spins for the first part. */
const WAIT_TIME = 2;
const SPIN_TIME = 0.05;
/** Milliseconds without progress after which the job of a failed worker counts as lost. */
const ORPHAN_TIMEOUT = 200;
/** Milliseconds between two checks of workers that have not reported. */
export const CHECK_INTERVAL = 20;

const NO_ENTRIES = new Int32Array();
const NO_WORKERS: Worker[] = [];

/** Number of passes so far, as a 32-bit integer. A count for the process. */
let passes = 0;

/** Work that the jobs of a list divide among themselves. Such a job runs for long, so progress is not the number of jobs that are done. */
export interface SharedWork {
  /** Returns a number that changes whenever a thread has done a part of the work. */
  progress(): number;
  /** Does some of the work on this thread, without waiting for other threads. Returns false if no work is left. */
  help(): boolean;
}

export interface RunnerOptions {
  /** True if this thread leaves all jobs to the workers, if there are any. */
  readonly workersOnly?: boolean;
  /** The buffer of the data. Jobs can copy from it if it is shared. */
  readonly rows?: ArrayBufferLike | undefined;
  /** True if the whole pass is too short for workers. A job then runs when it is added. */
  readonly short?: boolean;
}

function isShared(buffer: ArrayBufferLike | undefined): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer;
}

/** False once `Atomics.wait` has failed: the main thread of a page may not sleep. Cached for the process. */
let maySleep = true;

/** Sleeps until a word of shared memory changes, for `most` milliseconds at most. A spinning thread would take a core from the working threads. */
export function sleep(words: Int32Array, index: number, value: number, most: number): void {
  if (!maySleep) return;
  try {
    Atomics.wait(words, index, value, most);
  } catch {
    maySleep = false;
  }
}

/** The index of each kernel function. */
const INDEX = Object.fromEntries(FUNCTIONS.map((name, i) => [name, i])) as Record<FunctionName, number>;

/**
 * Runs the jobs of one pass on this thread and on idle workers. `runJobs` runs the jobs of a list at the same time and in any order, and
 * returns when all are done. The result of a job does not depend on the thread.
 */
export class JobRunner {
  readonly kernels: Kernels;
  readonly #queue: Int32Array;
  readonly #workers: Worker[];
  readonly #calls: ((...numbers: number[]) => void)[];
  /** Shared data from which jobs copy. */
  readonly #rows: ArrayBufferLike | undefined;
  readonly #pass: number;
  /** True if this thread runs jobs too. */ readonly #claims: boolean;
  readonly #short: boolean;
  /** True while this thread helps workers that make no progress. */
  #stalled = false;
  #table = 0;
  /** The table of jobs, with `JOB_WORDS` words per job. Shared memory does not move when it grows, so this view stays valid. */
  #entries: Int32Array = NO_ENTRIES;
  #jobs = 0;

  /** Uses up to `threads` threads. Starts workers only while fewer than `most` threads are running. */
  constructor(
    kernels: Kernels,
    threads: number,
    most: number,
    { workersOnly = false, rows, short = false }: RunnerOptions = {},
  ) {
    this.kernels = kernels;
    this.#calls = kernels.calls;
    this.#short = short;
    this.#rows = !short && isShared(rows) ? rows : undefined;
    kernels.clear();
    this.#queue = kernels.queue;
    if (short) {
      this.#workers = NO_WORKERS;
      this.#pass = 0;
      this.#claims = true;
      return;
    }
    passes = (passes + 1) | 0;
    this.#pass = passes;
    // Workers may still be leaving the last pass on this memory, so `wakeCount` is not reset (job-queue.ts).
    Atomics.store(this.#queue, queueIndex.pass, passes);
    Atomics.store(this.#queue, queueIndex.remaining, passes << JOB_BITS);
    Atomics.store(this.#queue, queueIndex.failed, 0);
    Atomics.store(this.#queue, queueIndex.worked, 0);
    const own = workersOnly ? 0 : 1;
    this.#workers = threads > 1 ? acquireWorkers(threads - own, most - own) : [];
    this.#claims = !workersOnly || this.#workers.length === 0;
    if (this.#workers.length === 0) return;
    Atomics.store(this.#queue, queueIndex.active, 1);
    const { id, memory, module } = kernels;
    for (const worker of this.#workers) {
      worker.postMessage({ id, memory, module, pass: this.#pass, rows: this.#rows, state: worker.state });
    }
  }

  /** Number of workers of this pass. */
  get workers(): number {
    return this.#workers.length;
  }

  /** Allocates the table of jobs, for lists of up to `jobs` jobs. */
  reserve(jobs: number): void {
    if (this.#short) return;
    if (jobs > MOST_JOBS) throw new RangeError('too many jobs in a list');
    this.#table = this.kernels.allocate(jobs * JOB_WORDS * 4);
    this.#entries = new Int32Array(this.kernels.buffer, this.#table, jobs * JOB_WORDS);
  }

  /** Adds a job to the next list. */
  addJob(name: FunctionName, ...numbers: number[]): void {
    if (this.#short) this.#calls[INDEX[name]](...numbers);
    else this.#add(INDEX[name], numbers);
  }

  #add(index: number, numbers: readonly number[]): void {
    const entries = this.#entries;
    const at = this.#jobs * JOB_WORDS;
    if (at === entries.length) throw new RangeError('the table of jobs is full');
    this.#jobs++;
    entries[at] = index;
    for (let i = 0; i < numbers.length; i++) entries[at + 1 + i] = numbers[i];
  }

  /** Returns true if jobs can copy rows of these data. */
  copiesFrom(data: ArrayBufferView): boolean {
    return this.#rows !== undefined && data.buffer === this.#rows;
  }

  /** Adds a job that copies `count` rows of `bytes` bytes to `target`. The rows start at `offset` in the shared data and are `stride` bytes apart. */
  addCopy(target: number, count: number, bytes: number, stride: number, offset: number): void {
    const large = [stride, offset].flatMap((value) => [Math.floor(value / HALF), value % HALF]);
    this.#add(COPY, [target, count, bytes, ...large]);
  }

  /** True if this thread runs jobs too. */ get claims(): boolean {
    return this.#claims;
  }

  /**
   * Runs the jobs of the list. `meanwhile` runs on this thread first, while workers already run jobs. `shared` describes the common work of
   * the jobs, if they divide one task among themselves.
   */
  async runJobs(onStep: OnStep, meanwhile?: () => void | Promise<void>, shared?: SharedWork): Promise<void> {
    if (this.#short) {
      await meanwhile?.();
      return;
    }
    const queue = this.#queue;
    const jobs = this.#jobs;
    this.#jobs = 0;
    queue[queueIndex.table] = this.#table;
    queue[queueIndex.pages] = this.kernels.bytes >>> 16;
    Atomics.store(queue, queueIndex.done, 0);
    Atomics.store(queue, queueIndex.total, jobs);
    queue[queueIndex.timed] = threadTimes.measured ? 1 : 0;
    Atomics.store(queue, queueIndex.remaining, (this.#pass << JOB_BITS) | jobs);
    if (this.#workers.length > 0) {
      Atomics.add(queue, queueIndex.wakeCount, 1);
      Atomics.notify(queue, queueIndex.wakeCount);
    }
    const start = threadTimes.measured ? performance.now() : 0;
    let worked = 0;
    try {
      await meanwhile?.();
      if (this.#claims) await this.#claimJobs(onStep);
      worked = threadTimes.measured ? performance.now() - start : 0;
      await this.#wait(jobs, onStep, shared);
    } catch (error) {
      // Unclaimed jobs are dropped. Running jobs are awaited, because they write into the memory.
      const left = Atomics.exchange(queue, queueIndex.remaining, 0) & MOST_JOBS;
      await this.#wait(jobs - left);
      throw error;
    }
    if (threadTimes.measured) {
      threadTimes.wall += performance.now() - start;
      threadTimes.own += worked;
      threadTimes.workers += Atomics.exchange(queue, queueIndex.worked, 0) / 1000;
    }
    if (Atomics.load(queue, queueIndex.failed) !== 0) throw this.#workerLost('a job failed');
  }

  /** Returns the workers to the pool. */
  release(): void {
    if (this.#workers.length === 0) return;
    Atomics.store(this.#queue, queueIndex.active, 0);
    Atomics.add(this.#queue, queueIndex.wakeCount, 1);
    Atomics.notify(this.#queue, queueIndex.wakeCount);
    releaseWorkers(this.#workers);
  }

  async #claimJobs(onStep: OnStep): Promise<void> {
    let since = performance.now();
    while (this.#claimJob()) {
      if (performance.now() - since < PROGRESS_INTERVAL) continue;
      await onStep(0);
      since = performance.now();
    }
  }

  /** Claims a job and runs it on this thread. Returns false if no job is left. */
  #claimJob(): boolean {
    const queue = this.#queue;
    const e = this.#entries;
    for (;;) {
      const left = Atomics.load(queue, queueIndex.remaining);
      if ((left & MOST_JOBS) === 0) return false;
      if (Atomics.compareExchange(queue, queueIndex.remaining, left, left - 1) !== left) continue;
      const job = (left & MOST_JOBS) - 1;
      const at = job * JOB_WORDS;
      try {
        if (e[at] === COPY) this.#copy(at);
        else
          this.#calls[e[at]](
            e[at + 1],
            e[at + 2],
            e[at + 3],
            e[at + 4],
            e[at + 5],
            e[at + 6],
            e[at + 7],
            e[at + 8],
            e[at + 9],
            e[at + 10],
            e[at + 11],
            e[at + 12],
            e[at + 13],
            e[at + 14],
            e[at + 15],
          );
      } finally {
        Atomics.add(queue, queueIndex.done, 1);
      }
      return true;
    }
  }

  #copy(at: number): void {
    const e = this.#entries;
    const large = (index: number): number => e[index] * HALF + e[index + 1];
    const [target, count, bytes] = [e[at + 1] >>> 0, e[at + 2], e[at + 3]];
    copyRows(this.#rows as ArrayBufferLike, e.buffer, target, count, bytes, large(at + 4), large(at + 6));
  }

  /** Waits until `jobs` jobs are done: spins for a moment, then yields to the event loop. Without `onStep`, the wait cannot be cancelled. */
  #wait(jobs: number, onStep?: OnStep, shared?: SharedWork): void | Promise<void> {
    if (this.#done === jobs) return;
    const start = performance.now();
    for (let spent = 0; this.#claims && spent < WAIT_TIME; spent = performance.now() - start) {
      const now = this.#done;
      if (now === jobs) return;
      if (spent > SPIN_TIME) sleep(this.#queue, queueIndex.done, now, WAIT_TIME);
    }
    if (onStep && !this.#claims) return this.#waitOrHelp(jobs, onStep, shared);
    return this.#waitLonger(jobs, onStep);
  }

  get #done(): number {
    return Atomics.load(this.#queue, queueIndex.done);
  }

  async #waitLonger(jobs: number, onStep?: OnStep): Promise<void> {
    let seen = this.#done;
    let since = performance.now();
    while (this.#done < jobs) {
      await this.#change(seen);
      await onStep?.(0);
      const now = this.#done;
      if (now !== seen) [seen, since] = [now, performance.now()];
      this.checkWorkers(since);
    }
  }

  /**
   * Waits for workers that are to do all jobs. If they make no progress, because they have not started or cannot run, this thread runs one
   * job after the other.
   */
  async #waitOrHelp(jobs: number, onStep: OnStep, shared?: SharedWork): Promise<void> {
    const progress = shared?.progress ?? ((): number => this.#done);
    let seen = progress();
    let since = performance.now();
    for (let done = this.#done; done < jobs; done = this.#done) {
      if (!this.#stalled) await this.#change(done);
      await onStep(0);
      const now = progress();
      if (now !== seen) [since, this.#stalled] = [performance.now(), false];
      else if (performance.now() - since > STALL_TIME) this.#stalled = true;
      this.checkWorkers(since);
      seen = now;
      if (!this.#stalled) continue;
      if (!shared?.help()) this.#claimJob();
      // The work of this thread does not count as progress of the workers.
      seen = progress();
      if (seen === now) await this.#change(done);
    }
  }

  /** Throws if a job is lost: its worker has died, and no job has finished since the time `since`. */
  checkWorkers(since: number): void {
    if (performance.now() - since < ORPHAN_TIMEOUT) return;
    const dead = this.#workers.filter((worker) => worker.failure !== undefined);
    if (dead.length === 0) return;
    const busy = (worker: Worker): boolean => Atomics.load(worker.state, BUSY) === 1;
    const unclaimed = Atomics.load(this.#queue, queueIndex.remaining) & MOST_JOBS;
    const others = this.#workers.some((worker) => worker.failure === undefined && busy(worker));
    const lost = dead.find(busy) ?? (unclaimed === 0 && !others ? dead[0] : undefined);
    if (lost) throw this.#workerLost(String(lost.failure));
  }

  /** Waits until the workers report the end of the list, for some milliseconds at most. */
  #change(seen: number): Promise<unknown> {
    const { waitAsync } = Atomics as typeof Atomics & {
      waitAsync?: (
        array: Int32Array,
        index: number,
        value: number,
        timeout: number,
      ) => { value: Promise<string> | string };
    };
    if (!waitAsync) return new Promise<void>((resolve) => setTimeout(resolve, 0));
    return Promise.resolve(waitAsync(this.#queue, queueIndex.done, seen, CHECK_INTERVAL).value);
  }

  #workerLost(why: string): EngineError {
    this.kernels.broken = true;
    return new EngineError(
      'WORKER_LOST',
      `A worker thread of the wasm engine stopped in the middle of a pass: ${why}. Try again, or use threads: 1.`,
      { value: why },
    );
  }
}

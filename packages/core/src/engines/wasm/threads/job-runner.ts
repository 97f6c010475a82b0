import { EngineError } from '../../../errors.js';
import type { OnStep } from '../../engine.js';
import type { Kernels } from '../kernels.js';
import { BOARD, BOARD_BYTES, FUNCTIONS, type FunctionName, JOB_WORDS, word } from './job-queue.js';
import { dismiss, hire, type Worker } from './worker-pool.js';

/** Milliseconds of work after which the caller's onStep is asked whether to go on. */
const SPELL = 20;
/** Milliseconds that main watches the board for the last jobs of a step before it lets the event loop turn. */
const WATCH = 2;
/** Milliseconds without a job done after which a lost worker is taken to have taken its job with it. */
const GRACE = 200;

/**
 * The threads of one pass: this one, and as many workers as were free. A step is a list of jobs that may run at the same
 * time and in any order; steps follow one another. No job's result depends on who does it, so neither does the answer.
 */
export class Team {
  readonly kernels: Kernels;
  readonly #board: Int32Array;
  readonly #workers: Worker[];
  readonly #calls: ((...numbers: number[]) => void)[];
  #table = 0;
  /** The table of jobs, `JOB_WORDS` each. Shared memory stays where it is when it grows, so one view does for all of them. */
  #entries = new Int32Array();
  #jobs = 0;

  constructor(kernels: Kernels, threads: number, most: number) {
    this.kernels = kernels;
    this.#calls = FUNCTIONS.map((name) => kernels.run[name] as (...numbers: number[]) => void);
    kernels.clear();
    this.#board = new Int32Array(kernels.memory.buffer, BOARD, BOARD_BYTES / 4).fill(0);
    this.#workers = threads > 1 ? hire(threads - 1, most - 1) : [];
    if (this.#workers.length === 0) return;
    this.#board[word.active] = 1;
    for (const worker of this.#workers) {
      worker.postMessage({ id: kernels.id, memory: kernels.memory, module: kernels.module });
    }
  }

  /** Makes room for steps of up to `jobs` jobs. */
  reserve(jobs: number): void {
    this.#table = this.kernels.allocate(jobs * JOB_WORDS * 4);
    this.#entries = new Int32Array(this.kernels.memory.buffer, this.#table, jobs * JOB_WORDS);
  }

  /** Adds a job to the step that comes next. */
  job(name: FunctionName, ...numbers: number[]): void {
    const entries = this.#entries;
    const at = this.#jobs * JOB_WORDS;
    if (at === entries.length) throw new RangeError('the table of jobs is full');
    this.#jobs++;
    entries[at] = FUNCTIONS.indexOf(name);
    for (let i = 0; i < numbers.length; i++) entries[at + 1 + i] = numbers[i];
  }

  /** Does the jobs that were added; `meanwhile` runs here first, while the others have begun. */
  async step(onStep: OnStep, meanwhile?: () => void): Promise<void> {
    const board = this.#board;
    const jobs = this.#jobs;
    this.#jobs = 0;
    board[word.table] = this.#table;
    board[word.pages] = this.kernels.bytes >>> 16;
    Atomics.store(board, word.done, 0);
    Atomics.store(board, word.remaining, jobs);
    if (this.#workers.length > 0) {
      Atomics.add(board, word.generation, 1);
      Atomics.notify(board, word.generation);
    }
    meanwhile?.();
    try {
      await this.#takePart(onStep);
    } catch (error) {
      // What nobody has taken is left; what is being done is waited for, because it writes into the memory.
      const left = Math.max(0, Atomics.exchange(board, word.remaining, 0));
      await this.#wait(jobs - left);
      throw error;
    }
    await this.#wait(jobs);
    if (Atomics.load(board, word.failed) !== 0) throw this.#failure('a job failed');
  }

  /** Lets the workers go. */
  end(): void {
    if (this.#workers.length === 0) return;
    Atomics.store(this.#board, word.active, 0);
    Atomics.add(this.#board, word.generation, 1);
    Atomics.notify(this.#board, word.generation);
    dismiss(this.#workers);
  }

  async #takePart(onStep: OnStep): Promise<void> {
    const board = this.#board;
    const e = this.#entries;
    let since = performance.now();
    while (Atomics.load(board, word.remaining) > 0) {
      const job = Atomics.sub(board, word.remaining, 1) - 1;
      if (job < 0) return;
      const at = job * JOB_WORDS;
      try {
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
        Atomics.add(board, word.done, 1);
      }
      if (performance.now() - since < SPELL) continue;
      const pause = onStep(0);
      if (pause) await pause;
      since = performance.now();
    }
  }

  /** Until `jobs` are done: by watching for a moment, then with the event loop free. */
  async #wait(jobs: number): Promise<void> {
    const done = (): number => Atomics.load(this.#board, word.done);
    if (done() === jobs) return;
    const start = performance.now();
    while (performance.now() - start < WATCH) if (done() === jobs) return;
    let seen = done();
    let since = performance.now();
    while (done() < jobs) {
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      const now = done();
      if (now !== seen) [seen, since] = [now, performance.now()];
      const lost = this.#workers.find((worker) => worker.lost !== undefined)?.lost;
      if (lost !== undefined && performance.now() - since > GRACE) throw this.#failure(lost);
    }
  }

  #failure(why: string): EngineError {
    this.kernels.broken = true;
    return new EngineError(
      'WORKER_LOST',
      `A worker thread of the wasm engine stopped in the middle of a pass: ${why}. Try again, or use threads: 1.`,
      { value: why },
    );
  }
}

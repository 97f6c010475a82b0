/**
 * Long work reports progress, can be cancelled, and yields to the event loop. Every loop over data and all O(d³) work uses a
 * `ProgressTracker`: it calls `step` between tiles, and `step` does all three.
 */

import { nextTurn } from './event-loop.js';

/** The progress of a task. */
export interface Progress {
  /** The current work in two or three words: "reading rows", "eigenvectors". */
  readonly phase: string;
  /** Work done in this phase, in units of the phase (rows, flops, passes). */
  readonly done: number;
  /** Total work of the phase, or an estimate that may change (rows of many files); undefined if unknown (a stream). */
  readonly total?: number;
}

/** Work in steps: a generator that yields the amount of work since the last yield, and returns its result. */
export type Task<Result> = Generator<number, Result, void>;

/**
 * How long a fit may block the calling thread: not at all (workers do all work but copying), for some milliseconds at a time, or until it
 * has to wait.
 */
export type Blocking = 'none' | 'short' | 'full';

/** Milliseconds of work before yielding to the event loop: 8, half an animation frame, minus the time of a late step. */
const SLICES: Readonly<Record<Blocking, number>> = { none: 4, short: 6, full: Number.POSITIVE_INFINITY };

/** Reports progress, throws when a signal aborts, and yields to the event loop. */
export class ProgressTracker {
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  #phase = '';
  #done = 0;
  #total: number | undefined;
  #expected: (() => number | undefined) | undefined;
  readonly #slice: number;
  #lastYield = performance.now();

  constructor(
    options: {
      signal?: AbortSignal | undefined;
      onProgress?: ((progress: Progress) => void) | undefined;
      blocking?: Blocking | undefined;
    } = {},
  ) {
    this.#slice = SLICES[options.blocking ?? 'short'];
    this.#signal = options.signal;
    this.#onProgress = options.onProgress;
    this.#signal?.throwIfAborted();
  }

  /** `step` as a function, for passes. */
  readonly onStep = (amount: number): void | Promise<void> => this.step(amount);

  /** Starts a phase. If its total is unknown, every report calls `expected` for an estimate. */
  begin(phase: string, total?: number, expected?: () => number | undefined): void {
    this.#signal?.throwIfAborted();
    this.#phase = phase;
    this.#done = 0;
    this.#total = total;
    this.#expected = expected;
    this.#report();
  }

  /** Adds `amount` of work. Throws the signal's reason after an abort. The result must be awaited. */
  step(amount: number): void | Promise<void> {
    this.#done += amount;
    this.#signal?.throwIfAborted();
    const now = performance.now();
    if (now - this.#lastYield < this.#slice) return;
    this.#report();
    return this.#rest();
  }

  get aborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /** Yields to the event loop if a slice is over. Throws the signal's reason after an abort. */
  yieldToEventLoop(): void | Promise<void> {
    return this.step(0);
  }

  /** Waits for a promise, or throws when the work is aborted. */
  async orAbort<Value>(promise: Promise<Value>): Promise<Value> {
    const signal = this.#signal;
    if (!signal) return promise;
    signal.throwIfAborted();
    let abort: () => void = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([promise, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Runs a task to its end within the current phase, without adding to its progress. */
  follow<Result>(task: Task<Result>): Promise<Result> {
    return runTask(task, () => this.yieldToEventLoop());
  }

  /** Ends the phase with a report of its total. */
  end(): void {
    this.#total ??= this.#done;
    this.#done = this.#total;
    this.#report();
  }

  /** Runs a task to its end as one phase. */
  async run<Result>(phase: string, total: number, task: Task<Result>): Promise<Result> {
    this.begin(phase, total);
    const result = await runTask(task, (amount) => this.step(amount));
    this.end();
    return result;
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.#lastYield = performance.now();
    this.#signal?.throwIfAborted();
  }

  #report(): void {
    if (!this.#onProgress) return;
    const total = this.#total ?? this.#expected?.();
    this.#onProgress({ phase: this.#phase, done: this.#done, ...(total === undefined ? {} : { total }) });
  }
}

/** Runs a task to its end. `onStep` receives the amount of each step, and its result is awaited. */
export async function runTask<Result>(
  task: Task<Result>,
  onStep: (amount: number) => void | Promise<void>,
): Promise<Result> {
  for (;;) {
    const next = task.next();
    if (next.done) return next.value;
    const pause = onStep(next.value);
    if (pause) await pause;
  }
}

/** Runs a task to its end synchronously, for small problems. */
export function runTaskSync<Result>(task: Task<Result>): Result {
  for (;;) {
    const next = task.next();
    if (next.done) return next.value;
  }
}

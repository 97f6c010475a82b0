/**
 * Long work reports progress, can be cancelled, and yields to the event loop. Everything that loops over data or does O(d³)
 * work goes through a `ProgressTracker`: it calls `step` between tiles, and `step` does all three.
 */

import { nextTurn } from './event-loop.js';

/** How far a task is. */
export interface Progress {
  /** The current work in two or three words: "reading rows", "eigenvectors". */
  readonly phase: string;
  /** Work done in this phase, in units of the phase (rows, flops, passes). */
  readonly done: number;
  /** Work of the whole phase, or an estimate that changes on the way (rows of many files); undefined where it is unknown (a stream of unknown length). */
  readonly total?: number;
}

/** Work that is cut into steps: a generator that yields how much it has done since the last yield and returns its result. */
export type Task<Result> = Generator<number, Result, void>;

/**
 * How long a fit may keep the thread that called it: not at all (workers do everything but copying), for some milliseconds at a time, or until it has to
 * wait for something.
 */
export type Blocking = 'none' | 'short' | 'full';

/** Milliseconds of work after which the event loop gets its turn: 8, half a frame of an animation, less the step that ends late. */
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

  /** `step` as a function of its own, for passes. */
  readonly onStep = (amount: number): void | Promise<void> => this.step(amount);

  /** Starts a phase. Where its total is not known, `expected` is asked for an estimate at every report. */
  begin(phase: string, total?: number, expected?: () => number | undefined): void {
    this.#signal?.throwIfAborted();
    this.#phase = phase;
    this.#done = 0;
    this.#total = total;
    this.#expected = expected;
    this.#report();
  }

  /** Notes `amount` of work; throws the signal's reason when aborted. Await what it returns. */
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

  /** Lets the event loop turn if it is time; throws the signal's reason when aborted. */
  yieldToEventLoop(): void | Promise<void> {
    return this.step(0);
  }

  /** Waits for a promise from outside, at most until the work is aborted. */
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

  /** Runs a task to its end inside the present phase, to whose progress it adds nothing. */
  follow<Result>(task: Task<Result>): Promise<Result> {
    return runTask(task, () => this.yieldToEventLoop());
  }

  /** Ends the phase, with a last report that says it is whole. */
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

/** Runs a task to its end; `onStep` gets the amount of each step, and what it returns is awaited. */
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

/** Runs a task to its end at once, for small problems. */
export function runTaskSync<Result>(task: Task<Result>): Result {
  for (;;) {
    const next = task.next();
    if (next.done) return next.value;
  }
}

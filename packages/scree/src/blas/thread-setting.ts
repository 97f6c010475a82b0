import { availableParallelism } from 'node:os';
import type { Library } from './library.js';

/** Threads on which Node runs asynchronous calls. libuv starts four, or as many as this variable said when the process began. */
export const POOL = Math.max(1, Math.floor(Number(process.env.UV_THREADPOOL_SIZE)) || 4);

/**
 * Threads that a call may use per core. Those that wait keep their core busy, and recent releases of OpenBLAS suffer from it: on two cores
 * a fit of 80 ms takes 6 seconds on 8 threads, and more than a minute on 200.
 */
const MOST_PER_CORE = 4;

/**
 * The library's number of threads, a setting of the whole process. Calls either run several at a time on one thread
 * each, or one at a time on all threads; calls that need one value of the setting wait until those with the other are
 * done.
 *
 * Several calls at a time is the usual case on few cores: tiles are independent, so no call waits for the slowest of the library's
 * threads, and the next tile can be packed at the same time. Node runs only a few calls at a time, so on more cores large products and LAPACK
 * use all threads of the library but one, which packs.
 */
export class ThreadSetting {
  readonly #library: Library;
  #threads: number;
  /** The current value. */
  #current = 0;
  #running = 0;
  /** Resolves when no call is running. */
  #idle: Promise<void> = Promise.resolve();
  #setIdle: () => void = () => {};

  constructor(library: Library) {
    this.#library = library;
    this.#threads = Math.max(1, library.threads());
  }

  /** Threads that work at the same time. */
  get threads(): number {
    return this.#threads;
  }

  set threads(count: number) {
    this.#threads = Math.min(count, MOST_PER_CORE * availableParallelism());
  }

  /** Calls to run at the same time. Accelerate distributes work among its own threads, so it gets one call at a time. */
  get lanes(): number {
    return this.#library.kind === 'Accelerate' ? 1 : Math.min(this.#threads, POOL);
  }

  /** Whether there are more threads than calls that Node runs at a time. */
  get many(): boolean {
    return this.#threads > POOL;
  }

  /** Runs a call on one thread while others run beside it, or on all threads. */
  async run(allThreads: boolean, call: () => Promise<void>): Promise<void> {
    const wanted = allThreads ? (this.many ? this.#threads - 1 : this.#threads) : 1;
    while (this.#running > 0 && this.#current !== wanted) await this.#idle;
    if (this.#current !== wanted) {
      this.#library.setThreads(wanted);
      this.#current = wanted;
    }
    if (this.#running++ === 0) {
      this.#idle = new Promise((resolve) => {
        this.#setIdle = resolve;
      });
    }
    try {
      await call();
    } finally {
      if (--this.#running === 0) this.#setIdle();
    }
  }
}

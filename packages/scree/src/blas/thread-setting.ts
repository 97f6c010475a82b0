import { availableParallelism } from 'node:os';
import type { Library } from './library.js';

/** Number of threads on which Node runs asynchronous calls. libuv starts four, or the value of this variable at the start of the process. */
export const POOL = Math.max(1, Math.floor(Number(process.env.UV_THREADPOOL_SIZE)) || 4);

/**
 * Maximum threads of a call per core. Waiting threads keep their core busy, which slows down recent releases of OpenBLAS: on two cores, a
 * fit of 80 ms takes 6 seconds on 8 threads, and more than a minute on 200.
 */
const MOST_PER_CORE = 4;

/**
 * The library's number of threads, a setting of the whole process. Either several calls run at the same time on one thread each, or one
 * call runs on all threads. Calls that need one value of the setting wait until the calls with the other value are done.
 *
 * On few cores, several calls run at the same time: tiles are independent, so no call waits for the slowest of the library's threads, and
 * the next tile can be packed meanwhile. Node runs only a few calls at the same time, so on more cores large products and LAPACK use all
 * threads of the library but one, which packs.
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

  /** Number of threads that work at the same time. */
  get threads(): number {
    return this.#threads;
  }

  set threads(count: number) {
    this.#threads = Math.min(count, MOST_PER_CORE * availableParallelism());
  }

  /** Number of calls to run at the same time. Accelerate distributes work among its own threads, so it runs one call at a time. */
  get lanes(): number {
    return this.#library.kind === 'Accelerate' ? 1 : Math.min(this.#threads, POOL);
  }

  /** True if there are more threads than calls that Node runs at the same time. */
  get many(): boolean {
    return this.#threads > POOL;
  }

  /** Runs a call on one thread while other calls run, or on all threads. */
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

import type { Library } from './library.js';

/**
 * The library's number of threads, a setting of the whole process. Calls either run several at a time on one thread
 * each, or one at a time on all threads; calls that need one value of the setting wait until those with the other are
 * done.
 *
 * Several calls at a time is the usual case: tiles are independent, so no call waits for the slowest of the library's
 * threads, and the next tile can be packed at the same time.
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
    this.#threads = count;
  }

  /** Calls to run at the same time. Accelerate distributes work among its own threads, so it gets one call at a time. */
  get lanes(): number {
    return this.#library.kind === 'Accelerate' ? 1 : this.#threads;
  }

  /** Runs a call on one thread, or on all of them. */
  async run(allThreads: boolean, call: () => Promise<void>): Promise<void> {
    const wanted = allThreads ? this.#threads : 1;
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

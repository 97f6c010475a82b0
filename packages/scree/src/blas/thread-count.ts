import type { Library } from './library.js';

/**
 * Who works how: several calls at a time on one thread each, or one call on all threads. The library knows one number of
 * threads for the whole process, so calls of the one kind wait until those of the other are done.
 *
 * Calls side by side are the rule. Tiles are independent, so nothing waits for the slowest of a library's threads, and a
 * tile can be packed meanwhile without holding one of them up.
 */
export class Crew {
  readonly #library: Library;
  #threads: number;
  #mode = 0;
  #active = 0;
  #idle: Promise<void> = Promise.resolve();
  #rest: () => void = () => {};

  constructor(library: Library) {
    this.#library = library;
    this.#threads = Math.max(1, library.threads());
  }

  /** Threads that work at a time. */
  get threads(): number {
    return this.#threads;
  }

  set threads(count: number) {
    this.#threads = count;
  }

  /** Calls to run side by side. A library that shares its own units among its threads gets one at a time. */
  get lanes(): number {
    return this.#library.kind === 'Accelerate' ? 1 : this.#threads;
  }

  /** Runs a call on one thread, or on all. */
  async run(all: boolean, call: () => Promise<void>): Promise<void> {
    const mode = all ? this.#threads : 1;
    while (this.#active > 0 && this.#mode !== mode) await this.#idle;
    if (this.#mode !== mode) {
      this.#library.setThreads(mode);
      this.#mode = mode;
    }
    if (this.#active++ === 0) {
      this.#idle = new Promise((resolve) => {
        this.#rest = resolve;
      });
    }
    try {
      await call();
    } finally {
      if (--this.#active === 0) this.#rest();
    }
  }
}

/** Milliseconds between two writes: a slider changes at every step, and Safari allows a hundred writes in 30 seconds. */
const MIN_INTERVAL = 400;

/** Runs the newest of many writes, with a minimal time between two of them. */
export class SpacedWrites {
  #last = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void) | undefined;

  /** Drops the write that waits. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
  }

  /** Runs the write that waits now. */
  flush(): void {
    const write = this.#waiting;
    this.cancel();
    if (!write) return;
    write();
    this.#last = performance.now();
  }

  /** Replaces the write that waits. It runs now if `isUrgent`, or if the last write was long enough ago. */
  schedule(write: () => void, isUrgent: boolean): void {
    this.cancel();
    this.#waiting = write;
    const wait = this.#last + MIN_INTERVAL - performance.now();
    if (isUrgent || wait <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), wait);
  }
}

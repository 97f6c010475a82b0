/** The state of a run after an epoch, as a screen shows it. */
export interface Moment {
  readonly epoch: number;
  /** True if the run has converged. */
  readonly converged?: boolean;
}

/**
 * The moments of a run, so that going back is instant. Memory is bounded: if there are too many moments, every second one is
 * removed, and from then on only every second new one is kept. The first and the newest moments are always kept.
 */
export class History<M extends Moment> {
  readonly #capacity: number;
  #moments: M[] = [];
  #stride = 1;

  constructor(capacity = 400) {
    this.#capacity = Math.max(4, capacity);
  }

  get all(): readonly M[] {
    return this.#moments;
  }

  get newest(): M | undefined {
    return this.#moments[this.#moments.length - 1];
  }

  push(moment: M): void {
    const last = this.newest;
    // The newest moment is always kept. When a newer one arrives, it stays only if its epoch is a multiple of the stride.
    if (last && last.epoch % this.#stride !== 0) this.#moments.pop();
    this.#moments.push(moment);
    if (this.#moments.length <= this.#capacity) return;
    this.#stride *= 2;
    this.#moments = this.#moments.filter(({ epoch }, i, all) => epoch % this.#stride === 0 || i === all.length - 1);
  }

  /** The moment at an epoch, or the last kept moment before it. */
  at(epoch: number): M | undefined {
    return this.#moments[this.#indexAt(epoch)];
  }

  /** The next kept moment after an epoch; undefined at the end. */
  after(epoch: number): M | undefined {
    return this.#moments[this.#indexAt(epoch) + 1];
  }

  /** The last kept moment before an epoch; undefined at the start. */
  before(epoch: number): M | undefined {
    const index = this.#indexAt(epoch);
    return this.#moments[this.#moments[index]?.epoch === epoch ? index - 1 : index];
  }

  /** The part of the run up to an epoch, for curves. */
  until(epoch: number): readonly M[] {
    return this.#moments.slice(0, this.#indexAt(epoch) + 1);
  }

  #indexAt(epoch: number): number {
    let [low, high] = [0, this.#moments.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#moments[middle].epoch <= epoch) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

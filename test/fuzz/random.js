/** A generator that gives the same numbers for the same seed (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `count`. */
  below(count) {
    return Math.floor(this.next() * count);
  }

  pick(items) {
    return items[this.below(items.length)];
  }

  chance(probability) {
    return this.next() < probability;
  }
}

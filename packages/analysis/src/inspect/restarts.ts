/** Fewest numbers that are counters, as in the warnings. */
const COUNTED_ROWS = 10;
/** Share of the upward steps that are 1. Rows may have been removed. */
const BY_ONE = 0.8;
/** Fewest rows per group, on average. */
const ROWS_PER_GROUP = 3;

/**
 * Follows whole numbers that count up, mostly by 1, and start again at least once, as a sample number within groups does. Every group
 * must start near the lowest number, and no number may follow itself.
 */
export class Restarts {
  #rows = 1;
  #up = 0;
  #byOne = 0;
  #groups = 1;
  #lowest: number;
  #highestStart: number;

  constructor(first: number) {
    this.#lowest = first;
    this.#highestStart = first;
  }

  /** Adds the next number and its step, which is not 0. Returns false if the numbers are no such counter. */
  add(value: number, step: number): boolean {
    this.#rows++;
    if (step > 0) {
      this.#up++;
      if (step === 1) this.#byOne++;
      return true;
    }
    this.#groups++;
    this.#lowest = Math.min(this.#lowest, value);
    this.#highestStart = Math.max(this.#highestStart, value);
    return ROWS_PER_GROUP * (this.#groups - 1) <= this.#rows && this.#highestStart - this.#lowest <= 2;
  }

  /** True if the numbers so far are such a counter. */
  get found(): boolean {
    const enough = this.#rows >= COUNTED_ROWS && ROWS_PER_GROUP * this.#groups <= this.#rows;
    return enough && this.#groups > 1 && this.#byOne >= BY_ONE * this.#up && this.#highestStart - this.#lowest <= 2;
  }
}

/**
 * Chooses rows evenly from data that come one by one: one row of each of `most` stretches of equal length, at a pseudo-random position
 * in the stretch, so that periodic data are sampled fairly. The choice is always the same. If more rows come than expected, stretches
 * become twice as long and every other chosen row is dropped.
 */
export class EvenSample<Item> {
  readonly #most: number;
  #stretch: number;
  #turn = 0;
  #next: number;
  #items: Item[] = [];

  constructor(expected: number, most: number) {
    this.#most = most;
    this.#stretch = Math.max(1, expected / most);
    this.#next = this.#place(0);
  }

  /** Returns true if a row is chosen. Must be called for the rows in their order. */
  wants(row: number): boolean {
    return row === this.#next;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#turn++;
    if (this.#items.length > 2 * this.#most) {
      this.#items = this.#items.filter((_, i) => i % 2 === 0);
      this.#turn = Math.ceil(this.#turn / 2);
      this.#stretch *= 2;
    }
    this.#next = Math.max(this.#next + 1, this.#place(this.#turn));
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  #place(turn: number): number {
    return Math.floor((turn + (this.#stretch > 1 ? scatter(turn) : 0)) * this.#stretch);
  }
}

/** A pseudo-random number from 0 to 1: the finaliser of MurmurHash3. */
export function scatter(seed: number): number {
  let h = (seed + 1) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** Bits of a group, whose members are counted together. */
const GROUP = 1024;

/** Rows of a table that were chosen: one bit per row, so that a thousand million rows take 125 MB. */
export class RowSet {
  /** Rows that were decided, and those of them that were chosen. */
  rows = 0;
  chosen = 0;
  #bits = new Uint8Array(1024);
  /** Chosen rows before every group. */
  readonly #before: number[] = [];

  /** Decides the next row. */
  push(isChosen: boolean): void {
    const row = this.rows++;
    if (row % GROUP === 0) this.#before.push(this.chosen);
    if (row >>> 3 === this.#bits.length) {
      const more = new Uint8Array(2 * this.#bits.length);
      more.set(this.#bits);
      this.#bits = more;
    }
    if (!isChosen) return;
    this.#bits[row >>> 3] |= 1 << (row & 7);
    this.chosen++;
  }

  has(row: number): boolean {
    return row < this.rows && (this.#bits[row >>> 3] & (1 << (row & 7))) !== 0;
  }

  /** The row that is the n-th chosen one, counted from 0. */
  nth(n: number): number {
    let [low, high] = [0, this.#before.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#before[middle] <= n) low = middle;
      else high = middle;
    }
    let row = low * GROUP;
    for (let left = n - this.#before[low]; ; row++) {
      if (!this.has(row)) continue;
      if (left-- === 0) return row;
    }
  }
}

import type { DenseBlock } from '@scree/core/data';

/** Rows that repeat earlier rows. */
export interface RepeatedRows {
  /** Rows that were compared: all, or the first ones of a large table. */
  readonly compared: number;
  /** Rows that are equal to an earlier row. */
  readonly count: number;
  /** The first of them: their row, and the row that they repeat, both counted from 0. */
  readonly pairs: readonly (readonly [row: number, of: number])[];
  /**
   * The most rows that are equal to an earlier row in all columns but one. If it is much larger than `count`, the values are so coarse
   * that equal rows are no surprise.
   */
  readonly nearly: number;
}

/** Most numbers and rows that are compared. */
const MOST_NUMBERS = 1e7;
const MOST_ROWS = 1 << 17;
/** Columns that are left out, one at a time, for `nearly`. */
const LEFT_OUT = 8;
/** Pairs that are kept. */
const MOST_PAIRS = 20;

/**
 * Finds rows that repeat earlier rows, by hashes of 53 bits: h = Σⱼ mix(xⱼ, j). A row without column j has the hash h − mix(xⱼ, j). By
 * chance two of 131,072 different rows have the same hash with a probability of 1e-6.
 */
export class RowComparison {
  readonly #most: number;
  readonly #seen = new Map<number, number>();
  readonly #without: { readonly column: number; readonly seen: Set<number>; count: number }[];
  readonly #pairs: [number, number][] = [];
  readonly #words = new Int32Array(2);
  readonly #value = new Float64Array(this.#words.buffer);
  #count = 0;
  #rows = 0;
  #compared = 0;

  constructor(cols: number) {
    this.#most = Math.min(MOST_ROWS, Math.floor(MOST_NUMBERS / cols));
    const columns = new Set(
      Array.from({ length: Math.min(LEFT_OUT, cols) }, (_, i) => Math.floor((i * cols) / LEFT_OUT)),
    );
    if (cols <= LEFT_OUT) for (let j = 0; j < cols; j++) columns.add(j);
    this.#without = [...columns].map((column) => ({ column, seen: new Set<number>(), count: 0 }));
  }

  /** Adds the rows of weight above 0. */
  add({ rows, cols, stride, data }: DenseBlock, weights: Float64Array | undefined): void {
    for (let i = 0; i < rows && this.#compared < this.#most; i++) {
      const row = this.#rows++;
      if (weights?.[i] === 0) continue;
      this.#compared++;
      let [low, high] = [0, 0];
      for (let j = 0; j < cols; j++) {
        this.#mix(data[i * stride + j], j);
        low = (low + this.#words[0]) | 0;
        high = (high + this.#words[1]) | 0;
      }
      const hash = hashOf(low, high);
      const first = this.#seen.get(hash);
      if (first === undefined) this.#seen.set(hash, row);
      else {
        this.#count++;
        if (this.#pairs.length < MOST_PAIRS) this.#pairs.push([row, first]);
      }
      for (const each of this.#without) {
        this.#mix(data[i * stride + each.column], each.column);
        const own = hashOf((low - this.#words[0]) | 0, (high - this.#words[1]) | 0);
        if (each.seen.has(own)) each.count++;
        else each.seen.add(own);
      }
    }
  }

  result(): { repeated?: RepeatedRows } {
    if (this.#compared < 2) return {};
    const nearly = Math.max(...this.#without.map(({ count }) => count));
    return { repeated: { compared: this.#compared, count: this.#count, pairs: this.#pairs, nearly } };
  }

  /** Puts 64 mixed bits of a value and its column into `#words`, by the finaliser of MurmurHash3. */
  #mix(value: number, column: number): void {
    // + 0 turns −0 into 0.
    this.#value[0] = value + 0;
    const [a, b] = [this.#words[0], this.#words[1]];
    const low = finish(a ^ Math.imul(column + 1, 0x9e3779b1));
    this.#words[0] = finish(low + Math.imul(b, 0x85ebca6b));
    this.#words[1] = finish(b ^ Math.imul(low, 0xc2b2ae35));
  }
}

function finish(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** 53 of 64 bits as a number. */
function hashOf(low: number, high: number): number {
  return (finish(high) >>> 11) * 2 ** 32 + (finish(low) >>> 0);
}

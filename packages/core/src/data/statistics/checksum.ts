import type { Block } from '../blocks/block.js';
import { numbersOf } from '../blocks/float16.js';
import type { ColumnStatistics } from './statistics.js';

/** The first 2¹⁶ numbers are all hashed, then every second row up to 2¹⁷ numbers, every fourth row up to 2¹⁸ numbers, and so on. */
const COMPLETE_NUMBERS = 2 ** 16;

/** Multipliers of MurmurHash3 (x86, 128 bits). */
const [LOW, HIGH, ORDER] = [0x239b961b, 0xab0e9789, 0x38b34ae5];

/** The bits of the exponent in the higher word of a number. */
const EXPONENT = 0x7ff00000;

/** A number, and its two words. */
const number = new Float64Array(1);
const words = new Int32Array(number.buffer);

/**
 * A checksum of data, for the seeds of random vectors. If the vectors were the same for all data, data could be constructed that
 * are orthogonal to them.
 *
 * It depends only on the numbers, and not on threads, blocks or the type in which numbers are stored. It contains no sums, which
 * could be rounded differently. Data times a power of two have the same checksum, because exponents are relative to that of the
 * first number that is not 0. All numbers of dense rows are hashed, and the stored entries of sparse rows. For large data, fewer
 * and fewer rows are hashed, so that hashing takes milliseconds.
 *
 * It is not a cryptographic hash: it is possible to construct data with a given checksum.
 */
export class DataChecksum {
  #low = 0;
  #high = 0;
  #row = 0;
  #seen = 0;
  /** The bits of the exponent of the first number that is not 0, in the higher word. */
  #unit: number | undefined;
  /** One of this number of rows is hashed. */
  #rowStep = 1;
  #nextDoubling = COMPLETE_NUMBERS;

  /** Adds the next rows and their weights. */
  add(block: Block, weights?: Float64Array): void {
    const { rows, cols } = block;
    for (let i = 0; i < rows; ) {
      while (this.#seen >= this.#nextDoubling) {
        this.#rowStep *= 2;
        this.#nextDoubling *= 2;
      }
      const wait = this.#row % this.#rowStep;
      const skipped = wait === 0 ? 1 : Math.min(this.#rowStep - wait, rows - i);
      // Rows of weight 0 may have any values.
      if (wait === 0 && weights?.[i] !== 0) this.#add(block, i, weights?.[i]);
      this.#seen += block.kind === 'dense' ? skipped * cols : block.indptr[i + skipped] - block.indptr[i];
      this.#row += skipped;
      i += skipped;
    }
  }

  #add(block: Block, i: number, weight: number | undefined): void {
    if (block.kind === 'dense') {
      const start = i * block.stride;
      this.#numbers(numbersOf(block, start, start + block.cols));
    } else {
      const [from, to] = [block.indptr[i], block.indptr[i + 1]];
      this.#mix(block.indices.subarray(from, to), 0);
      this.#numbers(block.data.subarray(from, to));
    }
    if (weight !== undefined) this.#mix([weight], 0);
  }

  /**
   * Mixes a seed with the checksum. Returns 32 bits. If no rows were added, because only moments are known or the rows are on a
   * cluster, the ranges of the columns are hashed instead. They are not hashed otherwise, because some engines round them.
   */
  seed(seed: number, { rows, min, max }: Pick<ColumnStatistics, 'rows' | 'min' | 'max'>): number {
    const all = new DataChecksum();
    [all.#low, all.#high, all.#unit] = [this.#low, this.#high, this.#unit];
    all.#mix([seed, rows], 0);
    if (this.#row === 0) {
      all.#numbers(min);
      all.#numbers(max);
    }
    return finish(all.#low ^ finish(all.#high)) >>> 0;
  }

  /** Adds numbers of the data. */
  #numbers(values: ArrayLike<number>): void {
    for (let i = 0; i < values.length && this.#unit === undefined; i++) {
      number[0] = values[i];
      if (values[i] !== 0) this.#unit = words[1] & EXPONENT;
    }
    this.#mix(values, this.#unit ?? 0);
  }

  /** Adds numbers. Subtracts `unit` from the exponents of numbers that are not 0. */
  #mix(values: ArrayLike<number>, unit: number): void {
    let [low, high] = [this.#low, this.#high];
    for (let i = 0; i < values.length; i++) {
      // −0 becomes 0, because they are equal.
      const value = values[i] + 0;
      number[0] = value;
      low = mix(low, words[0], LOW);
      high = mix(high, value === 0 ? 0 : words[1] - unit, HIGH);
    }
    this.#low = low;
    this.#high = mix(high, low, ORDER);
  }
}

function mix(state: number, word: number, factor: number): number {
  const h = state ^ Math.imul(word, factor);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0x561ccd1b) | 0;
}

function finish(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

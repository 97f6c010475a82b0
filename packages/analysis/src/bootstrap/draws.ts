import { type Random, random } from '@scree/core/linalg';

/**
 * How often every row is in every replicate. Counts belong to row numbers and depend on the seed alone, so they are the same
 * however the rows are cut into blocks, and whatever else is computed before.
 */
export interface Draws {
  /** Writes the counts of rows from…to − 1 in one replicate to out[start], out[start + stride], … */
  write(replicate: number, from: number, to: number, out: Float64Array, start: number, stride: number): void;
}

/** Rows that are drawn together, so that counts need not be kept for all rows at once. */
const CHUNK = 1 << 17;

/** The generator of one replicate, or of one part of it. */
export function generatorOf(seed: number, replicate: number, part = 0): Random {
  return random(mixed(mixed(mixed(seed) ^ Math.floor(seed / 2 ** 32)) ^ replicate) ^ mixed(part + 0x5bd1e995));
}

/** Spreads the bits of a whole number (the finaliser of MurmurHash3). */
function mixed(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/**
 * n rows drawn with replacement: multinomial counts. Rows are drawn chunk by chunk, first how many of the n draws fall into each
 * chunk, then those draws within it, which is the same distribution; a chunk's counts are made when they are first asked for.
 */
export class RowDraws implements Draws {
  readonly #rows: number;
  readonly #seed: number;
  readonly #totals = new Map<number, Int32Array>();
  /** One byte each: that a row is drawn more than 255 times has a probability of 1e-500. */
  readonly #counts = new Map<number, { chunk: number; counts: Uint8Array }>();

  constructor(rows: number, seed: number) {
    this.#rows = rows;
    this.#seed = seed;
  }

  write(replicate: number, from: number, to: number, out: Float64Array, start: number, stride: number): void {
    for (let row = from; row < to; ) {
      const chunk = Math.floor(row / CHUNK);
      const counts = this.#countsOf(replicate, chunk);
      const end = Math.min(to, (chunk + 1) * CHUNK);
      for (; row < end; row++) out[start + (row - from) * stride] = counts[row - chunk * CHUNK];
    }
  }

  #countsOf(replicate: number, chunk: number): Uint8Array {
    let kept = this.#counts.get(replicate);
    if (kept?.chunk === chunk) return kept.counts;
    const size = Math.min(CHUNK, this.#rows - chunk * CHUNK);
    kept = { chunk, counts: new Uint8Array(size) };
    const { uniform } = generatorOf(this.#seed, replicate, chunk + 1);
    for (let left = this.#totalsOf(replicate)[chunk]; left > 0; left--) kept.counts[Math.floor(uniform() * size)]++;
    this.#counts.set(replicate, kept);
    return kept.counts;
  }

  #totalsOf(replicate: number): Int32Array {
    const known = this.#totals.get(replicate);
    if (known) return known;
    const totals = new Int32Array(Math.ceil(this.#rows / CHUNK));
    if (totals.length === 1) totals[0] = this.#rows;
    else {
      const { uniform } = generatorOf(this.#seed, replicate);
      for (let i = 0; i < this.#rows; i++) totals[Math.floor((uniform() * this.#rows) / CHUNK)]++;
    }
    this.#totals.set(replicate, totals);
    return totals;
  }
}

/** Counts of one replicate, kept from the first time they are asked for. */
abstract class KeptCounts implements Draws {
  readonly #counts = new Map<number, Uint16Array>();

  /** Draws a replicate: how often each row, or each group, is in it. */
  protected abstract draw(replicate: number): Uint16Array;
  /** Where the count of a row is. */
  protected abstract placeOf(row: number): number;

  write(replicate: number, from: number, to: number, out: Float64Array, start: number, stride: number): void {
    let counts = this.#counts.get(replicate);
    if (!counts) {
      counts = this.draw(replicate);
      this.#counts.set(replicate, counts);
    }
    for (let row = from; row < to; row++) out[start + (row - from) * stride] = counts[this.placeOf(row)];
  }
}

/**
 * Runs of `length` neighbouring rows, for rows that depend on those before them (Künsch 1989). They begin anywhere, and one that
 * reaches the last row goes on with the first (Politis & Romano 1992), so that every row is drawn equally often. The last run is
 * cut, so that a replicate has n rows.
 */
export class BlockDraws extends KeptCounts {
  readonly #rows: number;
  readonly #length: number;
  readonly #seed: number;

  constructor(rows: number, length: number, seed: number) {
    super();
    this.#rows = rows;
    this.#length = Math.min(length, rows);
    this.#seed = seed;
  }

  protected placeOf(row: number): number {
    return row;
  }

  protected draw(replicate: number): Uint16Array {
    const n = this.#rows;
    const counts = new Uint16Array(n);
    const { uniform } = generatorOf(this.#seed, replicate);
    for (let left = n; left > 0; left -= this.#length) {
      const first = Math.floor(uniform() * n);
      for (let i = 0; i < Math.min(left, this.#length); i++) counts[(first + i) % n]++;
    }
    return counts;
  }
}

/** Whole groups, as many as there are, drawn with replacement: for rows that belong together, such as visits of a patient. */
export class GroupDraws extends KeptCounts {
  readonly #groupOf: Int32Array;
  readonly #groups: number;
  readonly #seed: number;

  constructor(groupOf: Int32Array, groups: number, seed: number) {
    super();
    this.#groupOf = groupOf;
    this.#groups = groups;
    this.#seed = seed;
  }

  protected placeOf(row: number): number {
    return this.#groupOf[row];
  }

  protected draw(replicate: number): Uint16Array {
    const counts = new Uint16Array(this.#groups);
    const { uniform } = generatorOf(this.#seed, replicate);
    for (let i = 0; i < this.#groups; i++) counts[Math.floor(uniform() * this.#groups)]++;
    return counts;
  }
}

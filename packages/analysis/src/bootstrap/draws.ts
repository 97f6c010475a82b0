import { type Random, random } from '@scree/core/linalg';

/**
 * How often every row is in every replicate. Counts belong to row numbers and depend only on the seed, so they are the same
 * however the rows are cut into blocks for reading, and in whatever order they are computed.
 */
export interface Draws {
  /** Bytes of the counts of one replicate that are kept. */
  readonly bytes: number;
  /** Writes the counts of rows from…to − 1 in one replicate to out[start], out[start + stride], … */
  write(replicate: number, from: number, to: number, out: Float64Array, start: number, stride: number): void;
  /** Forgets the counts that are kept. They are drawn again, the same, when they are asked for. */
  clear(): void;
}

/** Rows of a chunk. `RowDraws` keeps only the counts of one chunk per replicate in memory. */
const CHUNK = 1 << 17;

/** The random generator of one replicate, or of one part of it. */
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
 * n rows drawn with replacement: multinomial counts. First the n draws are distributed over chunks, then the draws of each chunk over
 * its rows, which gives the same distribution. The counts of a chunk are drawn when they are first needed.
 */
export class RowDraws implements Draws {
  readonly #rows: number;
  readonly #seed: number;
  readonly #totals = new Map<number, Int32Array>();
  /** One byte each: the probability that a row is drawn more than 255 times is below 1e-500. */
  readonly #counts = new Map<number, { chunk: number; counts: Uint8Array }>();

  constructor(rows: number, seed: number) {
    this.#rows = rows;
    this.#seed = seed;
  }

  get bytes(): number {
    return Math.min(CHUNK, this.#rows);
  }

  clear(): void {
    this.#counts.clear();
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

/** Draws whose counts are kept: `draw` makes the `length` counts of a replicate, and `indexOf` finds that of a row. */
function keptDraws(length: number, draw: (replicate: number) => Uint16Array, indexOf: (row: number) => number): Draws {
  const kept = new Map<number, Uint16Array>();
  return {
    bytes: length * Uint16Array.BYTES_PER_ELEMENT,
    write(replicate, from, to, out, start, stride) {
      const counts = kept.get(replicate) ?? draw(replicate);
      kept.set(replicate, counts);
      for (let row = from; row < to; row++) out[start + (row - from) * stride] = counts[indexOf(row)];
    },
    clear: () => kept.clear(),
  };
}

/**
 * Runs of `length` neighbouring rows, for rows that depend on the rows before them (Künsch 1989). Runs begin anywhere, and continue with the
 * first row after the last (Politis & Romano 1992), so that every row is drawn equally often. The last run is cut, so that a replicate
 * has n rows.
 */
export function blockDraws(n: number, length: number, seed: number): Draws {
  const size = Math.min(length, n);
  const draw = (replicate: number): Uint16Array => {
    const counts = new Uint16Array(n);
    const { uniform } = generatorOf(seed, replicate);
    for (let left = n; left > 0; left -= size) {
      const first = Math.floor(uniform() * n);
      for (let i = 0; i < Math.min(left, size); i++) counts[(first + i) % n]++;
    }
    return counts;
  };
  return keptDraws(n, draw, (row) => row);
}

/** Draws all groups of rows with replacement, for rows that belong together, such as visits of a patient. */
export function groupDraws(groupOf: Int32Array, groups: number, seed: number): Draws {
  const draw = (replicate: number): Uint16Array => {
    const counts = new Uint16Array(groups);
    const { uniform } = generatorOf(seed, replicate);
    for (let i = 0; i < groups; i++) counts[Math.floor(uniform() * groups)]++;
    return counts;
  };
  return keptDraws(groups, draw, (row) => groupOf[row]);
}

/** Bins per octave (factor of 2). Neighbouring edges differ by a quarter of a per cent. */
const BINS_PER_OCTAVE = 256;

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Most values that are kept by default: 32 MB. Beyond that only the counts in bins are known. */
export const MOST_VALUES = 2 ** 22;

/**
 * The distribution of nonnegative values that are added one by one. Up to 4 million values are kept, and quantiles are exact. More
 * values are counted in bins of equal ratio, which need no range in advance: memory grows with the octaves that occur, and quantiles
 * are accurate to a quarter of a per cent.
 */
export class RowValues {
  readonly #counts = new Map<number, number>();
  readonly #most: number;
  #values: Float64Array | undefined = new Float64Array(1024);
  /** Quantiles that were asked for, because each takes a sorted copy. */
  readonly #quantiles = new Map<number, number>();
  #zeros = 0;
  #rows = 0;
  #largest = 0;

  constructor(most = MOST_VALUES) {
    this.#most = most;
  }

  add(value: number): void {
    this.#keep(value);
    this.#rows++;
    this.#largest = Math.max(this.#largest, value);
    if (value === 0) {
      this.#zeros++;
      return;
    }
    const bin = Math.floor(Math.log2(value) * BINS_PER_OCTAVE);
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + 1);
  }

  #keep(value: number): void {
    if (this.#quantiles.size > 0) this.#quantiles.clear();
    if (this.#rows >= this.#most) this.#values = undefined;
    if (!this.#values) return;
    if (this.#rows === this.#values.length) {
      const longer = new Float64Array(Math.min(2 * this.#rows, this.#most));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.#rows] = value;
  }

  get rows(): number {
    return this.#rows;
  }

  get largest(): number {
    return this.#largest;
  }

  /** All values in the order of the rows; undefined if there are too many to keep. */
  get values(): Float64Array | undefined {
    return this.#values?.subarray(0, this.#rows);
  }

  /** True if quantiles and counts are exact. */
  get exact(): boolean {
    return this.#values !== undefined;
  }

  /** The value that a share of the rows does not exceed. */
  quantile(share: number): number {
    const known = this.#quantiles.get(share);
    if (known !== undefined) return known;
    const found = this.#findQuantile(share);
    this.#quantiles.set(share, found);
    return found;
  }

  #findQuantile(share: number): number {
    const wanted = share * this.#rows;
    const sorted = this.values?.slice().sort();
    // A share times the rows may be rounded to slightly more than a whole number.
    if (sorted) return sorted[Math.max(0, Math.ceil(wanted - 1e-9) - 1)] ?? 0;
    let seen = this.#zeros;
    if (seen >= wanted) return 0;
    for (const [bin, count] of this.#sorted()) {
      seen += count;
      if (seen >= wanted) return Math.min(this.#largest, 2 ** ((bin + 0.5) / BINS_PER_OCTAVE));
    }
    return this.#largest;
  }

  /** The number of rows whose value is above a bound. If values are not kept, the bound is rounded to the edge of a bin. */
  above(bound: number): number {
    const { values } = this;
    if (values) return values.reduce((sum, value) => (value > bound ? sum + 1 : sum), 0);
    const edge = Math.round(Math.log2(bound) * BINS_PER_OCTAVE);
    return this.#sorted().reduce((sum, [bin, count]) => (bin >= edge ? sum + count : sum), 0);
  }

  /**
   * About `wanted` bins of nearly equal width, or of equal ratio if values differ by orders of magnitude. Edges are those of the fine
   * bins, so every count is exact.
   */
  bins(wanted: number): { readonly bins: Bin[]; readonly logarithmic: boolean } {
    const sorted = this.#sorted();
    if (sorted.length === 0) return { bins: [], logarithmic: false };
    const [first, last] = [sorted[0][0], sorted[sorted.length - 1][0]];
    // On a linear scale a few distant rows would squeeze all others into one bar.
    const logarithmic = this.#largest > 8 * this.quantile(0.5);
    const edges: number[] = [];
    if (logarithmic) {
      const step = Math.max(1, Math.ceil((last + 1 - first) / wanted));
      for (let edge = first; edge <= last + step; edge += step) edges.push(edge);
    } else {
      const [low, high] = [this.#zeros > 0 ? 0 : 2 ** (first / BINS_PER_OCTAVE), 2 ** ((last + 1) / BINS_PER_OCTAVE)];
      for (let i = 0; i <= wanted; i++) {
        const value = low + ((high - low) * i) / wanted;
        const edge = value === 0 ? Number.NEGATIVE_INFINITY : Math.round(Math.log2(value) * BINS_PER_OCTAVE);
        if (i === 0 || edge > edges[edges.length - 1]) edges.push(edge);
      }
    }
    const counts = new Array<number>(edges.length - 1).fill(0);
    if (!logarithmic) counts[0] += this.#zeros;
    let at = 0;
    for (const [bin, count] of sorted) {
      while (bin >= edges[at + 1]) at++;
      counts[at] += count;
    }
    const value = (edge: number): number => 2 ** (edge / BINS_PER_OCTAVE);
    return {
      bins: counts.map((count, i) => ({ from: value(edges[i]), to: value(edges[i + 1]), count })),
      logarithmic,
    };
  }

  #sorted(): [bin: number, count: number][] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }
}

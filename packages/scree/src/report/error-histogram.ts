/** Bins per octave (factor of 2), so that neighbouring edges differ by a quarter of a per cent. */
const BINS_PER_OCTAVE = 256;

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * A histogram of distances that are added one by one. Bins have equal ratios, so the range need not be known in advance. Memory
 * grows with the number of octaves, not with the number of rows.
 */
export class ErrorHistogram {
  readonly #counts = new Map<number, number>();
  #zeros = 0;
  #rows = 0;
  #largest = 0;

  add(distance: number): void {
    this.#rows++;
    this.#largest = Math.max(this.#largest, distance);
    if (distance === 0) {
      this.#zeros++;
      return;
    }
    const bin = Math.floor(Math.log2(distance) * BINS_PER_OCTAVE);
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + 1);
  }

  get rows(): number {
    return this.#rows;
  }

  get largest(): number {
    return this.#largest;
  }

  /** The distance that a share of the rows does not exceed, accurate to a quarter of a per cent. */
  quantile(share: number): number {
    let seen = this.#zeros;
    const wanted = share * this.#rows;
    if (seen >= wanted) return 0;
    for (const [bin, count] of this.#sorted()) {
      seen += count;
      if (seen >= wanted) return Math.min(this.#largest, 2 ** ((bin + 0.5) / BINS_PER_OCTAVE));
    }
    return this.#largest;
  }

  /** Number of rows whose distance is above a bound. The bound is moved to the nearest edge of a bin. */
  above(bound: number): number {
    const edge = Math.round(Math.log2(bound) * BINS_PER_OCTAVE);
    return this.#sorted().reduce((sum, [bin, count]) => (bin >= edge ? sum + count : sum), 0);
  }

  /**
   * About `wanted` bins of nearly equal width, or of equal ratio where distances differ by orders of magnitude. Edges
   * are edges of the fine bins, so every count is exact.
   */
  bins(wanted: number): { readonly bins: Bin[]; readonly logarithmic: boolean } {
    const sorted = this.#sorted();
    if (sorted.length === 0) return { bins: [], logarithmic: false };
    const [first, last] = [sorted[0][0], sorted[sorted.length - 1][0]];
    // On a linear scale a few distant rows would leave all others in one bar.
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

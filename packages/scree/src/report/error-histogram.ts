/** Bins an octave: an edge is off by a quarter of a per cent at most. */
const FINE = 256;

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * How distances are spread, learnt one by one, whatever their range: counts in bins of equal ratio, so that no range has to
 * be known before. Memory grows with the octaves that occur, not with the rows.
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
    const bin = Math.floor(Math.log2(distance) * FINE);
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + 1);
  }

  get rows(): number {
    return this.#rows;
  }

  get largest(): number {
    return this.#largest;
  }

  /** The distance that a share of the rows does not exceed, to a quarter of a per cent. */
  quantile(share: number): number {
    let seen = this.#zeros;
    const wanted = share * this.#rows;
    if (seen >= wanted) return 0;
    for (const [bin, count] of this.#sorted()) {
      seen += count;
      if (seen >= wanted) return Math.min(this.#largest, 2 ** ((bin + 0.5) / FINE));
    }
    return this.#largest;
  }

  /** Rows whose distance is above a bound, which counts as the nearest edge of a bin. */
  above(bound: number): number {
    const edge = Math.round(Math.log2(bound) * FINE);
    return this.#sorted().reduce((sum, [bin, count]) => (bin >= edge ? sum + count : sum), 0);
  }

  /**
   * About `wanted` bins of nearly equal width, or of equal ratio where distances differ by orders of magnitude. Edges are
   * those of the fine bins, so every count is exact.
   */
  bins(wanted: number): { readonly bins: Bin[]; readonly logarithmic: boolean } {
    const sorted = this.#sorted();
    if (sorted.length === 0) return { bins: [], logarithmic: false };
    const [first, last] = [sorted[0][0], sorted[sorted.length - 1][0]];
    // Beside a few rows that are far out everything else would stand in one bar.
    const logarithmic = this.#largest > 8 * this.quantile(0.5);
    const edges: number[] = [];
    if (logarithmic) {
      const step = Math.max(1, Math.ceil((last + 1 - first) / wanted));
      for (let edge = first; edge <= last + step; edge += step) edges.push(edge);
    } else {
      const [low, high] = [this.#zeros > 0 ? 0 : 2 ** (first / FINE), 2 ** ((last + 1) / FINE)];
      for (let i = 0; i <= wanted; i++) {
        const value = low + ((high - low) * i) / wanted;
        const edge = value === 0 ? Number.NEGATIVE_INFINITY : Math.round(Math.log2(value) * FINE);
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
    const value = (edge: number): number => 2 ** (edge / FINE);
    return {
      bins: counts.map((count, i) => ({ from: value(edges[i]), to: value(edges[i + 1]), count })),
      logarithmic,
    };
  }

  #sorted(): [bin: number, count: number][] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }
}

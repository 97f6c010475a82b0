/** Medians and subset sizes of robust estimates. */

/** R's `mad` has these digits: the ratio of the standard deviation to the median absolute deviation of normal data. */
export const MAD_TO_DEVIATION = 1.4826;

/** The median; the mean of the two middle values if their number is even. Infinite values sort to the ends. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  return medianOfSorted(sorted);
}

/** The median of sorted values. */
export function medianOfSorted(sorted: Float64Array): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** 1.4826 times the median absolute deviation from `center`. */
export function medianDeviation(values: ArrayLike<number>, center = median(values)): number {
  return MAD_TO_DEVIATION * median(Float64Array.from(values, (value) => Math.abs(value - center)));
}

/**
 * The number of rows h from which a robust estimate is computed, for a share from 0.5 to 1 of n rows in p dimensions: n for 1, and the
 * ⌊(n + p + 1)/2⌋ of the highest breakdown point for 0.5 (`h.alpha.n` of R's robustbase).
 */
export function subsetSize(share: number, n: number, p: number): number {
  const half = Math.floor((n + p + 1) / 2);
  return Math.min(n, Math.floor(2 * half - n + 2 * (n - half) * share + 1e-9));
}

/** Indexes of the values, smallest first; equal values keep their order. */
export function ascending(values: Float64Array): Uint32Array {
  const order = new Uint32Array(values.length).map((_, i) => i);
  return order.sort((a, b) => (values[a] === values[b] ? a - b : values[a] < values[b] ? -1 : 1));
}

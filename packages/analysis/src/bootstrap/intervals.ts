import type { Interval } from '@scree/core';
import type { AngleSpread } from '@scree/core/pipeline';

/** The 97.5 % quantile of the normal distribution. */
export const Z = 1.959963984540054;

/** The q-quantile of R sorted numbers, interpolated at the rank (R + 1)q (Hyndman & Fan's type 6). */
export function interpolatedQuantile(sorted: Float64Array, q: number): number {
  const at = Math.min(Math.max((sorted.length + 1) * q - 1, 0), sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** Median and 95th percentile. */
export function angleSpread(angles: Float64Array): AngleSpread {
  const sorted = angles.slice().sort();
  return { median: interpolatedQuantile(sorted, 0.5), q95: interpolatedQuantile(sorted, 0.95) };
}

/** The 2.5 % and the 97.5 % quantile. */
export function percentiles(values: Float64Array): Interval {
  const sorted = values.slice().sort();
  return [interpolatedQuantile(sorted, 0.025), interpolatedQuantile(sorted, 0.975)];
}

/**
 * Half the width of a 95 % interval in standard errors. It is the t quantile with m − 1 degrees of freedom, because the standard error
 * is estimated, times √(m/(m − 1)), because replicates vary less than samples (Hesterberg 2015, section 5). Fisher's expansion of the
 * quantile is accurate to 1 % from 3 degrees of freedom.
 */
export function standardErrors(units: number): number {
  const v = Math.max(3, units - 1);
  const z = Z;
  const t =
    z +
    (z ** 3 + z) / (4 * v) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3);
  return t * Math.sqrt((v + 1) / v);
}

/** A function to a scale on which the error hardly depends on the value, and its inverse. */
export interface Link {
  to(value: number): number;
  from(value: number): number;
}

/** For variances. */
export const LOGARITHM: Link = { to: Math.log, from: Math.exp };
/** For shares of a whole. */
export const LOGIT: Link = {
  to: (share) => Math.log(share / (1 - share)),
  from: (value) => 1 / (1 + Math.exp(-value)),
};

/** The interval of a variance, and the bias of its estimate. */
export interface VarianceInterval {
  readonly interval: Interval;
  /** The bias that was subtracted, on the link's scale; 0 if it could not be estimated. */
  readonly bias: number;
}

/**
 * The interval of a component's variance (or share).
 *
 * A replicate's variance λ_b differs from the sample's λ for two reasons. Its rows vary more or less along the sample's axis (a_b =
 * uᵀC_b u). And it finds its own axis, along which it varies more (for the first components) or less (for the last). The second is a
 * bias: the sample has it against the population, and replicates have it again against the sample. So quantiles of λ_b are off by twice
 * the bias. If variances are close, the quantiles are also too narrow, because close variances repel one another.
 *
 * So, on the scale of the link, the interval has the shape of a_b, reversed: a sample that is too high has replicates about a centre
 * that is too high (the basic bootstrap). Its width is that of a_b times `widening`, or that of λ_b if it is wider. The mean of λ_b −
 * a_b estimates the bias, and the share `certain` of it is subtracted (`certainBias`), because the estimate is noisy if variances are
 * close. docs/guide/how-sure.md compares its measured coverage with that of other intervals.
 *
 * Limits stay within the possible values. Impossible values add nothing to the coverage.
 *
 * If a replicate has no variance along the component (few rows), the interval is made of quantiles of λ_b.
 */
export function varianceInterval(
  estimate: number,
  values: Float64Array,
  along: Float64Array,
  reach: number,
  link: Link,
  { certain, widening }: IntervalCorrection,
  [least, most]: Interval = [0, Number.POSITIVE_INFINITY],
): VarianceInterval {
  const centre = link.to(estimate);
  const own = values.map(link.to);
  const fixed = along.map(link.to).sort();
  if (!Number.isFinite(centre) || !own.every(Number.isFinite) || !fixed.every(Number.isFinite)) {
    const [low, high] = percentiles(values);
    return { interval: [Math.min(low, estimate), Math.max(high, estimate)], bias: 0 };
  }
  const bias = certain * (mean(own) - mean(fixed));
  const [spread, other] = [deviation(fixed), deviation(own)];
  const stretch = (reach / Z) * (spread > 0 ? Math.max(widening, other / spread) : widening);
  // The bias may move the middle out of the possible range. The interval must not be empty.
  const middle = link.to(Math.min(Math.max(link.from(centre - bias), least), most));
  const low = middle - stretch * Math.max(0, interpolatedQuantile(fixed, 0.975) - centre);
  const high = middle + stretch * Math.max(0, centre - interpolatedQuantile(fixed, 0.025));
  return { interval: [Math.max(link.from(low), least), Math.min(link.from(high), most)], bias };
}

/**
 * The shares that component j (from 0) of d can have in any population: at most 1/(j + 1), because j components have at least as much;
 * and for the first at least the average.
 */
export function possibleShares(j: number, d: number): Interval {
  return [j === 0 ? 1 / d : 0, 1 / (j + 1)];
}

/** Variances whose ratio is below this are close. Half of their part of the bias counts as certain. */
const CLOSE = 2;

/** How the other components change the interval of one. */
export interface IntervalCorrection {
  /** The share of its bias that is certain. */
  readonly certain: number;
  /**
   * The factor by which it is wider than along a fixed axis: √(m/(m − j)), because each of the j larger components takes a degree of
   * freedom.
   */
  readonly widening: number;
}

/** The correction for component j (from 0) of a sample of m units: rows, or the blocks or groups that were drawn. */
export function correctionFor(variances: Float64Array, j: number, units: number): IntervalCorrection {
  return { certain: certainBias(variances, j), widening: Math.sqrt(units / Math.max(1, units - j)) };
}

/**
 * The share of a component's bias that is certain. By Lawley (1956) the bias of λ_j is a sum over the other components, λ_j/n·Σ
 * λ_i/(λ_j − λ_i). Terms of distant components are reliable. Terms of close ones vary much between samples, so half of them counts.
 */
function certainBias(variances: Float64Array, j: number): number {
  let [far, close] = [0, 0];
  variances.forEach((variance, i) => {
    if (i === j || !(variance > 0)) return;
    const term = variance / Math.abs(variances[j] - variance);
    if (Math.max(variance / variances[j], variances[j] / variance) < CLOSE)
      close += Math.min(term, variances.length * 10);
    else far += term;
  });
  return far + close > 0 ? (far + close / 2) / (far + close) : 0.5;
}

/**
 * Anderson's interval (1963) for the variance of a component of n normal rows: λ/(1 ± z·√(2/(n − 1))). For n ≤ 8, which gives no upper
 * limit, the same error applies to the logarithm.
 */
export function andersonInterval(variance: number, n: number): Interval {
  const error = Z * Math.sqrt(2 / (n - 1));
  return error < 1
    ? [variance / (1 + error), variance / (1 - error)]
    : [variance * Math.exp(-error), variance * Math.exp(error)];
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: Float64Array): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / Math.max(1, values.length - 1));
}

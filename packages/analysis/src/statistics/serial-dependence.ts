import { tailChiSquared } from './distributions.js';

/** How a series depends on its past. */
export interface SerialDependence {
  /** The correlation of neighbours, r₁. */
  readonly lag1: number;
  /**
   * The same from differences alone: 1 + 2·r of the differences d of neighbours at lag 1. It is 0 for independent values, φ for a series zᵢ
   * = φzᵢ₋₁ + e, and 1 for a random walk, and levels that differ between a few groups of rows do not change it.
   */
  readonly local: number;
  /** One-sided p-value of `local`, whose standard error for independent values is √(2/n). */
  readonly pValue: number;
  /** True if a test for a unit root (Dickey & Fuller 1979, with a constant, 5 %) cannot tell the series from a random walk. */
  readonly randomWalk: boolean;
}

/** Differences beyond this many robust standard deviations are jumps between groups of rows, or outliers. */
const JUMP = 5;
/** Turns a median absolute value of normal numbers into their standard deviation. */
const MEDIAN_TO_DEVIATION = 1.4826;
/** The 5 % quantile of the Dickey–Fuller statistic with a constant. */
const UNIT_ROOT = -2.86;
/** Least correlations of a random walk, of neighbours and of differences, and fewest rows: with fewer the test finds nothing. */
const LEAST_OF_WALK = { lag1: 0.95, local: 0.8, rows: 100 };

/**
 * The dependence of neighbours. Differences of neighbours, without jumps, have the lag-1 correlation −½ if values are independent, whatever
 * slow changes of level there are. With MA(1) errors −½ has the asymptotic variance 1/(2n) (Bartlett 1946).
 */
export function serialDependence(z: Float64Array): SerialDependence {
  const n = z.length;
  const lag1 = autocovariance(z, 1) / autocovariance(z, 0);
  const differences = Float64Array.from({ length: n - 1 }, (_, i) => z[i + 1] - z[i]);
  const sizes = differences.map(Math.abs).sort();
  const limit = JUMP * MEDIAN_TO_DEVIATION * sizes[Math.floor(sizes.length / 2)];
  let [products, squares, pairs] = [0, 0, 0];
  for (let i = 0; i + 1 < differences.length; i++) {
    const [a, b] = [differences[i], differences[i + 1]];
    if (Math.abs(a) > limit || Math.abs(b) > limit) continue;
    products += a * b;
    squares += (a * a + b * b) / 2;
    pairs++;
  }
  const local = squares > 0 ? Math.min(1, 1 + (2 * products) / squares) : 0;
  const deviations = local / Math.sqrt(2 / Math.max(1, pairs));
  const pValue = deviations > 0 ? tailChiSquared(deviations ** 2, 1) / 2 : 1;
  const smooth = n >= LEAST_OF_WALK.rows && lag1 >= LEAST_OF_WALK.lag1 && local >= LEAST_OF_WALK.local;
  return { lag1, local, pValue, randomWalk: smooth && dickeyFuller(z) > UNIT_ROOT };
}

/** Σ(zᵢ − z̄)(zᵢ₊ₗ − z̄)/n. */
export function autocovariance(z: Float64Array, lag: number): number {
  const n = z.length;
  const mean = z.reduce((sum, value) => sum + value / n, 0);
  let sum = 0;
  for (let i = 0; i + lag < n; i++) sum += (z[i] - mean) * (z[i + lag] - mean);
  return sum / n;
}

/** The t statistic of γ in zᵢ₊₁ − zᵢ = c + γzᵢ + e. */
export function dickeyFuller(z: Float64Array): number {
  const m = z.length - 1;
  let [x, y] = [0, 0];
  for (let i = 0; i < m; i++) {
    x += z[i] / m;
    y += (z[i + 1] - z[i]) / m;
  }
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < m; i++) {
    const [a, b] = [z[i] - x, z[i + 1] - z[i] - y];
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  const slope = xy / xx;
  const rest = Math.max(0, yy - slope * xy) / (m - 2);
  return slope / Math.sqrt(rest / xx);
}

import { autocovariance } from '../statistics/serial-dependence.js';

/** Most rows from which correlations are computed: the first ones of a long series. */
const MOST_ROWS = 1 << 15;
/** Standard errors of a correlation that is not negligible. */
const NOT_NEGLIGIBLE = 2;

/**
 * The block length of a circular block bootstrap for a series, by Politis & White (2004) with the correction of Patton, Politis & White
 * (2009): with R(k) the autocovariances and λ the flat-top window, b = (2G²/D)^⅓·n^⅓, G = Σλ(k/M)|k|R(k), D = 4/3·(Σλ(k/M)R(k))². M is
 * twice the lag after which correlations are negligible. At most 3√n and n/3, not rounded.
 */
export function optimalBlockLength(series: Float64Array): number {
  const n = series.length;
  const z = series.subarray(0, MOST_ROWS);
  const most = Math.ceil(Math.min(3 * Math.sqrt(n), n / 3));
  const run = Math.max(5, Math.ceil(Math.sqrt(Math.log10(n))));
  const lags = Math.min(z.length - 1, Math.ceil(Math.sqrt(z.length)) + run);
  const r = Array.from({ length: lags + 1 }, (_, lag) => autocovariance(z, lag));
  if (!(r[0] > 0)) return 1;
  const limit = NOT_NEGLIGIBLE * Math.sqrt(Math.log10(z.length) / z.length);
  const negligible = r.map((value) => Math.abs(value / r[0]) < limit);
  // The last lag before the first run of negligible correlations.
  let last = -1;
  for (let m = 0; m + run <= lags && last < 0; m++) {
    if (negligible.slice(m + 1, m + 1 + run).every(Boolean)) last = m;
  }
  if (last < 0) last = negligible.lastIndexOf(false);
  const window = Math.min(2 * Math.max(1, last), lags);
  let [g, sum] = [0, r[0]];
  for (let k = 1; k <= window; k++) {
    const share = k / window;
    const weight = share <= 0.5 ? 1 : 2 * (1 - share);
    g += 2 * weight * k * r[k];
    sum += 2 * weight * r[k];
  }
  const d = (4 / 3) * sum * sum;
  return d > 0 ? Math.min(most, Math.cbrt((2 * g * g) / d) * Math.cbrt(n)) : most;
}

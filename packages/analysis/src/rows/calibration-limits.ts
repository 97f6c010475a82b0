import { upperChiSquared } from '../statistics/distributions.js';
import { checkLevel, type RowLimits } from './row-limits.js';

/** T² and Q of rows that are known to be good and had no part in the fit. */
export interface CalibrationRows {
  readonly t2: ArrayLike<number>;
  readonly q: ArrayLike<number>;
}

/**
 * Limits measured on rows that had no part in the fit: a calibration set, or the good rows of one group. They hold for rows of any
 * distribution. Of N rows, the limit is the value of rank (N + 1)·level, so a new good row passes it with probability 1 − level
 * (Vovk, Gammerman & Shafer 2005). If N is smaller than that needs, 19 rows for 95 %, a scaled χ² with the mean and the variance of the
 * rows continues them.
 *
 * ```ts
 * const good = await monitor(model, calibrationRows);
 * const limits = calibrationLimits(good, 0.99);
 * await monitor(model, rows, { limits });
 * ```
 */
export function calibrationLimits({ t2, q }: CalibrationRows, level = 0.95): RowLimits {
  checkLevel(level);
  const limit = { t2: limitOf(t2, level), q: limitOf(q, level) };
  const sums =
    limit.t2 === null || limit.q === null
      ? []
      : Array.from(t2, (value, i) => value / (limit.t2 as number) + q[i] / (limit.q as number));
  return {
    level,
    rows: 'new',
    ...limit,
    calibration: 'rows',
    combined: limitOf(sums, level),
    methods: { f: null, beta: null, jacksonMudholkar: null, box: null, matched: null },
  };
}

function limitOf(values: ArrayLike<number>, level: number): number | null {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  const rank = (n + 1) * level;
  if (rank <= n && n > 0) {
    const below = Math.max(1, Math.floor(rank));
    const above = Math.min(n, below + 1);
    return sorted[below - 1] + (rank - below) * (sorted[above - 1] - sorted[below - 1]);
  }
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n;
  const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  if (!(n > 1 && mean > 0 && variance > 0)) return null;
  const h = (2 * mean * mean) / variance;
  return Math.max(sorted[n - 1], (mean / h) * upperChiSquared(1 - level, h));
}

import type { ColumnFacts } from '../column-inspector.js';
import { columnDetails, type StructureCheck, titles, valuesOf } from './structure-check.js';

/** Fewest rows. */
const FEWEST_ROWS = 20;
/** Least skewness, and the most that its logarithm may have, as a share of it. */
const LEAST_SKEWNESS = 3;
const MOST_AFTER = 0.5;
/** Least skewness without the largest value, because one outlier is no reason for a logarithm. */
const LEAST_WITHOUT_LARGEST = 1.5;
/** Least ratio of the largest to the smallest value, and to the median: within a factor of 10 logarithms change little. */
const LEAST_RANGE = 10;
const LEAST_ABOVE_MEDIAN = 5;

/**
 * SKEWED_COLUMNS: columns of numbers above 0 with a long upper tail, which the logarithm makes nearly symmetric. Skewness is
 * m₃/m₂^1.5 of the sampled rows.
 */
export const skewedColumns: StructureCheck = {
  code: 'SKEWED_COLUMNS',
  find({ sample, measured }) {
    if (!sample || sample.rows < FEWEST_ROWS) return undefined;
    const found = measured.flatMap((column) => {
      const skewness = skewnessToMend(column, () => valuesOf(sample, column.index));
      return skewness === undefined ? [] : [{ column, skewness }];
    });
    if (found.length === 0) return undefined;
    const columns = found.sort((a, b) => b.skewness - a.skewness).map(({ column }) => column);
    const [are, their] = found.length === 1 ? ['Column', 'Its'] : ['Columns', 'Their'];
    return {
      message: `${are} ${titles(columns)} ${found.length === 1 ? 'is' : 'are'} very skewed: most values are small, and a few are many times larger. ${their} logarithms are nearly symmetric: columnTransform with 'log' for ${found.length === 1 ? 'this column' : 'these columns'}.`,
      details: { ...columnDetails(columns), skewness: found.map(({ skewness }) => skewness) },
    };
  },
};

/** The skewness of a column, if it is large and the logarithm would make it small; undefined otherwise. */
function skewnessToMend({ min, max, levels }: ColumnFacts, values: () => Float64Array): number | undefined {
  if (!(min > 0) || max < LEAST_RANGE * min || levels) return undefined;
  const own = values();
  const sorted = own.slice().sort();
  if (max < LEAST_ABOVE_MEDIAN * sorted[Math.floor(sorted.length / 2)]) return undefined;
  const skewness = skewnessOf(own);
  if (skewnessOf(sorted.subarray(0, sorted.length - 1)) < LEAST_WITHOUT_LARGEST) return undefined;
  const after = skewnessOf(own.map(Math.log));
  return skewness >= LEAST_SKEWNESS && Math.abs(after) <= MOST_AFTER * skewness ? skewness : undefined;
}

/** m₃/m₂^1.5, in units of the largest distance from the mean, so that no cube overflows. */
export function skewnessOf(values: Float64Array): number {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value / n, 0);
  const unit = values.reduce((most, value) => Math.max(most, Math.abs(value - mean)), 0);
  if (!(unit > 0)) return 0;
  let [second, third] = [0, 0];
  for (const value of values) {
    const distance = (value - mean) / unit;
    second += distance ** 2 / n;
    third += distance ** 3 / n;
  }
  return third / second ** 1.5;
}

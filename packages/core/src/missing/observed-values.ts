import type { ProgressTracker } from '../base/progress.js';
import { decoded } from '../data/blocks/float16.js';
import { checkBlockWidth, type RowSource } from '../data/blocks/row-source.js';
import { columnScales, type Scaling } from '../data/statistics/scaling.js';
import { emptyStatistics } from '../data/statistics/statistics.js';
import type { RowWeights } from '../data/statistics/weights.js';
import type { Settings } from '../options.js';

/** One reading of rows with gaps: what is missing, and the statistics of the values that are there. Rows of weight 0 count as missing or not, but have no part in sums. */
export interface ObservedValues {
  readonly rows: number;
  readonly cols: number;
  /** Σw over the rows. */
  readonly weight: number;
  /** Missing values of each column. */
  readonly missing: Float64Array;
  readonly rowsWithGaps: number;
  /** Rows without any value: the first ones, and their number. */
  readonly emptyRows: { readonly first: readonly number[]; readonly count: number };
  /** Of each column over its observed values: Σw, mean, Σw(x − mean)², range. */
  readonly weights: Float64Array;
  readonly means: Float64Array;
  readonly spreads: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
}

/** Empty rows that a warning names. */
const NAMED_ROWS = 5;

/**
 * Reads the rows once. Sums are about the first value of each column, so that data far from zero lose no digits. Spreads and ranges are
 * only summed with `ranges`.
 */
export async function observedValues(
  source: RowSource,
  weights: RowWeights,
  progress: ProgressTracker,
  ranges: boolean,
): Promise<ObservedValues> {
  const { cols } = source;
  const [first, min, max] = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) =>
    new Float64Array(cols).fill(value),
  );
  const [missing, totals, sums, squares] = [0, 0, 0, 0].map(() => new Float64Array(cols));
  const empty = { first: [] as number[], count: 0 };
  let [rows, rowsWithGaps, weight] = [0, 0, 0];
  progress.begin('missing values', source.rows, source.expectedRows);
  for await (const given of source.blocks()) {
    checkBlockWidth(given, source, rows);
    const own = weights.slice(rows, given.rows);
    const block = given.kind === 'dense' ? decoded(given) : undefined;
    for (let i = 0; block && i < block.rows; i++) {
      const w = own ? own[i] : 1;
      weight += w;
      let gaps = 0;
      for (let j = 0, at = i * block.stride; j < cols; j++, at++) {
        const x = block.data[at] - first[j];
        if (!Number.isNaN(x)) {
          totals[j] += w;
          sums[j] += w * x;
          if (!ranges) continue;
          squares[j] += w * x * x;
          if (x < min[j]) min[j] = x;
          if (x > max[j]) max[j] = x;
          continue;
        }
        const value = block.data[at];
        if (Number.isNaN(value)) {
          missing[j]++;
          gaps++;
          continue;
        }
        // The first value of the column.
        first[j] = value;
        totals[j] += w;
        min[j] = Math.min(min[j], 0);
        max[j] = Math.max(max[j], 0);
      }
      if (gaps > 0) rowsWithGaps++;
      if (gaps < cols) continue;
      empty.count++;
      if (empty.first.length < NAMED_ROWS) empty.first.push(rows + i);
    }
    rows += given.rows;
    const pause = progress.step(given.rows);
    if (pause) await pause;
  }
  weights.end(rows);
  progress.end();
  const means = first.map((value, j) => value + sums[j] / totals[j]);
  for (let j = 0; j < cols; j++) {
    min[j] += first[j];
    max[j] += first[j];
  }
  const spreads = squares.map((square, j) => Math.max(0, square - (sums[j] * sums[j]) / totals[j]));
  return { rows, cols, weight, missing, rowsWithGaps, emptyRows: empty, weights: totals, means, spreads, min, max };
}

/** The scales of columns by their observed values, for methods that keep them fixed. */
export function observedScaling(
  observed: ObservedValues,
  settings: Pick<Settings, 'scale' | 'center' | 'ddof' | 'columnWeights'>,
): Scaling {
  const { cols, weight, weights, means, spreads, min, max, rows } = observed;
  const { scale, center, ddof, columnWeights } = settings;
  const divisor = weight - ddof;
  const stats = emptyStatistics(cols);
  stats.rows = rows;
  stats.weight = weight;
  stats.mean.set(means);
  stats.min.set(min);
  stats.max.set(max);
  // `columnScales` divides by the weight of all rows, and the values of a column have less.
  for (let j = 0; j < cols; j++)
    stats.spread[j] = (spreads[j] * divisor) / Math.max(weights[j] - ddof, Number.MIN_VALUE);
  return columnScales(stats, scale, divisor, center, columnWeights);
}

import { runTaskSync } from '../base/progress.js';
import type { DenseBlock, Scaler } from '../data/blocks/block.js';
import { addRowCounts, type ColumnStatistics, checkFinite, emptyStatistics } from '../data/statistics/statistics.js';
import type { RowsAt } from './engine.js';
import {
  type ProvisionalMeans,
  provisionalScaler,
  ShiftedSums,
  sampleMeans,
  scatterAboutMeans,
  statisticsFromSums,
} from './provisional-means.js';

/**
 * Means, spreads, ranges and scatter of a block in one reading about provisional means (`engines/provisional-means.ts`). If a provisional
 * mean is too far from the mean, the rows are read again about the means that were found.
 */
export async function summariseOnePass(
  block: DenseBlock,
  { first, weights, columnNames }: RowsAt,
  scatter: Float64Array | undefined,
  float32: boolean,
  sum: (scaler: Scaler, sums: ShiftedSums) => Promise<void>,
): Promise<ColumnStatistics> {
  const stats = emptyStatistics(block.cols);
  addRowCounts(stats, block.rows, weights);
  let provisional: ProvisionalMeans = sampleMeans(block, weights);
  for (let reading = 0; ; reading++) {
    const sums = new ShiftedSums(block.cols);
    await sum(provisionalScaler(provisional, weights), sums);
    if (sums.bad !== undefined) runTaskSync(checkFinite(block, first, columnNames));
    if (stats.rows === 0) return stats;
    const good = statisticsFromSums(stats, provisional, sums, float32 ? 'float32' : 'float64');
    if ((good && sums.bad === undefined) || reading === 2) {
      // If products are float32, the squares that were summed in float64 are the more accurate spread.
      if (scatter) scatterAboutMeans(scatter, stats, provisional, sums, float32);
      return stats;
    }
    scatter?.fill(0);
    provisional = { shift: stats.mean.slice(), unit: stats.unit.slice() };
  }
}

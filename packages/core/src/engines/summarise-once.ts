import { runTaskSync } from '../base/progress.js';
import type { DenseBlock, Frame } from '../data/blocks/block.js';
import { addRowCounts, type ColumnStatistics, checkFinite, emptyStatistics } from '../data/statistics/statistics.js';
import type { RowsAt } from './engine.js';
import { type Pilot, PilotSums, pilotFrame, samplePilot, scatterAboutMeans, statisticsFromSums } from './pilot.js';

/**
 * Means, spreads, ranges and scatter of a block in one reading about a pilot (`engines/pilot.ts`). Where the pilot was bad, the
 * rows are read again about the mean that was found.
 */
export async function summariseOnce(
  block: DenseBlock,
  { first, weights, columnNames }: RowsAt,
  scatter: Float64Array | undefined,
  float32: boolean,
  sum: (frame: Frame, sums: PilotSums) => Promise<void>,
): Promise<ColumnStatistics> {
  const stats = emptyStatistics(block.cols);
  addRowCounts(stats, block.rows, weights);
  let pilot: Pilot = samplePilot(block, weights);
  for (let reading = 0; ; reading++) {
    const sums = new PilotSums(block.cols);
    await sum(pilotFrame(pilot, weights), sums);
    if (sums.bad !== undefined) runTaskSync(checkFinite(block, first, columnNames));
    if (stats.rows === 0) return stats;
    const good = statisticsFromSums(stats, pilot, sums, float32 ? 'float32' : 'float64');
    if ((good && sums.bad === undefined) || reading === 2) {
      // Where products are float32, the squares that were summed in float64 are the better spread.
      if (scatter) scatterAboutMeans(scatter, stats, pilot, sums, float32);
      return stats;
    }
    scatter?.fill(0);
    pilot = { shift: stats.mean.slice(), unit: stats.unit.slice() };
  }
}

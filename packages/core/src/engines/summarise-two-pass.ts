import { runTask } from '../base/progress.js';
import type { Block, Scaler } from '../data/blocks/block.js';
import { blockMeans, blockStatistics, weightOfRest } from '../data/statistics/block-statistics.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { LoadedBlock, OnStep, RowsAt } from './engine.js';

/**
 * The summary of a block in plain TypeScript, in two readings: the means of the columns first, then the scatter about them by a `gram`
 * pass. Works with every engine.
 */
export async function summariseTwoPass(
  block: Block,
  loaded: Pick<LoadedBlock, 'gram'>,
  { first, weights, columnNames }: RowsAt,
  scatter: Float64Array | undefined,
  onStep: OnStep,
  rough = false,
): Promise<ColumnStatistics> {
  // The diagonal of the scatter is the spread. For sparse blocks, which are scalerAboutMeans implicitly, and for a scatter below float64 precision,
  // the separately summed spread is more accurate.
  const takesDiagonal = scatter !== undefined && block.kind === 'dense' && !rough;
  const steps = (takesDiagonal ? blockMeans : blockStatistics)(block, weights, first, columnNames);
  const stats = await runTask(steps, () => onStep(0));
  if (stats.rows === 0 || !scatter) {
    await onStep(block.rows);
    return stats;
  }
  await loaded.gram(scalerAboutMeans(stats, weights), scatter, onStep);
  moveToWholeMeans(scatter, stats);
  if (takesDiagonal) for (let j = 0; j < block.cols; j++) stats.spread[j] = scatter[j * block.cols + j];
  return stats;
}

/** Moves the scatter from the rounded means to the means in two parts (`mean` + `meanRest`). */
export function moveToWholeMeans(scatter: Float64Array, stats: Readonly<ColumnStatistics>): void {
  const d = stats.mean.length;
  for (let i = 0; i < d; i++) {
    if (stats.meanRest[i] === 0) continue;
    for (let j = i; j < d; j++) scatter[i * d + j] -= weightOfRest(stats, i, j);
    scatter[i * d + i] = Math.max(0, scatter[i * d + i]);
  }
}

/** The scaler that centres columns on their means and divides them by their units. */
export function scalerAboutMeans(stats: Readonly<ColumnStatistics>, weights: Float64Array | undefined): Scaler {
  return {
    shift: stats.mean,
    factor: stats.unit.map((unit) => 1 / unit),
    ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}),
  };
}

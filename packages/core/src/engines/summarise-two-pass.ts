import { runTask } from '../base/progress.js';
import type { Block, Scaler } from '../data/blocks/block.js';
import { blockMeans, blockStatistics, weightOfRest } from '../data/statistics/block-statistics.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { LoadedBlock, OnStep, RowsAt } from './engine.js';

/**
 * The summary of a block in plain TypeScript, by two readings: the columns' own means first, then the scatter about
 * them as a `gram` pass. Every engine can use it.
 */
export async function summariseTwoPass(
  block: Block,
  loaded: Pick<LoadedBlock, 'gram'>,
  { first, weights, columnNames }: RowsAt,
  scatter: Float64Array | undefined,
  onStep: OnStep,
  rough = false,
): Promise<ColumnStatistics> {
  // The diagonal of the scatter is the spread. The spread is more accurate for sparse blocks, which are centred implicitly, and
  // where the scatter is summed in less than float64.
  const takesDiagonal = scatter !== undefined && block.kind === 'dense' && !rough;
  const steps = (takesDiagonal ? blockMeans : blockStatistics)(block, weights, first, columnNames);
  const stats = await runTask(steps, () => onStep(0));
  if (stats.rows === 0 || !scatter) {
    await onStep(block.rows);
    return stats;
  }
  await loaded.gram(centred(stats, weights), scatter, onStep);
  moveToWholeMeans(scatter, stats);
  if (takesDiagonal) for (let j = 0; j < block.cols; j++) stats.spread[j] = scatter[j * block.cols + j];
  return stats;
}

/** The scatter about the means as rounded becomes that about the whole means. */
export function moveToWholeMeans(scatter: Float64Array, stats: Readonly<ColumnStatistics>): void {
  const d = stats.mean.length;
  for (let i = 0; i < d; i++) {
    if (stats.meanRest[i] === 0) continue;
    for (let j = i; j < d; j++) scatter[i * d + j] -= weightOfRest(stats, i, j);
    scatter[i * d + i] = Math.max(0, scatter[i * d + i]);
  }
}

/** The scaler about the columns' means, in their units. */
export function centred(stats: Readonly<ColumnStatistics>, weights: Float64Array | undefined): Scaler {
  return {
    shift: stats.mean,
    factor: stats.unit.map((unit) => 1 / unit),
    ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}),
  };
}

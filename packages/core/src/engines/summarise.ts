import type { Block, Frame } from '../data/block.js';
import { blockMeans, blockStatistics, type ColumnStatistics } from '../data/statistics.js';
import type { Steps } from '../progress.js';
import type { Beat, LoadedBlock, RowsAt } from './engine.js';

/**
 * The summary of a block in plain TypeScript, by two readings: the columns' own means first, then the scatter about
 * them as a `gram` pass. Any engine can do it so.
 */
export async function summariseTwice(
  block: Block,
  loaded: Pick<LoadedBlock, 'gram'>,
  { first, weights, columnNames }: RowsAt,
  scatter: Float64Array | undefined,
  beat: Beat,
  rough = false,
): Promise<ColumnStatistics> {
  // The scatter's diagonal is the spread; sparse blocks know theirs better than implicit centring does, and any do where
  // the scatter is rough, summed in less than float64.
  const takesDiagonal = scatter !== undefined && block.kind === 'dense' && !rough;
  const steps = (takesDiagonal ? blockMeans : blockStatistics)(block, weights, first, columnNames);
  const stats = await follow(steps, () => beat(0));
  if (stats.rows === 0 || !scatter) {
    await beat(block.rows);
    return stats;
  }
  await loaded.gram(centred(stats, weights), scatter, beat);
  if (takesDiagonal) for (let j = 0; j < block.cols; j++) stats.spread[j] = scatter[j * block.cols + j];
  return stats;
}

/** The frame about the columns' means, in their units. */
export function centred(stats: Readonly<ColumnStatistics>, weights: Float64Array | undefined): Frame {
  return {
    shift: stats.mean,
    factor: stats.unit.map((unit) => 1 / unit),
    ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}),
  };
}

/** Runs stepwise work to its end, with a beat a step. */
export async function follow<Result>(steps: Steps<Result>, beat: Beat): Promise<Result> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    const pause = beat(next.value);
    if (pause) await pause;
  }
}

import type { Sums } from './sums.js';

/**
 * Runs tiles through BLAS: `lanes` tiles at the same time, tile i in lane i mod lanes, while the next one is read. Results are
 * added, and progress is reported, in the order of the tiles. When it returns or throws, no call is running.
 */
export async function pipeline<Tile>(
  count: number,
  lanes: number,
  read: (index: number) => Tile,
  visit: (tile: Tile, index: number, lane: number) => Promise<void>,
  sums: readonly Sums[],
  onStep: (index: number) => void | Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = [];
  const finish = async (index: number): Promise<void> => {
    await running[index % lanes];
    for (const sum of sums) sum.settle(index % lanes);
    const pause = onStep(index);
    if (pause) await pause;
  };
  try {
    for (let index = 0; index < count; index++) {
      const tile = read(index);
      if (index >= lanes) await finish(index - lanes);
      const started = visit(tile, index, index % lanes);
      // An error is thrown when it is this tile's turn in `finish`.
      started.catch(() => {});
      running[index % lanes] = started;
    }
    for (let index = Math.max(0, count - lanes); index < count; index++) await finish(index);
    for (const sum of sums) sum.finish();
  } finally {
    await Promise.allSettled(running);
  }
}

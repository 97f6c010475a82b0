import type { LaneSums } from './lane-sums.js';

/**
 * Runs tiles through BLAS: `lanes` tiles at the same time, tile i in lane i mod lanes, while the next tile is made. Results are added, and
 * progress is reported, in the order of the tiles. Up to `ahead` further tiles are made in advance and wait for their lane, so that no lane
 * waits for the others; in float32 `ahead` must be 0. No call is running when the function returns or throws.
 */
export async function pipeline<Tile>(
  tiles: Iterable<Tile>,
  lanes: number,
  visit: (tile: Tile, lane: number) => Promise<void>,
  sums: readonly LaneSums[],
  onStep: (tile: Tile) => void | Promise<void>,
  ahead = 0,
): Promise<void> {
  const last: (Promise<void> | undefined)[] = [];
  const running: { tile: Tile; lane: number; done: Promise<void> }[] = [];
  const finishFirst = async (): Promise<void> => {
    const { tile, lane, done } = running[0];
    await done;
    running.shift();
    for (const sum of sums) sum.settle(lane);
    const pause = onStep(tile);
    if (pause) await pause;
  };
  let index = 0;
  try {
    for (const tile of tiles) {
      if (running.length === lanes + ahead) await finishFirst();
      const lane = index++ % lanes;
      const done = (ahead > 0 && last[lane]?.then(() => visit(tile, lane))) || visit(tile, lane);
      last[lane] = done;
      // `finishFirst` throws the error of this tile.
      done.catch(() => {});
      running.push({ tile, lane, done });
    }
    while (running.length > 0) await finishFirst();
    for (const sum of sums) sum.finish();
  } finally {
    await Promise.allSettled(running.map(({ done }) => done));
  }
}

import { DataError, type RowSource } from '@scree/core';
import type { Scaler } from '@scree/core/data';
import { packTile, type RowWeights } from '@scree/core/data';

/** Some scaled rows, packed. */
export interface Tile {
  /** The index of the first row, not counting rows of weight 0. */
  readonly first: number;
  readonly rows: number;
  readonly data: Float64Array;
  /** The weights of its rows; undefined if rows have no weights. */
  readonly weights: Float64Array | undefined;
}

/**
 * The rows of a source that have weight, in tiles of equal size for any blocks of the source, so that sums over them are the same to
 * the last bit. The next tile reuses the arrays of a tile.
 */
export async function* rowTiles(
  source: RowSource,
  scaler: Scaler,
  weights: RowWeights,
  size: number,
  expected: number,
): AsyncGenerator<Tile, void, void> {
  const d = source.cols;
  const data = new Float64Array(size * d);
  const kept = weights.slice(0, 0) ? new Float64Array(size) : undefined;
  let [read, first, filled] = [0, 0, 0];
  for await (const block of source.blocks()) {
    const own = weights.slice(read, block.rows);
    for (let from = 0; from < block.rows; ) {
      if (own && own[from] === 0) {
        from++;
        continue;
      }
      let to = from + 1;
      const most = Math.min(block.rows, from + size - filled);
      while (to < most && !(own && own[to] === 0)) to++;
      packTile(block, scaler, { from, to, left: 0, right: d }, data.subarray(filled * d, (filled + to - from) * d));
      if (own && kept) kept.set(own.subarray(from, to), filled);
      filled += to - from;
      from = to;
      if (filled < size) continue;
      yield { first, rows: filled, data, weights: kept };
      first += filled;
      filled = 0;
    }
    read += block.rows;
  }
  if (filled > 0) yield { first, rows: filled, data, weights: kept?.subarray(0, filled) };
  if (first + filled !== expected) {
    throw new DataError(
      'SOURCE_CHANGED',
      `The source had ${expected} rows when it was first read and ${first + filled} now. Do not change data while they are analysed.`,
      { value: first + filled, expected },
    );
  }
}

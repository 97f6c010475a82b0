/**
 * Sizes of tiles. Large tiles make products fast, but rounding errors grow with the rows of a tile and with the number of tiles, and an
 * abort waits until a tile is done. In float32, the sums of each tile must also be added to sums in float64.
 *
 * A lane is one of the calls that run at the same time.
 */

/** Maximum bytes of a tile, and of all tiles that are in memory at the same time. */
const BYTES = 16 * 2 ** 20;
const ALL_BYTES = 60 * 2 ** 20;
const MOST_ROWS = 4096;
/** Maximum columns of a tile of whole columns: the chain of additions in one product of two rows. */
export const DUAL_COLS = 512;
/** Products of fewer lines are slow. */
const MIN_LINES = 256;
/** Minimum rows of a tile of wide data, because the vectors are read again for every tile. */
const WIDE_ROWS = 64;

/** Returns the number of tiles in memory: one per lane, and the tile that is being packed. */
export function tilesInMemory(lanes: number): number {
  return lanes + 1;
}

/** Returns the rows of a tile, for n rows of d columns, if `tiles` tiles are in memory. */
export function rowsPerTile(n: number, d: number, bytes: 4 | 8, lanes: number, tiles = tilesInMemory(lanes)): number {
  const most = ALL_BYTES / tiles;
  const usual = Math.floor(Math.min(BYTES, most) / (d * bytes));
  const wide = Math.min(WIDE_ROWS, Math.floor(most / (d * bytes)));
  return evenly(n, Math.max(1, Math.min(MOST_ROWS, Math.max(usual, wide))), lanes);
}

/** Returns the columns of a tile of whole columns, of `rows` rows, for products of rows with rows. */
export function columnsPerTile(rows: number, d: number, bytes: 4 | 8, lanes: number): number {
  const most = Math.min(BYTES, ALL_BYTES / tilesInMemory(lanes));
  return evenly(d, Math.max(16, Math.min(DUAL_COLS, Math.floor(most / (rows * bytes)))), lanes);
}

/** Returns the lines (rows or columns) per tile: about the same number of tiles for every lane, but enough lines for fast products. */
function evenly(lines: number, most: number, lanes: number): number {
  const tiles = lanes * Math.ceil(lines / (most * lanes));
  return Math.min(lines, Math.max(Math.min(most, MIN_LINES), Math.ceil(lines / tiles)));
}

/** Divides `lines` lines into parts of `height` lines, and yields the result of `make` for each part. */
export function* parts<Part>(
  lines: number,
  height: number,
  make: (from: number, count: number, index: number) => Part,
): Generator<Part> {
  for (let from = 0, index = 0; from < lines; from += height, index++) {
    yield make(from, Math.min(height, lines - from), index);
  }
}

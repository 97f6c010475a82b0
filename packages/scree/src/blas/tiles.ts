/**
 * How data are cut for BLAS. Large tiles make its products fast; rounding grows with the rows of a tile and with the number
 * of tiles, and an abort waits for one. float32 sums are kept short, because they round at 6e-8.
 */

/** Bytes of a tile, and of all tiles that are in memory at a time. */
const BYTES = 16 * 2 ** 20;
const ALL_BYTES = 60 * 2 ** 20;
const MOST_ROWS = { 8: 4096, 4: 1024 } as const;
/** Lines below which a product is not worth a call of its own. */
const FEWEST = 256;
/** Rows that products of wide data should have at the least: the vectors are read anew for every tile. */
const WIDE_ROWS = 64;

/** Tiles in memory at a time: one a lane, and the one that is being packed. */
export function tilesFor(lanes: number): number {
  return lanes + 1;
}

/** Rows of a tile of n rows of d columns. */
export function tileRows(n: number, d: number, bytes: 4 | 8, lanes: number): number {
  const most = ALL_BYTES / tilesFor(lanes);
  const usual = Math.floor(Math.min(BYTES, most) / (d * bytes));
  const wide = Math.min(WIDE_ROWS, Math.floor(most / (d * bytes)));
  return evenly(n, Math.max(1, Math.min(MOST_ROWS[bytes], Math.max(usual, wide))), lanes);
}

/** Columns of a tile of whole columns, of `rows` rows, for products of rows with rows. */
export function tileCols(rows: number, d: number, bytes: 4 | 8, lanes: number): number {
  const most = Math.min(BYTES, ALL_BYTES / tilesFor(lanes));
  return evenly(d, Math.max(16, Math.min(MOST_ROWS[bytes], Math.floor(most / (rows * bytes)))), lanes);
}

/** Lines of a tile, so that all lanes have as many, but no fewer lines than a product is fast with. */
function evenly(lines: number, most: number, lanes: number): number {
  const tiles = lanes * Math.ceil(lines / (most * lanes));
  return Math.min(lines, Math.max(Math.min(most, FEWEST), Math.ceil(lines / tiles)));
}

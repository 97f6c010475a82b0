/**
 * How data are cut for BLAS. Large tiles make its products fast; rounding grows with the rows of a tile and with the number
 * of tiles, and an abort waits for one. float32 sums are kept short, because they round at 6e-8.
 */

/** Bytes of a tile, and of all tiles that are in memory at a time. */
const BYTES = 16 * 2 ** 20;
const ALL_BYTES = 60 * 2 ** 20;
const MOST_ROWS = { 8: 4096, 4: 1024 } as const;
/** Rows that products of wide data should have at the least: the vectors are read anew for every tile. */
const WIDE_ROWS = 64;

/** Tiles in memory at a time: one a lane, and the one that is being packed. */
export function tilesFor(lanes: number): number {
  return lanes + 1;
}

/** Rows of a tile of d columns. */
export function tileRows(d: number, bytes: 4 | 8, lanes: number): number {
  const most = ALL_BYTES / tilesFor(lanes);
  const usual = Math.floor(Math.min(BYTES, most) / (d * bytes));
  const wide = Math.min(WIDE_ROWS, Math.floor(most / (d * bytes)));
  return Math.max(1, Math.min(MOST_ROWS[bytes], Math.max(usual, wide)));
}

/** Columns of a tile of `rows` rows, for products of rows with rows. */
export function tileCols(rows: number, bytes: 4 | 8, lanes: number): number {
  const most = Math.min(BYTES, ALL_BYTES / tilesFor(lanes));
  return Math.max(16, Math.min(MOST_ROWS[bytes], Math.floor(most / (rows * bytes))));
}

/**
 * How data are cut for BLAS. Large tiles make its products fast; rounding grows with the rows of a tile and with the number
 * of tiles, and an abort waits for one. float32 sums are kept short, because they round at 6e-8.
 */

const BYTES = 16 * 2 ** 20;
const MOST_BYTES = 64 * 2 ** 20;
const MOST_ROWS = { 8: 8192, 4: 1024 } as const;
/** Rows that products of wide data should have at the least: the vectors are read anew for every tile. */
const WIDE_ROWS = 64;

/** Rows of a tile of d columns. */
export function tileRows(d: number, bytes: 4 | 8): number {
  const usual = Math.floor(BYTES / (d * bytes));
  const wide = Math.min(WIDE_ROWS, Math.floor(MOST_BYTES / (d * bytes)));
  return Math.max(1, Math.min(MOST_ROWS[bytes], Math.max(usual, wide)));
}

/** Columns of a tile of `rows` rows, for products of rows with rows. */
export function tileCols(rows: number, bytes: 4 | 8): number {
  return Math.max(16, Math.min(MOST_ROWS[bytes], Math.floor(BYTES / (rows * bytes))));
}

/** Rows of a tile: sums run over a tile first and tiles are added up, so rounding grows with TILE + n/TILE, not n. */
export const TILE = 256;

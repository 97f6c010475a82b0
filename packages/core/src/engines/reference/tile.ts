/**
 * Rows per tile. Sums run over a tile first and then over the tiles, so rounding grows with REFERENCE_TILE_ROWS + n/REFERENCE_TILE_ROWS
 * instead of n.
 */
export const REFERENCE_TILE_ROWS = 256;

import type { DenseBlock } from '../../../data/blocks/block.js';

/** Most rows of a tile, and steps of a product before its sum is added to the others: rounding grows with TILE + n/TILE. */
export const TILE = 256;
/** Values of a chunk of tiles, which is copied in at once: 2 MB of float64, so that it is still in a cache when it is packed. */
const CHUNK_VALUES = 1 << 18;
/** Most values of a tile, which may be larger than a chunk: a tile has all columns. */
const MOST_TILE_VALUES = 1 << 20;
/** Most lines of a slot. */
const MOST_SLOT_LINES = 64;
/** Bytes before a slot's panels, as assembly/pack.ts has them. */
export const HEADER = 384;

/** Fewest rows of a tile where memory allows: with fewer, merging the sums costs more than computing them. */
const FEWEST_TILE_ROWS = 24;

/** RowRange of a tile of d columns: TILE, or what fits for wide data, a whole number of panels. */
export function tileRows(d: number): number {
  const values = Math.max(MOST_TILE_VALUES, Math.min(FEWEST_TILE_ROWS * d, 2.5 * MOST_TILE_VALUES));
  return Math.max(8, Math.min(TILE, Math.floor(values / d / 8) * 8));
}

/** The same for passes that make no d × d sums, which need not be long: as many rows as a cache holds. */
export function passRows(d: number): number {
  return Math.min(tileRows(d), Math.max(32, Math.floor(CHUNK_VALUES / d / 8) * 8));
}

/** Tiles of a chunk of d columns: as many as fit, at least one. */
export function chunkTiles(d: number, height: number): number {
  return Math.max(1, Math.floor(CHUNK_VALUES / (d * height)));
}

/** Columns of a chunk of whole columns of `rows` rows: a whole number of tiles. */
export function chunkCols(rows: number): number {
  return Math.max(TILE, Math.floor(MOST_TILE_VALUES / rows / TILE) * TILE);
}

/** Lines of a slot: few enough that there are jobs for several threads, enough that panels are reused. */
export function groupLines(lines: number): number {
  return lines > 448 ? MOST_SLOT_LINES : lines > 192 ? 32 : 16;
}

/**
 * Bytes of a slot of `lines` lines over `steps` steps: panels of 32 bytes per step, of 4 lines (or 8 for `float32`), and their
 * lists of 4 bytes per step.
 */
export function slotBytes(lines: number, steps: number, float32: boolean): number {
  return Math.ceil((HEADER + Math.ceil(lines / (float32 ? 8 : 4)) * steps * 36) / 64) * 64;
}

/** How assembly/entry.ts calls the types that data may be stored in. */
const CODES: readonly (readonly [typeof Float64Array, number])[] = (
  [
    [Float64Array, 0],
    [Float32Array, 1],
    [Uint8Array, 2],
    [Uint8ClampedArray, 2],
    [Int8Array, 3],
    [Uint16Array, 4],
    [Int16Array, 5],
    [Int32Array, 7],
    [Uint32Array, 8],
  ] as const
).map(([type, code]) => [type as unknown as typeof Float64Array, code]);
const HALF = 6;

export function typeCode({ data, half }: DenseBlock): number {
  return half ? HALF : (CODES.find(([type]) => data instanceof type)?.[1] as number);
}

/** Columns from which rows are read in strips of columns: longer rows leave the caches before all of them have been added up. */
export const WIDE_COLUMNS = 8192;
/** Bytes of rows in their scaler that may stay in the memory between passes with few vectors. */
export const MOST_RESIDENT_BYTES = 192 * 2 ** 20;
/** Vectors up to which panels are slower than rows as they lie. */
export const MOST_ROWWISE_VECTORS = 64;

/** Whether sums of rows times few scores are made in strips of columns. */
export function suitsStrips(cols: number, k: number): boolean {
  return cols > WIDE_COLUMNS && k <= MOST_ROWWISE_VECTORS;
}

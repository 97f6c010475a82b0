import type { DenseBlock } from '../../../data/blocks/block.js';

/** Maximum rows of a tile, and terms of a product per partial sum: rounding grows with TILE + n/TILE. */
export const TILE = 256;
/** Values of a chunk of tiles, which is copied in one step: 2 MB of float64, so that a cache still holds it when it is packed. */
const CHUNK_VALUES = 1 << 18;
/** Maximum values of a tile. A tile has all columns, so it may be larger than a chunk. */
const MOST_TILE_VALUES = 1 << 20;
/** Maximum lines of a slot. */
const MOST_SLOT_LINES = 64;
/** Bytes before a slot's panels, as in assembly/pack.ts. */
export const HEADER = 384;

/** Minimum rows of a tile, if memory allows: with fewer, merging the sums costs more than computing them. */
const FEWEST_TILE_ROWS = 24;

/** Rows of a tile of d columns: TILE, or fewer for wide data. A whole number of panels. */
export function tileRows(d: number): number {
  const values = Math.max(MOST_TILE_VALUES, Math.min(FEWEST_TILE_ROWS * d, 2.5 * MOST_TILE_VALUES));
  return Math.max(8, Math.min(TILE, Math.floor(values / d / 8) * 8));
}

/** Rows of a tile in passes without d × d sums: the rows that a cache holds. */
export function passRows(d: number): number {
  return Math.min(tileRows(d), Math.max(32, Math.floor(CHUNK_VALUES / d / 8) * 8));
}

/** Tiles of a chunk of d columns: all that fit, at least one. */
export function chunkTiles(d: number, height: number): number {
  return Math.max(1, Math.floor(CHUNK_VALUES / (d * height)));
}

/** Columns of a chunk of whole columns of `rows` rows: a whole number of tiles. */
export function chunkCols(rows: number): number {
  return Math.max(TILE, Math.floor(MOST_TILE_VALUES / rows / TILE) * TILE);
}

/** Lines of a slot: few enough for several jobs per tile, enough to reuse panels. */
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

/** The type codes of assembly/entry.ts. */
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

/** Wider rows are read in strips of columns, because caches do not hold the sums of all columns. */
export const WIDE_COLUMNS = 8192;
/** Maximum bytes of scaled rows that stay in memory between passes with few vectors. */
export const MOST_RESIDENT_BYTES = 192 * 2 ** 20;
/** Up to this number of vectors, unpacked rows are faster than panels. */
export const MOST_ROWWISE_VECTORS = 64;

/** Returns true if `multiplyTransposed` reads strips of columns. */
export function suitsStrips(cols: number, k: number): boolean {
  return cols > WIDE_COLUMNS && k <= MOST_ROWWISE_VECTORS;
}

import type { Gpu } from './device.js';
import {
  GPU_TILE,
  MATMUL_PARAMS,
  type MatmulKind,
  matmulCode,
  NARROW_TILE,
  REDUCE_PARAMS,
  reduceCode,
  TERMS_PER_STEP,
} from './matmul-code.js';

/** A matrix on the device in two parts, padded with zeros to multiples of 64 in both directions. */
export interface GpuMatrix {
  readonly high: GPUBuffer;
  /** Undefined if float32 is enough. */
  readonly low: GPUBuffer | undefined;
  /** Distance between rows. */
  readonly ld: number;
}

/** Sums of products whose parts are not added up yet. */
export interface ProductSums {
  readonly c: GPUBuffer;
  readonly rows: number;
  readonly ld: number;
  /** The number of parts, and the terms of each part. */
  readonly parts: number;
  readonly part: number;
}

/** Maximum bytes of the sums of a pass. */
const SUM_BYTES = 128 * 2 ** 20;
/** Number of workgroups that keep a large device busy. */
const BUSY = 2048;
/** Minimum terms of a part, and maximum parts. */
const LEAST_PART = 256;
const MOST_PARTS = 16;
/** Time of an operation in two parts relative to float32. */
const TWO_COST = 12;

/** Returns true if a product with n columns is computed in narrow tiles. */
export const isNarrowProduct = (n: number): boolean => n <= 2 * NARROW_TILE;

export const padded = (size: number): number => Math.ceil(size / GPU_TILE) * GPU_TILE;

/** Returns the number of columns of m × n sums that fit into memory together: a multiple of 64. */
export function panelWidth(gpu: Gpu, m: number, n: number): number {
  const most = Math.floor(Math.min(SUM_BYTES, gpu.largestBinding) / (8 * padded(m) * GPU_TILE)) * GPU_TILE;
  return Math.min(padded(n), Math.max(GPU_TILE, most));
}

/**
 * Divides sums of `terms` terms into parts that run at the same time, if there are too few tiles to keep a device busy. The parts depend on
 * the shape alone, so that the same input gives the same bits on a device.
 */
export function planSums(m: number, n: number, terms: number): Omit<ProductSums, 'c'> {
  const [rows, ld] = [padded(m), padded(n)];
  const tiles = (rows / GPU_TILE) * (isNarrowProduct(n) ? Math.ceil(n / NARROW_TILE) : ld / GPU_TILE);
  const room = Math.floor(SUM_BYTES / (8 * rows * ld));
  const parts = Math.max(1, Math.min(Math.ceil(BUSY / tiles), MOST_PARTS, room, Math.floor(terms / LEAST_PART)));
  const part = Math.ceil(terms / parts / TERMS_PER_STEP) * TERMS_PER_STEP;
  return { rows, ld, parts: Math.ceil(terms / part), part };
}

export const sumBytes = ({ parts, rows, ld }: Omit<ProductSums, 'c'>): number => 8 * parts * rows * ld;

/** Adds AᵀB or ABᵀ to the sums, or replaces them. The sums begin at column `column` of the product. */
export async function addProducts(
  gpu: Gpu,
  { over, precision }: Omit<MatmulKind, 'narrow'>,
  a: GpuMatrix,
  b: GpuMatrix,
  sums: ProductSums,
  {
    n,
    terms,
    column = 0,
    upper = false,
    add = false,
  }: { n: number; terms: number; column?: number; upper?: boolean; add?: boolean },
  onSlice: () => void | Promise<void>,
): Promise<void> {
  const narrow = isNarrowProduct(n) && column === 0 && !upper;
  const width = narrow ? NARROW_TILE : GPU_TILE;
  const name = `matmul ${over} ${precision}${narrow ? ' narrow' : ''}`;
  const pipeline = gpu.pipeline(name, () => matmulCode({ over, precision, narrow }, gpu.arithmetic));
  const two = precision === 'two';
  const buffers = two ? [sums.c, a.high, b.high, a.low!, b.low!] : [sums.c, a.high, b.high];
  const across = Math.ceil(n / width);
  const perTile = 2 * GPU_TILE * width * terms * (two ? TWO_COST : 1);
  const rowTiles = sums.rows / GPU_TILE;
  for (let tile = 0, count = 1; tile < rowTiles; tile += count) {
    // Dispatches all rows of tiles that fit into a slice, or one row in pieces. The size of a slice may change after each dispatch.
    count = Math.min(rowTiles - tile, Math.max(1, Math.floor(gpu.slice / (perTile * across))));
    for (let skip = 0, columns = across; skip < across; skip += columns) {
      if (count === 1) columns = Math.min(across - skip, Math.max(1, Math.floor(gpu.slice / perTile)));
      const given: Record<(typeof MATMUL_PARAMS)[number], number> = {
        rowTile: tile,
        columnTile: column / width,
        skip,
        terms,
        lda: a.ld,
        ldb: b.ld,
        ldc: sums.ld,
        rowsC: sums.rows,
        part: sums.part,
        upper: upper ? 1 : 0,
        add: add ? 1 : 0,
      };
      const params = MATMUL_PARAMS.map((key) => given[key]);
      gpu.dispatch(pipeline, params, buffers, [columns, count, sums.parts]);
      await gpu.step(perTile * columns * count * (upper ? 0.5 : 1), onSlice);
    }
  }
}

/** Adds up the parts of the sums into a matrix in two float32 parts. */
export function reduceSums(gpu: Gpu, sums: ProductSums, into: GpuMatrix): void {
  const pipeline = gpu.pipeline('reduce', () => reduceCode(gpu.arithmetic));
  const count = sums.rows * sums.ld;
  const width = Math.min(count, 2 ** 20);
  const given: Record<(typeof REDUCE_PARAMS)[number], number> = { count, parts: sums.parts, width };
  const groups = [Math.ceil(width / 256), Math.ceil(count / width)] as const;
  gpu.dispatch(
    pipeline,
    REDUCE_PARAMS.map((key) => given[key]),
    [sums.c, into.high, into.low!],
    groups,
  );
}

/** Reads a matrix back row by row. `visit` receives the high and low parts of a piece, and the start of the row in them. */
export async function readMatrixRows(
  gpu: Gpu,
  { high, low, ld }: GpuMatrix,
  rows: number,
  visit: (row: number, high: Float32Array, low: Float32Array, at: number) => void,
): Promise<void> {
  const read = ([h, l]: Float32Array[], start: number): void => {
    for (let at = 0; at < h.length; at += ld) visit((start + at) / ld, h, l, at);
  };
  await gpu.read([high, low!], rows * ld, read, ld);
}

/** Reads a matrix back row by row. `visit` receives the first `cols` entries (high + low) of each row, in an array that is reused. */
export async function readMatrix(
  gpu: Gpu,
  matrix: GpuMatrix,
  rows: number,
  cols: number,
  visit: (row: number, values: Float64Array) => void,
): Promise<void> {
  const values = new Float64Array(cols);
  await readMatrixRows(gpu, matrix, rows, (row, high, low, at) => {
    joinParts(high, low, at, values, 0, cols);
    visit(row, values);
  });
}

/** Writes high + low of `length` entries. A separate function, so that it is compiled early. */
export function joinParts(
  high: Float32Array,
  low: Float32Array,
  at: number,
  into: Float64Array,
  to: number,
  length: number,
): void {
  for (let j = 0; j < length; j++) into[to + j] = high[at + j] + low[at + j];
}

/** Splits rows × cols numbers times their scales into high and low parts, padded to `ld` columns and a multiple of 64 rows. */
export function splitNumbers(
  numbers: Float64Array,
  rows: number,
  cols: number,
  ld: number,
  scale: (row: number, col: number) => number,
): { high: Float32Array; low: Float32Array } {
  const high = new Float32Array(padded(rows) * ld);
  const low = new Float32Array(high.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const x = numbers[i * cols + j] * scale(i, j);
      const h = Math.fround(x);
      high[i * ld + j] = h;
      low[i * ld + j] = x - h;
    }
  }
  return { high, low };
}

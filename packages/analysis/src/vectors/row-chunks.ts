import { DataError, type RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { decodeHalf, isFloat32Array } from '@scree/core/data';
import type { ProgressTracker } from '@scree/core/pipeline';
import { squareOf } from './query/exact-products.js';

/** Rows per chunk: the products of 2,048 rows with 1,000 queries take 16 MB. */
export const CHUNK_ROWS = 2048;

/** Consecutive rows as float32 numbers. The next chunk may reuse the memory. */
export interface RowChunk {
  /** Index of the first row. */
  readonly first: number;
  readonly rows: number;
  /** Row-major, without gaps between rows. */
  readonly data: Float32Array;
  /** ‖x‖² of every row. */
  readonly squares: Float64Array;
}

/**
 * Reads a source in chunks of float32 rows. Chunks of float32 matrices are views. Throws for numbers that are not finite. With a `phase`,
 * reports progress.
 */
export async function* rowChunks(
  source: RowSource,
  progress: ProgressTracker,
  phase?: string,
): AsyncGenerator<RowChunk, void, void> {
  const { cols: d } = source;
  if (phase) progress.begin(phase, source.rows, source.expectedRows);
  let buffer: Float32Array | undefined;
  let filled = 0;
  let first = 0;
  for await (const block of source.blocks()) {
    let from = 0;
    while (from < block.rows) {
      const view = filled === 0 ? viewOf(block, from) : undefined;
      const rows = Math.min(CHUNK_ROWS - filled, block.rows - from);
      if (view) yield chunkOf(view, first, rows, d);
      else {
        buffer ??= new Float32Array(CHUNK_ROWS * d);
        copyRows(block, from, rows, buffer, filled * d);
        filled += rows;
        if (filled === CHUNK_ROWS) yield chunkOf(buffer, first, filled, d);
      }
      from += rows;
      if (view || filled === CHUNK_ROWS) {
        first += view ? rows : filled;
        filled = 0;
        const pause = progress.step(phase ? rows : 0);
        if (pause) await pause;
      }
    }
  }
  if (filled > 0 && buffer) yield chunkOf(buffer, first, filled, d);
  if (phase) progress.end();
}

function chunkOf(data: Float32Array, first: number, rows: number, d: number): RowChunk {
  const squares = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    squares[i] = squareOf(data, i * d, d);
    if (!Number.isFinite(squares[i])) throw notFinite(first + i, data.subarray(i * d, (i + 1) * d));
  }
  return { first, rows, data: data.subarray(0, rows * d), squares };
}

function notFinite(row: number, values: Float32Array): DataError {
  const column = values.findIndex((value) => !Number.isFinite(value));
  return new DataError(
    'NOT_FINITE',
    `Vector ${row} has a number that is not finite in float32, at position ${column}. Leave the vector out.`,
    { row, column },
  );
}

/** The rows from `from` on without a copy, if the block has them as float32 without gaps, and enough of them for a chunk. */
function viewOf(block: Block, from: number): Float32Array | undefined {
  if (block.kind !== 'dense' || block.stride !== block.cols || !isFloat32Array(block.data)) return undefined;
  if (block.rows < CHUNK_ROWS / 2) return undefined;
  return block.data.subarray(from * block.cols, block.rows * block.cols) as Float32Array;
}

function copyRows(block: Block, from: number, rows: number, into: Float32Array, at: number): void {
  const { cols } = block;
  if (block.kind === 'dense') {
    for (let i = from; i < from + rows; i++, at += cols) {
      const row = block.data.subarray(i * block.stride, i * block.stride + cols);
      into.set(block.half ? decodeHalf(row) : row, at);
    }
    return;
  }
  into.fill(0, at, at + rows * cols);
  for (let i = from; i < from + rows; i++, at += cols) {
    for (let entry = block.indptr[i]; entry < block.indptr[i + 1]; entry++) {
      into[at + block.indices[entry]] = block.data[entry];
    }
  }
}

/** The rows with these indexes, in this order: a row may occur several times. One reading. */
export async function gatherRows(
  source: RowSource,
  indexes: Iterable<number>,
  progress: ProgressTracker,
): Promise<Float32Array> {
  const { cols: d } = source;
  const order = [...indexes].map((row, place) => ({ row, place })).sort((a, b) => a.row - b.row);
  const out = new Float32Array(order.length * d);
  let next = 0;
  for await (const { first, rows, data } of rowChunks(source, progress, 'sampling vectors')) {
    for (; next < order.length && order[next].row < first + rows; next++) {
      const { row, place } = order[next];
      out.set(data.subarray((row - first) * d, (row - first + 1) * d), place * d);
    }
  }
  return out;
}

import { DataError, type RowSource } from '@scree/core';
import type { Block, DenseBlock } from '@scree/core/data';
import { decodeHalf } from '@scree/core/data';
import type { ProgressTracker } from '@scree/core/pipeline';
import { STORED_TYPES, storedTypeOf } from '../disk/stored-type.js';

/**
 * The rows of a source in dense blocks of `rows` rows; the last one may be shorter. Parts of large blocks are not
 * copied. Small blocks are collected in a buffer that is reused. An abort takes effect even while the source waits.
 */
export async function* evenBlocks(
  source: RowSource,
  rows: number,
  progress: Pick<ProgressTracker, 'orAbort' | 'aborted'>,
): AsyncGenerator<DenseBlock, void, void> {
  const blocks = source.blocks();
  const iterator = Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]();
  let gathered: DenseBlock | undefined;
  let filled = 0;
  let first = 0;
  try {
    for (;;) {
      const next = await progress.orAbort(Promise.resolve(iterator.next()));
      if (next.done) break;
      const given: Block = next.value;
      if (given.cols !== source.cols) {
        throw new DataError(
          'RAGGED_ROWS',
          `The rows from ${first} on have ${given.cols} columns, but earlier rows have ${source.cols}.`,
          { row: first, value: given.cols, expected: source.cols },
        );
      }
      const block = dense(given);
      let from = 0;
      while (from < block.rows) {
        if (filled === 0 && block.rows - from >= rows) {
          yield part(block, from, from + rows);
          from += rows;
          continue;
        }
        if (filled === 0) gathered = bufferFor(gathered, block, rows);
        else if (gathered && storedTypeOf(gathered) !== storedTypeOf(block)) gathered = asDouble(gathered, rows);
        const into = gathered as DenseBlock;
        const some = Math.min(rows - filled, block.rows - from);
        copy(block, from, from + some, into, filled);
        filled += some;
        from += some;
        if (filled < rows) continue;
        filled = 0;
        yield into;
      }
      first += block.rows;
    }
    if (filled > 0 && gathered) yield part(gathered, 0, filled);
  } finally {
    // If the source is stuck, `return` does not end.
    const left = iterator.return?.();
    if (progress.aborted) Promise.resolve(left).catch(() => {});
    else await left;
  }
}

function part(block: DenseBlock, from: number, to: number): DenseBlock {
  return {
    ...block,
    rows: to - from,
    data: block.data.subarray(from * block.stride, (to - 1) * block.stride + block.cols),
  };
}

/** A buffer for rows of the block's type: the existing one if it fits. */
function bufferFor(there: DenseBlock | undefined, { cols, data, half = false }: DenseBlock, rows: number): DenseBlock {
  const type = storedTypeOf({ data, half });
  if (there && storedTypeOf(there) === type) return there;
  return { kind: 'dense', rows, cols, stride: cols, data: STORED_TYPES[type].make(rows * cols), half };
}

function asDouble({ cols, data, half }: DenseBlock, rows: number): DenseBlock {
  const values = Float64Array.from(half ? decodeHalf(data) : data);
  return { kind: 'dense', rows, cols, stride: cols, data: values };
}

function copy(block: DenseBlock, from: number, to: number, into: DenseBlock, at: number): void {
  const { cols, stride } = block;
  for (let i = from; i < to; i++, at++) {
    const row = block.data.subarray(i * stride, i * stride + cols);
    into.data.set(block.half && !into.half ? decodeHalf(row) : row, at * into.stride);
  }
}

function dense(block: Block): DenseBlock {
  if (block.kind === 'dense') return block;
  const { rows, cols, indptr, indices, data } = block;
  const values = STORED_TYPES[storedTypeOf({ data })].make(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let at = indptr[i]; at < indptr[i + 1]; at++) values[i * cols + indices[at]] = data[at];
  }
  return { kind: 'dense', rows, cols, stride: cols, data: values };
}

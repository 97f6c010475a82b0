import type { NumberArray } from '@scree/core';
import type { Block, DenseBlock } from '@scree/core/data';
import { decodeHalf } from '@scree/core/data';
import type { Column, DenseBatch, Request, Table } from '@scree/files/platform';
import { openCompressed } from './open-compressed.js';

/** Opens a compressed file as a table of its decoded rows, so that every command can read it. */
export async function openCompressedTable(path: string): Promise<Table> {
  const { source, cols, rows, dtype, columnNames, close } = await openCompressed(path);
  const column = (j: number): Column => ({ name: columnNames?.[j] ?? String(j), kind: 'number', type: dtype });
  return {
    format: 'scree, compressed',
    get columns() {
      return Array.from({ length: cols }, (_, j) => column(j));
    },
    width: cols,
    named: columnNames !== undefined,
    uniform: columnNames === undefined,
    rows,
    dtype: () => source.dtype,
    // Scores are checked when they are unpacked, so every value is a number.
    mayMissValues: false,
    checkMissing: false,
    rereadable: true,
    async *read(request) {
      for await (const block of source.blocks()) yield chosen(block, request);
    },
    close,
  };
}

function chosen(block: Block, { numbers, text }: Request): DenseBatch {
  if (block.kind !== 'dense') throw new TypeError('compressed rows are dense');
  const texts = text === undefined ? undefined : Array.from(columnOf(block, text), String);
  const all = numbers === 'all' || (numbers.length === block.cols && numbers.every((from, j) => from === j));
  return { block: all ? block : gathered(block, numbers), text: texts };
}

function gathered(block: DenseBlock, numbers: readonly number[]): DenseBlock {
  const { rows, stride, data } = block;
  const cols = numbers.length;
  const Values = data.constructor as new (length: number) => NumberArray;
  const to = new Values(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) to[i * cols + j] = data[i * stride + numbers[j]];
  }
  return { ...block, cols, stride: cols, data: to };
}

function columnOf({ rows, stride, data, half }: DenseBlock, column: number): NumberArray {
  const values = data.slice(0, rows);
  for (let i = 0; i < rows; i++) values[i] = data[i * stride + column];
  return half ? decodeHalf(values) : values;
}

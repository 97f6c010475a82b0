import { mapAsync } from '../base/map-async.js';
import type { Block, DenseBlock } from '../data/blocks/block.js';
import { blockColumns } from '../data/blocks/block-rows.js';
import { decoded } from '../data/blocks/float16.js';
import { changeTable, type ReadRequest, type Table } from './table.js';

/**
 * The table, which is not sparse, with some columns of numbers once more after all others. Later steps may change the first ones,
 * such as fill their missing values, and the repeated ones stay as they are.
 */
export function repeatColumns<Value>(table: Table<Value>, repeated: readonly number[]): Table<Value> {
  const { width } = table;
  const original = (j: number): number => (j < width ? j : repeated[j - width]);
  return changeTable<Value>(table, {
    get columns() {
      return [...table.columns, ...repeated.map((j) => table.columns[j])];
    },
    width: width + repeated.length,
    uniform: false,
    shape: undefined,
    remote: undefined,
    dtype: (numbers) => table.dtype(numbers === 'all' ? 'all' : numbers.map(original)),
    read: (request) => {
      const { numbers, ...others } = request;
      const asked = numbers === 'all' ? Array.from({ length: width + repeated.length }, (_, j) => j) : numbers;
      if (numbers !== 'all' && asked.every((j) => j < width)) return table.read(request);
      // No reader gives a column twice.
      const own = [...new Set(asked.map(original))];
      const slots = new Map(own.map((j, slot) => [j, slot]));
      const places = asked.map((j) => slots.get(original(j)) ?? 0);
      const inner: ReadRequest = { ...others, numbers: own };
      return mapAsync(table.read(inner), (batch) => ({ ...batch, block: pick(batch.block, places) }));
    },
  });
}

function pick(block: Block, places: readonly number[]): DenseBlock {
  const dense = block.kind === 'dense' ? block : blockColumns(block, [...Array(block.cols).keys()]);
  const { rows, stride, data } = decoded(dense);
  const cols = places.length;
  const Values = data instanceof Float32Array ? Float32Array : Float64Array;
  const picked = new Values(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) picked[i * cols + j] = data[i * stride + places[j]];
  }
  return { kind: 'dense', rows, cols, stride: cols, data: picked };
}

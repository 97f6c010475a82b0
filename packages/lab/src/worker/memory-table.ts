import type { Matrix, NumberArray } from '@scree/core';
import { type DenseBlock, rowsOfBlock, sourceTable, type Table } from '@scree/core/data';

/** Bytes of a batch: table steps copy the batches that they change. */
const BATCH_BYTES = 8 << 20;

/** Numbers in memory as a table, so that table steps choose its columns and handle missing values as they do for a file. */
export function memoryTable(numbers: Matrix<NumberArray>): Table {
  const { rows, cols, data } = numbers;
  return sourceTable({
    rows,
    cols,
    dtype: data instanceof Float32Array ? 'float32' : 'float64',
    rereadable: true,
    resident: true,
    blocks: () => matrixBlocks(numbers, Math.floor(BATCH_BYTES / (data.BYTES_PER_ELEMENT * cols))),
  });
}

/** The rows of a matrix, in blocks of at most `height` rows. The numbers are not copied. */
export function* matrixBlocks(
  { rows, cols, data }: Matrix<NumberArray>,
  height: number,
): Generator<DenseBlock, void, void> {
  const whole: DenseBlock = { kind: 'dense', rows, cols, stride: cols, data };
  const step = Math.max(1, height);
  for (let from = 0; from < rows; from += step)
    yield rowsOfBlock(whole, from, Math.min(rows, from + step)) as DenseBlock;
}

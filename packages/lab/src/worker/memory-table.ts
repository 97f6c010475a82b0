import type { Matrix, NumberArray } from '@scree/core';
import type { DenseBatch, ReadRequest, Table } from '@scree/files/platform';

/** Bytes per batch: batches are copies, because their reader drops and fills rows in place. */
const BATCH_BYTES = 8 << 20;

/**
 * Numbers in memory as a table, so that columns are chosen and missing values are handled by the code that does it for
 * files. Columns without names are named by their indexes, '0' and up; names of files need not be unique.
 */
export function memoryTable({ rows, cols: width, data }: Matrix<NumberArray>, names?: readonly string[]): Table {
  const columns = Array.from(
    { length: width },
    (_, j) => ({ name: names?.[j] ?? String(j), kind: 'number', type: 'number' }) as const,
  );
  const isFloat = data instanceof Float32Array || data instanceof Float64Array;
  return {
    format: 'memory',
    columns,
    width,
    named: names !== undefined,
    uniform: true,
    rows,
    dtype: () => (data instanceof Float32Array ? 'float32' : 'float64'),
    mayMissValues: isFloat,
    checkMissing: isFloat,
    rereadable: true,
    read,
    close: async () => {},
  };

  async function* read({ numbers }: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const used = numbers === 'all' ? [...columns.keys()] : numbers;
    const cols = used.length;
    const height = Math.max(1, Math.floor(BATCH_BYTES / (data.BYTES_PER_ELEMENT * Math.max(1, cols))));
    const Values = data.constructor as new (length: number) => NumberArray;
    for (let from = 0; from < rows; from += height) {
      const count = Math.min(height, rows - from);
      const batch = new Values(count * cols);
      for (let i = 0, to = 0; i < count; i++) {
        const start = (from + i) * width;
        for (let c = 0; c < cols; c++) batch[to++] = data[start + used[c]];
      }
      yield { block: { kind: 'dense', rows: count, cols, stride: cols, data: batch }, texts: [] };
    }
  }
}

import { DataError } from '@scree/core';
import { decoded, rowNumberOf } from '@scree/core/data';
import type { FileRows } from './file-rows.js';

/** One weight per row. */
export async function readWeights(rows: FileRows, weight: number): Promise<Float64Array> {
  const { complete } = rows;
  const columnName = complete.columns[weight].name;
  const parts: Float64Array[] = [];
  let count = 0;
  for await (const batch of complete.read({ numbers: [weight] })) {
    const { block } = batch;
    if (block.kind === 'sparse') throw new TypeError('Sparse rows have no weights.');
    const { data, stride } = decoded(block);
    const part = Float64Array.from({ length: block.rows }, (_, i) => data[i * stride]);
    const missing = part.findIndex(Number.isNaN);
    if (missing >= 0) {
      const row = rowNumberOf(batch, missing, count);
      throw new DataError(
        'MISSING_VALUES',
        `The weight of row ${row + 1} is missing (column ${JSON.stringify(columnName)}). Fill it in, or drop such rows.`,
        { ...rows.place(row), columnName },
      );
    }
    count += part.length;
    parts.push(part);
  }
  const whole = new Float64Array(count);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

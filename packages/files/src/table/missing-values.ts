import { DataError } from '@scree/core';
import { decoded, rowNumberOf, type Table } from '@scree/core/data';
import type { ColumnRoles } from './column-roles.js';
import type { MissingValues } from './data-file.js';

/** Counts the missing values of the columns that are analysed, in one reading. */
export async function countMissing(
  table: Table,
  { used, cols }: ColumnRoles,
  nameOf: (column: number) => string,
): Promise<MissingValues> {
  const counts = new Float64Array(cols);
  let [rows, incomplete] = [0, 0];
  let first: number | undefined;
  for await (const batch of table.read({ numbers: used })) {
    const { block } = batch;
    if (block.kind === 'dense') {
      const { data, cols, stride } = decoded(block);
      for (let i = 0; i < block.rows; i++) {
        let gaps = 0;
        for (let j = 0; j < cols; j++) {
          if (!Number.isNaN(data[i * stride + j])) continue;
          counts[j]++;
          gaps++;
        }
        if (gaps === 0) continue;
        incomplete++;
        first ??= rowNumberOf(batch, i, rows);
      }
    }
    rows += block.rows;
  }
  const columns = [...counts].map((count, j) => ({ name: nameOf(j), count })).filter(({ count }) => count > 0);
  return { rows, incomplete, first, columns };
}

/** Weighted means of the values that are not missing, in one reading. Sums are about the first value of each column. */
export async function columnMeans(
  table: Table,
  { cols, usedAndWeight, weight }: Pick<ColumnRoles, 'cols' | 'usedAndWeight' | 'weight'>,
  nameOf: (column: number) => string,
): Promise<Float64Array> {
  const [firstValues, sums, totals] = [
    new Float64Array(cols).fill(Number.NaN),
    new Float64Array(cols),
    new Float64Array(cols),
  ];
  for await (const { block } of table.read({ numbers: usedAndWeight })) {
    if (block.kind === 'sparse') continue;
    const { data, rows, stride, cols: width } = decoded(block);
    for (let i = 0; i < rows; i++) {
      const share = weight === undefined ? 1 : data[i * stride + width - 1];
      for (let j = 0; j < cols; j++) {
        const value = data[i * stride + j];
        if (Number.isNaN(value) || !(share > 0)) continue;
        if (Number.isNaN(firstValues[j])) firstValues[j] = value;
        sums[j] += share * (value - firstValues[j]);
        totals[j] += share;
      }
    }
  }
  return firstValues.map((value, j) => {
    if (Number.isNaN(value)) {
      throw new DataError(
        'MISSING_VALUES',
        `Column ${JSON.stringify(nameOf(j))} has no value at all, so it has no mean. Leave it out with exclude.`,
        { column: j, columnName: nameOf(j), reason: 'empty-column' },
      );
    }
    return value + sums[j] / totals[j];
  });
}

import { DataError } from '@scree/core';
import type { DenseBlock } from '@scree/core/data';
import { decoded, numbersOf } from '@scree/core/data';
import type { Choice } from './choose-columns.js';
import type { MissingValues } from './data-file.js';
import type { GapCounts } from './gap-counts.js';
import type { DenseBatch, Table } from './table.js';

/** Missing values of the columns used, in one reading. `rowOf` says where a row of the table is in the file. */
export async function countMissing(
  table: Table,
  { used, cols }: Choice,
  nameOf: (column: number) => string,
  rowOf: (row: number) => number,
): Promise<MissingValues> {
  const counts = new Float64Array(cols);
  let [rows, incomplete] = [0, 0];
  let first: number | undefined;
  for await (const { block } of table.read({ numbers: used })) {
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
        first ??= rowOf(rows + i);
      }
    }
    rows += block.rows;
  }
  const columns = [...counts].map((count, j) => ({ name: nameOf(j), count })).filter(({ count }) => count > 0);
  return { rows, incomplete, first, columns };
}

/** Means of the values that are there, weighted as the rows are, about the first value of each column, in one reading. */
export async function columnMeans(
  table: Table,
  { cols, usedAndWeight, weight }: Choice,
  nameOf: (column: number) => string,
): Promise<Float64Array> {
  const [firstValues, sums, totals] = [
    new Float64Array(cols).fill(Number.NaN),
    new Float64Array(cols),
    new Float64Array(cols),
  ];
  for await (const { block } of table.read({ numbers: usedAndWeight })) {
    const { data, rows, stride, cols: width } = decoded(block as DenseBlock);
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

/** The block with column means where values are missing. */
export function fillGaps(block: DenseBlock, means: Float64Array, gaps: GapCounts): DenseBlock {
  const filled = decoded(block);
  for (let i = 0; i < filled.rows; i++) {
    for (let j = 0; j < filled.cols; j++) {
      const at = i * filled.stride + j;
      if (!Number.isNaN(filled.data[at])) continue;
      filled.data[at] = means[j];
      gaps.fill(j);
    }
  }
  return filled;
}

/** Moves complete rows together, in place, and says which they were. */
export function dropRows({ block }: DenseBatch, gaps?: GapCounts): number[] {
  const { data, rows, cols, stride } = block;
  const kept: number[] = [];
  for (let i = 0; i < rows; i++) {
    if (rowHasMissing(block, i)) {
      gaps?.drop(numbersOf(block, i * stride, i * stride + cols));
      continue;
    }
    const to = kept.push(i) - 1;
    if (to < i) data.copyWithin(to * stride, i * stride, i * stride + cols);
  }
  return kept;
}

export function hasMissing(block: DenseBlock): boolean {
  for (let i = 0; i < block.rows; i++) if (rowHasMissing(block, i)) return true;
  return false;
}

export function rowHasMissing({ data, cols, stride, half }: DenseBlock, row: number): boolean {
  const from = row * stride;
  if (half) {
    for (let at = from; at < from + cols; at++) if ((data[at] & 0x7fff) > 0x7c00) return true;
    return false;
  }
  for (let at = from; at < from + cols; at++) if (Number.isNaN(data[at])) return true;
  return false;
}

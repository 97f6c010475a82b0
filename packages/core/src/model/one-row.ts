import { isGap } from '../data/blocks/gap.js';
import { hasColumn, isRecord, missingColumn, notANumberError, type Row } from '../data/inputs/row-gatherer.js';
import { notFinite } from '../data/statistics/statistics.js';
import { DataError, describeColumn, describeValue } from '../errors.js';

/**
 * Copies the numbers of one row, given by position or by name, into `out`. `names` are the columns of the model, and `d` is their
 * number. Records may have further fields.
 */
export function readOneRow(row: Row, names: readonly string[] | undefined, d: number, out: Float64Array): void {
  const record = isRecord(row);
  const keys = record ? (names ?? Object.keys(row)) : undefined;
  const cols = keys ? keys.length : (row as ArrayLike<number>)?.length;
  if (cols !== d) throw widthMismatch(cols, d);
  for (let j = 0; j < d; j++) {
    const value: unknown = (row as Record<string | number, unknown>)[keys ? keys[j] : j];
    if (typeof value !== 'number') {
      if (keys && !hasColumn(row, keys[j])) throw missingColumn(0, keys[j], j);
      if (isGap(value)) throw missingInRow(j, names);
      throw notANumberError(value, 0, j, names);
    }
    if (Number.isNaN(value)) throw missingInRow(j, names);
    if (value - value !== 0) throw notFinite(value, 0, j, names);
    out[j] = value;
  }
}

function missingInRow(column: number, names: readonly string[] | undefined): DataError {
  return new DataError(
    'MISSING_VALUES',
    `The value of column ${describeColumn(column, names)} is missing. Use await model.transform(row), which predicts it: the code for that is loaded on demand.`,
    { row: 0, column, ...(names?.[column] === undefined ? {} : { columnName: names[column] }) },
  );
}

function widthMismatch(cols: unknown, d: number): DataError {
  const what = typeof cols === 'number' ? `has ${cols} columns` : `is ${describeValue(cols)}`;
  return new DataError(
    'WIDTH_MISMATCH',
    `This row ${what}, but the model was fitted to ${d}. Pass the same columns in the same order.`,
    { value: cols, expected: d },
  );
}

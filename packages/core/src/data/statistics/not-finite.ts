import { DataError, describeCell } from '../../errors.js';

/** The error of a value that is not finite. */
export function notFinite(value: number, row: number, column: number, names?: readonly string[]): DataError {
  const where = describeCell(row, column, names);
  const remedy = Number.isNaN(value)
    ? "A missing or invalid value: drop the row or fill the value in first (pca has missing: 'iterative', which predicts it, 'drop' and 'mean')."
    : 'Infinite values have no variance: drop the row or cap the value first.';
  return new DataError('NOT_FINITE', `The value at ${where} is ${value}. ${remedy}`, {
    row,
    column,
    ...(names?.[column] === undefined ? {} : { columnName: names[column] }),
    value,
  });
}

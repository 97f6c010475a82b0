import type { RowMatrix } from '../data/blocks/row-matrix.js';
import { DataError, OptionError } from '../errors.js';

/** Scores of rows, and their standard errors given the values that the rows have: 0 for rows without missing values. */
export interface ScoresWithErrors {
  readonly scores: RowMatrix;
  readonly errors: RowMatrix;
}

/** The error of a row to be transformed that has no value. */
export function emptyRow(row: number): DataError {
  return new DataError(
    'MISSING_VALUES',
    `Row ${row + 1} has no value at all, so nothing is known about its scores. Leave the row out.`,
    { row, reason: 'empty-row' },
  );
}

/** The error of standard errors that are not defined. */
export function noErrorsOfZca(): OptionError {
  return new OptionError(
    'BAD_OPTION',
    "errors are standard errors of scores along components, and whiten: 'zca' has none. Use whiten: 'pca', or leave errors out.",
    { option: 'errors' },
  );
}

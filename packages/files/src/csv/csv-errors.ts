import { DataError } from '@scree/core';
import type { DecimalMark } from './decimal-marks.js';
import type { Dialect } from './dialect.js';

/** Errors in a record of a text table. Records are counted from 0. */

/** The only mark of a number may separate thousands or be a decimal mark, and no other number decides. */
export function ambiguousMark(
  path: string,
  { columns }: Dialect,
  row: number,
  column: number,
  text: string,
  mark: DecimalMark,
): DataError {
  const { name } = columns[column];
  const called = mark === ',' ? 'comma' : 'point';
  // With a fourth digit after it, the mark cannot separate thousands.
  const remedy = `Write ${text.replace(mark, '')} or ${text.replace(mark, '.')}0, and all of the column like that, or exclude it.`;
  return new DataError(
    'BAD_DATA',
    `Row ${row + 1} of ${path} holds ${JSON.stringify(text)} in column ${JSON.stringify(name)}, and nothing tells whether the ${called} separates thousands or is a decimal mark. ${remedy}`,
    { row, column, columnName: name, value: text, expected: mark, reason: 'ambiguous-mark' },
  );
}

/** A cell of a column of numbers is a word. */
export function notANumber(
  path: string,
  { columns, header, notations }: Dialect,
  row: number,
  column: number,
  text: string,
  mark: DecimalMark | undefined,
): DataError {
  const { name } = columns[column];
  const title = row === 0 && header ? ' If these are the names, remove what stands above them.' : '';
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 37)}...` : text);
  const sign = notations[column]?.sign;
  const written = mark === ',' ? ' with a decimal comma' : sign ? ` with ${sign}` : '';
  return new DataError(
    'NOT_A_NUMBER',
    `Row ${row + 1} of ${path} holds ${shown} in column ${JSON.stringify(name)}, where numbers${written} are expected. Correct it or exclude the column; if it means a missing value, name it in na, or leave the cell empty.${title}`,
    { row, column, columnName: name, value: text },
  );
}

/** A record has more or fewer cells than the others. */
export function raggedRow(path: string, { columns, header }: Dialect, row: number, cells: number): DataError {
  const expected = columns.length;
  const remedy =
    row === 0 && !header && cells < expected
      ? 'Remove it if it is a title above the table, or complete it.'
      : 'Complete it or remove it.';
  return new DataError(
    'RAGGED_ROWS',
    `Row ${row + 1} of ${path} has ${cells} ${cells === 1 ? 'cell' : 'cells'}, the others have ${expected}. ${remedy}`,
    { row, value: cells, expected },
  );
}

import { DataError, type ErrorDetails, OptionError, type Warning } from '@scree/core';
import type { FileOptions } from '../options.js';
import type { LeftOut } from './column-roles.js';
import type { MissingValues } from './data-file.js';

/** What is wrong with the values of a file, and what was left out of it. Rows are counted from 0. */

const REMEDY =
  "Choose missing 'drop' to leave such rows out, 'mean' to fill in the column's mean, or exclude the columns.";

/** Values are missing, and rows cannot be read again to tell where. */
export function missingSomewhere(path: string): DataError {
  return new DataError('MISSING_VALUES', `Values are missing in ${path}. ${REMEDY}`);
}

/** Values are missing; `at` is where the first row of them is, which may be in one of several files. */
export function missingError(
  path: string,
  { rows, incomplete, first, columns }: MissingValues,
  at: { readonly row: number; readonly path: string },
): DataError {
  const named = columns.slice(0, 5).map(({ name, count }) => `${JSON.stringify(name)} (${count})`);
  if (columns.length > 5) named.push(`${columns.length - 5} more columns`);
  const where = at.path === path ? '' : ` of ${at.path}`;
  const place = first === undefined ? '' : `, the first in row ${at.row + 1}${where}`;
  return new DataError(
    'MISSING_VALUES',
    `Values are missing in ${incomplete} of ${rows} rows of ${path}${place}: ${named.join(', ')}. ${REMEDY}`,
    {
      ...(first === undefined ? {} : { row: first }),
      ...(columns[0] ? { columnName: columns[0].name } : {}),
      value: columns,
      affectedRows: incomplete,
      totalRows: rows,
    },
  );
}

/** One value of the file cannot be used. */
export function valueError(
  code: 'NOT_FINITE' | 'BAD_WEIGHTS',
  details: ErrorDetails & { readonly row: number; readonly path: string },
): DataError {
  const { row, path, value, columnName } = details;
  const what =
    code === 'BAD_WEIGHTS'
      ? `the weight ${value}. Weights must be numbers from 0 up; 0 leaves a row out.`
      : `${value} in column ${JSON.stringify(columnName)}. PCA needs a finite number there: correct it, or exclude the column.`;
  return new DataError(code, `Row ${row + 1} of ${path} has ${what}`, details);
}

/** Values of a column are infinite, in rows that were not read one by one. */
export function infiniteIn(path: string, column: number, columnName: string, count: number): DataError {
  const values = count === 1 ? 'an infinite value' : `${count} infinite values`;
  return new DataError(
    'NOT_FINITE',
    `${path} has ${values} in column ${JSON.stringify(columnName)}. PCA needs finite numbers there: correct them, or exclude the column.`,
    { column, columnName, value: Number.POSITIVE_INFINITY, path },
  );
}

/** There are no rows, or none is left. */
export function nothingLeft(path: string, dropped: boolean): DataError {
  if (!dropped) return new DataError('EMPTY_DATA', `${path} has no rows. PCA needs at least two.`);
  return new DataError(
    'EMPTY_DATA',
    `No row of ${path} is complete: nothing is left when those with missing values are dropped. Choose missing 'mean', or exclude columns.`,
    { reason: 'no-complete-row' },
  );
}

/** Text that is left out is what people expect; numbers with notes among them are not. */
export function leftOutWarning(leftOut: readonly LeftOut[]): Warning[] {
  const columns = leftOut.flatMap(({ name, numericShare: share }) => (share === undefined ? [] : [{ name, share }]));
  if (columns.length === 0) return [];
  const some = columns
    .slice(0, 5)
    .map(({ name, share }) => `${JSON.stringify(name)} (${Math.round(100 * share)} % numbers)`);
  if (columns.length > 5) some.push(`${columns.length - 5} more`);
  const [noun, were, they] = columns.length === 1 ? ['Column', 'was', 'it is'] : ['Columns', 'were', 'they are'];
  return [
    {
      code: 'COLUMNS_LEFT_OUT',
      message: `${noun} ${some.join(', ')} ${were} left out, because ${they} mostly text. If the texts mean missing values, name them in na, or leave those cells empty.`,
      details: { columns, count: columns.length },
    },
  ];
}

export function noLabel(option: 'name' | 'color'): OptionError {
  const message = `No column was chosen to ${option} the rows. Choose one with ${option} or label when the file is opened.`;
  return new OptionError('BAD_OPTION', message, { option });
}

export function refuseForSparse(options: FileOptions): void {
  for (const option of [
    'columns',
    'categories',
    'codes',
    'only',
    'exclude',
    'label',
    'name',
    'color',
    'weight',
    'supplementary',
    'groups',
    'keep',
  ] as const) {
    if (options[option] === undefined) continue;
    throw new OptionError(
      'BAD_OPTION',
      `${option} cannot be chosen for a sparse matrix: its columns have no names. Choose them before it is saved.`,
      { option },
    );
  }
}

import { DataError, type Matrix } from '@scree/core';
import { dsvFormat } from 'd3-dsv';

/** A table as the lab uses it: the columns of numbers, and one column of words to colour by. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly matrix: Matrix<Float64Array>;
  readonly label?: { readonly name: string; readonly values: readonly string[] };
  /** Columns that are not numbers. */
  readonly unused: readonly string[];
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Infinity is read as the number it is, so that the library can refuse it in its own words. */
const INFINITE = /^[+-]?Infinity$/;
const MISSING = new Set(['', 'na', 'n/a', 'nan', 'null', '?']);

/**
 * Reads comma, semicolon or tab separated text. A column is numbers when every cell in it that is not missing is one.
 * The first line names the columns, unless it is all numbers itself. Rows are counted from 1, as editors do.
 */
export function parseTable(text: string, name: string): Table {
  const source = text.replace(/^\uFEFF/, '');
  // parseRows, not parse: rows as lists show when one is too short, and need no `new Function`, which the page forbids.
  const rows = dsvFormat(delimiterOf(source))
    .parseRows(source)
    .map((cells, i) => ({ at: i + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  if (rows.length === 0)
    throw new DataError('EMPTY_DATA', 'The file is empty. PCA needs at least two rows of numbers.');

  const first = rows[0].cells;
  const width = first.length;
  const named = !first.every(isNumber);
  const names = first.map((cell, j) => (named && cell !== '' ? cell : `column ${j + 1}`));
  const body = named ? rows.slice(1) : rows;
  if (body.length === 0) {
    throw new DataError('EMPTY_DATA', 'The file has column names but no rows. PCA needs at least two rows of numbers.');
  }
  for (const { at, cells } of body) {
    if (cells.length === width) continue;
    throw new DataError(
      'RAGGED_ROWS',
      `Row ${at} of the file has ${count(cells.length, 'cell')}, but the first row has ${width}. Give every row the same columns.`,
      { row: at - 1, value: cells.length, expected: width },
    );
  }

  const indices = names.map((_, j) => j);
  const isText = indices.map((j) => body.some(({ cells }) => !isNumber(cells[j]) && !isMissing(cells[j])));
  const used = indices.filter((j) => !isText[j] && body.some(({ cells }) => isNumber(cells[j])));
  if (used.length === 0) {
    throw new DataError('NOT_A_NUMBER', 'No column of the file holds numbers only. Use a decimal point, and no units.');
  }
  const data = new Float64Array(body.length * used.length);
  body.forEach(({ at, cells }, i) => {
    used.forEach((j, c) => {
      if (isMissing(cells[j])) throw missing(at, j, names[j]);
      data[i * used.length + c] = Number(cells[j]);
    });
  });
  const labelled = isText.indexOf(true);
  return {
    name,
    columns: used.map((j) => names[j]),
    matrix: { rows: body.length, cols: used.length, data },
    ...(labelled < 0 ? {} : { label: { name: names[labelled], values: body.map(({ cells }) => cells[labelled]) } }),
    unused: indices.filter((j) => !used.includes(j)).map((j) => names[j]),
  };
}

/** The separator that the first line has most of; a comma when it has none. */
function delimiterOf(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const occurrences = (delimiter: string): number => line.split(delimiter).length - 1;
  return [',', ';', '\t'].reduce((best, next) => (occurrences(next) > occurrences(best) ? next : best));
}

function isNumber(cell: string): boolean {
  return NUMBER.test(cell) || INFINITE.test(cell);
}

function isMissing(cell: string): boolean {
  return MISSING.has(cell.toLowerCase());
}

function missing(at: number, column: number, columnName: string): DataError {
  return new DataError(
    'NOT_FINITE',
    `Row ${at} of the file has no value in column "${columnName}". Drop the row or fill the value in first.`,
    { row: at - 1, column, columnName },
  );
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? '' : 's'}`;
}

import { builtInName } from '../../base/built-in-name.js';
import { DataError, describeValue } from '../../errors.js';
import type { Warning } from '../../warning.js';
import { type GapReading, isGap } from '../blocks/gap.js';
import type { RowSource } from '../blocks/row-source.js';
import { allKeys, rowsSource } from './memory-source.js';
import { isRecord, missingColumn, notANumberError, type RecordRow, type Row } from './row-gatherer.js';

/**
 * The option `columns: 'numeric'`: uses columns with numbers, and leaves out columns without numbers, with a warning. A column
 * with numbers is never left out: if it has a missing value or text, that is an error.
 */

/** Number of columns that a warning names. */
const MOST_NAMED = 5;
const WRITTEN_NUMBERS = 'numbers written as text';

/** Returns true if the value is a number. NaN is one: a missing number. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Describes the kind of a value that is not a number. Returns undefined if the value is missing. */
function kindOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'string')
    return value.trim() !== '' && Number.isFinite(Number(value)) ? WRITTEN_NUMBERS : 'text';
  if (typeof value === 'boolean') return 'true or false';
  return builtInName(value) === 'Date' ? 'dates' : 'other values';
}

/** The columns that are left out, and the kind of their values. */
export class LeftOutColumns {
  readonly #columns = new Map<string, string | undefined>();

  /** Records a value that is not a number. */
  add(name: string, value: unknown): void {
    const known = this.#columns.get(name);
    if (known !== undefined && known !== WRITTEN_NUMBERS) return;
    const kind = kindOf(value);
    this.#columns.set(name, kind === WRITTEN_NUMBERS ? (known ?? kind) : (kind ?? known));
  }

  warnings(): Warning[] {
    const columns = Array.from(this.#columns, ([name, holds = 'no values']) => ({ name, holds }));
    if (columns.length === 0) return [];
    const some = columns.slice(0, MOST_NAMED).map(({ name, holds }) => `${describeValue(name)} (${holds})`);
    if (columns.length > MOST_NAMED) some.push(`${columns.length - MOST_NAMED} more`);
    const [noun, were, they] = columns.length === 1 ? ['Column', 'was', 'it holds'] : ['Columns', 'were', 'they hold'];
    const convert = columns.some(({ holds }) => holds === WRITTEN_NUMBERS)
      ? ' To use numbers that are written as text, convert them with Number(…) first.'
      : '';
    return [
      {
        code: 'COLUMNS_LEFT_OUT',
        message: `${noun} ${some.join(', ')} ${were} left out, because ${they} no numbers.${convert}`,
        details: { columns, count: columns.length },
      },
    ];
  }
}

/**
 * The columns of records that have a number in the first record, or a gap if these are allowed. If a later record has a number in another column, that is an
 * error, because the first record has another value there.
 */
export class NumericColumns {
  readonly names: readonly string[];
  readonly #used: ReadonlySet<string>;
  readonly #first: Readonly<Record<string, unknown>>;
  readonly #row: number;
  readonly #leftOut: LeftOutColumns;

  /** `row` is the index of the first record, for messages. `names` are the columns, if earlier rows have decided them. */
  constructor(
    first: RecordRow,
    row = 0,
    names?: readonly string[],
    leftOut = new LeftOutColumns(),
    gaps: GapReading = false,
  ) {
    this.#first = first as Readonly<Record<string, unknown>>;
    this.#row = row;
    this.#leftOut = leftOut;
    this.names =
      names ?? Object.keys(first).filter((name) => isNumber(this.#first[name]) || (gaps && isGap(this.#first[name])));
    this.#used = new Set(this.names);
  }

  /** Checks the unused columns of a row. Rows that are not records are refused when they are read. */
  check(row: Row): void {
    if (!isRecord(row)) return;
    const record = row as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(record)) {
      if (this.#used.has(name)) continue;
      if (isNumber(record[name])) throw this.#noNumberInFirst(name);
      this.#leftOut.add(name, record[name]);
    }
  }

  warnings(): Warning[] {
    return this.#leftOut.warnings();
  }

  /** The error of data without columns of numbers. */
  noNumbers(): DataError {
    return noNumbers(Object.keys(this.#first));
  }

  #noNumberInFirst(name: string): DataError {
    const names = Object.keys(this.#first);
    const column = names.indexOf(name);
    if (column < 0) return missingColumn(this.#row, name);
    return notANumberError(this.#first[name], this.#row, column, names, false);
  }
}

/** A source of records in memory that uses only their columns of numbers. */
export function numericSource(rows: readonly Row[], gaps: GapReading = false): RowSource {
  if (gaps) return numericWithGaps(rows);
  const columns = new NumericColumns(rows[0] as RecordRow);
  for (let i = 0; i < rows.length; i++) columns.check(rows[i]);
  if (columns.names.length === 0) throw columns.noNumbers();
  return rowsSource(rows, columns.names, () => columns.warnings());
}

/** Missing values may be anywhere, so a column is one of numbers if any record has a number in it. */
function numericWithGaps(rows: readonly Row[]): RowSource {
  const keys = allKeys(rows);
  const records = rows as readonly Readonly<Record<string, unknown>>[];
  const leftOut = new LeftOutColumns();
  const names = keys.filter((name) => records.some((row) => isNumber(row?.[name])));
  if (names.length === 0) throw noNumbers(keys);
  for (const name of keys) if (!names.includes(name)) for (const row of records) leftOut.add(name, row?.[name]);
  return rowsSource(rows, names, () => leftOut.warnings(), true);
}

/**
 * The columns of a table that have a number. Adds the other columns to `leftOut`. `names` are the used columns, if earlier parts
 * of the table have decided them. `first` is the index of the first row of this part.
 */
export function numericColumnNames(
  { names: all, columns }: { readonly names: readonly string[]; readonly columns: readonly ArrayLike<unknown>[] },
  leftOut: LeftOutColumns,
  names?: readonly string[],
  first = 0,
): string[] {
  return all.filter((name, j) => {
    if (names?.includes(name)) return true;
    const at = firstNumber(columns[j]);
    if (at < 0) {
      for (let i = 0; i < columns[j].length; i++) leftOut.add(name, columns[j][i]);
      return false;
    }
    if (!names) return true;
    throw new DataError(
      'NOT_A_NUMBER',
      `Column ${describeValue(name)} holds no number before row ${first + at + 1}. Values are missing, or text: fill them in first, or drop those rows.`,
      { row: first + at, columnName: name },
    );
  });
}

/** The index of the first number of a column; -1 if it has none. */
function firstNumber(values: ArrayLike<unknown>): number {
  if (ArrayBuffer.isView(values)) return 0;
  for (let i = 0; i < values.length; i++) if (isNumber(values[i])) return i;
  return -1;
}

export function noNumbers(names: readonly string[]): DataError {
  return new DataError(
    'EMPTY_DATA',
    `No column holds numbers${names.length > 0 ? `: ${names.map(describeValue).join(', ')}` : ''}.`,
  );
}

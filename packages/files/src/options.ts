import { OptionError } from '@scree/core';
import { DEFAULT_MEMORY, type RowRanges } from '@scree/core/data';
import { describeValue } from '@scree/core/pipeline';
import { type FileFormat, FORMAT_NAMES } from './formats.js';

export { DEFAULT_MEMORY } from '@scree/core/data';
export type { FileFormat } from './formats.js';

/** The treatment of rows with missing values. `'keep'` passes them on as NaN, for methods that know what to do with them. */
export type Missing = 'error' | 'drop' | 'mean' | 'keep';

/** Which columns of a file are used, and how. */
export interface FileOptions {
  /** Columns to use, by name, in this order; all numeric ones when left out. Columns of arrays are given by number: '3', or '0-99'. */
  readonly columns?: readonly string[] | undefined;
  /** Columns not to use. */
  readonly exclude?: readonly string[] | undefined;
  /**
   * Columns that are categories in `table`, for `mca`, `famd` and `mfa`: by name, or `true` for all columns of text. They may hold
   * numbers, such as codes. They are not in `source`. `'only'`: all columns of text, or those of `columns`, whatever they hold, and no
   * numbers.
   */
  readonly categories?: true | 'only' | readonly string[] | undefined;
  /** Columns of numbers that are categories too, besides those of `categories`: codes. */
  readonly codes?: readonly string[] | undefined;
  /** A column of any kind that names the rows and colours them in figures. It is not analysed. */
  readonly label?: string | undefined;
  /** A column that names the rows, if not the column of `label`. It is not analysed. */
  readonly name?: string | undefined;
  /** A column that colours the rows in figures, if not the column of `label`. It is not analysed. */
  readonly color?: string | undefined;
  /** A numeric column that says how often each row counts. It is not analysed. */
  readonly weight?: string | undefined;
  /** Numeric columns that are not analysed and are read beside the others with `withSupplementary`. */
  readonly supplementary?: readonly string[] | undefined;
  /** Columns of any kind whose values are groups of rows. They are not analysed; `withSupplementary` reads them. */
  readonly groups?: readonly string[] | undefined;
  /** Rows that `source` leaves out and `supplementaryRows` of the file has: ranges counted from 0, both ends included. */
  readonly supplementaryRows?: RowRanges | undefined;
  /** Only the rows that have this text in this column, which is not analysed. */
  readonly only?: { readonly column: string; readonly level: string } | undefined;
  /**
   * Rows with missing values are an error (the default), left out, or filled in with the column's mean. `'keep'`: missing values are NaN,
   * for `analyzeTable`, which predicts them.
   */
  readonly missing?: Missing | undefined;
  /**
   * Texts and numbers that mean "no value", besides what does anyway: NaN and null; in columns of numbers of text files also empty
   * cells, NA, n/a, null, none, missing, ?, -, . and the like; in columns of text only empty cells. A column is text if it has
   * other text than those.
   */
  readonly na?: readonly string[] | undefined;
  /** The values that `missing: 'mean'` fills in instead of the file's own means: one number per used column, such as a model's `mean`. */
  readonly fill?: ArrayLike<number> | undefined;
  /**
   * Also reads every column of the file beside the analysed ones, as `kept` of the file: all as text, as they are written if the file is text, or
   * columns of numbers as numbers.
   */
  readonly keep?: 'text' | 'numbers' | undefined;
  /**
   * Rows become columns and columns become rows, as of a table with one line per gene and one column per sample. The first column names the new
   * columns if it is text; the names of the old columns name the rows. Other options are about the transposed table.
   */
  readonly transpose?: boolean | undefined;
  /** A query whose result is the data: of the tables in a database file, or of files by their names. */
  readonly sql?: string | undefined;
  /** Which array of a .npz file, or which table of a database. */
  readonly member?: string | undefined;
  /** The format. Default: detected. */
  readonly format?: FileFormat | undefined;
  /** Bytes of memory that reading may take, roughly; 1 GB when left out. */
  readonly memory?: number | undefined;
}

const LEAST_MEMORY = 16e6;

/** Options that make sense, with the memory filled in. */
export type CheckedOptions = FileOptions & { readonly memory: number };

/** Checks options that a user gave and fills in the memory. Throws an `OptionError` that names the option. */
export function checkFileOptions(options: FileOptions): CheckedOptions {
  const { missing = 'error', format, memory = DEFAULT_MEMORY, categories, na } = options;
  if (!['error', 'drop', 'mean', 'keep'].includes(missing)) {
    throw bad('missing', missing, "must be 'error', 'drop', 'mean' or 'keep'");
  }
  if (na !== undefined && !(Array.isArray(na) && na.every((text) => typeof text === 'string')))
    throw bad('na', na, "must be a list of texts, such as ['None', '-99']");
  const isList = Array.isArray(categories) && categories.every((name) => typeof name === 'string');
  if (categories !== undefined && categories !== true && categories !== 'only' && !isList) {
    throw bad('categories', categories, "must be true, 'only' or a list of column names");
  }
  if (options.transpose !== undefined && typeof options.transpose !== 'boolean')
    throw bad('transpose', options.transpose, 'must be true or false');
  if (options.only && options.supplementaryRows) {
    throw new OptionError('BAD_OPTION', 'only and supplementaryRows both choose rows. Leave one of them out.', {
      option: 'only',
    });
  }
  checkRanges(options.supplementaryRows);
  if (format !== undefined && !FORMAT_NAMES.includes(format))
    throw bad('format', format, `must be one of ${FORMAT_NAMES.join(', ')}`);
  if (!(Number.isSafeInteger(memory) && memory >= LEAST_MEMORY)) {
    throw bad('memory', memory, `must be a whole number of bytes from ${LEAST_MEMORY} up`);
  }
  return { ...options, missing, memory, ...(na ? { na: na.map((text) => text.trim()) } : {}) };
}

function checkRanges(ranges: unknown): void {
  const isRow = (row: unknown): boolean => typeof row === 'number' && Number.isSafeInteger(row) && row >= 0;
  const isRange = (range: unknown): boolean =>
    Array.isArray(range) && range.length === 2 && range.every(isRow) && range[0] <= range[1];
  if (ranges === undefined || (Array.isArray(ranges) && ranges.length > 0 && ranges.every(isRange))) return;
  throw bad('supplementaryRows', ranges, 'must be ranges of rows such as [[23, 26]], counted from 0');
}

function bad(option: string, value: unknown, what: string): OptionError {
  return new OptionError('BAD_OPTION', `${option} ${what}, not ${describeValue(value)}.`, { option, value });
}

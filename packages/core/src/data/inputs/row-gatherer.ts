import { builtInName } from '../../base/built-in-name.js';
import { DataError, describeCell, describeValue } from '../../errors.js';
import type { DenseBlock } from '../blocks/block.js';
import { type GapReading, isGap } from '../blocks/gap.js';
import type { FloatArray } from '../blocks/matrix.js';
import { libraryAdvice } from './library-advice.js';
import { isBuffer } from './library-kind.js';

/** One row: numbers by position, or numbers by column name. */
export type Row = ArrayLike<number> | RecordRow;

/**
 * An object with numbers by column name. Interfaces and classes have no index signature, so any object that is not iterable is
 * allowed.
 */
export type RecordRow = Readonly<Record<string, unknown>> | (object & { readonly [Symbol.iterator]?: never });

/** Numbers per block of a stream: few enough to stay in cache, and enough to amortise the overhead of a pass. */
const GATHER_VALUES = 1 << 18;

export interface GatherOptions {
  /** Rows per block. Default: chosen by the width. */
  readonly capacity?: number | undefined;
  /** Store numbers as float32. */
  readonly float32: boolean;
  /** The columns of records to use. Default: all columns of the first record. */
  readonly chosen?: readonly string[] | undefined;
  /** Column names from earlier rows. */
  readonly names?: readonly string[] | undefined;
  /** Index of the first row, for messages. */
  readonly row?: number | undefined;
  /** How missing values are read. Default false. */
  readonly gaps?: GapReading | undefined;
}

/** Checks rows one by one, and copies them into dense blocks. */
export class RowGatherer {
  readonly cols: number;
  readonly names: readonly string[] | undefined;
  readonly float32: boolean;
  size = 0;
  readonly #chosen: boolean;
  readonly #gaps: GapReading;
  readonly #capacity: number;
  #data: FloatArray;
  #prototype: unknown;

  constructor(first: Row, { capacity, float32, chosen, names, row = 0, gaps = false }: GatherOptions) {
    this.#gaps = gaps;
    this.#chosen = chosen !== undefined;
    this.float32 = float32;
    this.#refuseOtherTypes(first, row);
    if (isRecord(first)) {
      this.names = chosen ?? names ?? Object.keys(first);
      this.cols = this.names.length;
    } else {
      checkRow(first, row);
      this.cols = first.length;
    }
    if (this.cols === 0) {
      throw new DataError('EMPTY_DATA', `Row ${row + 1} has no columns. PCA needs at least one number per row.`, {
        row,
      });
    }
    this.#capacity = capacity ?? Math.max(1, Math.floor(GATHER_VALUES / this.cols));
    this.#data = this.#allocate();
  }

  get full(): boolean {
    return this.size === this.#capacity;
  }

  /** Adds a row. `at` is its index, for messages. */
  add(row: Row, at: number): void {
    this.#refuseOtherTypes(row, at);
    const start = this.size++ * this.cols;
    if (this.names) {
      this.#addRecord(row, at, start, this.names);
      return;
    }
    checkRow(row, at);
    if (row.length !== this.cols) throw ragged(at, row.length, this.cols);
    for (let j = 0; j < this.cols; j++) {
      const value = row[j];
      this.#data[start + j] = typeof value === 'number' ? value : this.#other(value, at, j);
    }
  }

  /**
   * Throws if a row is an object of another library, a Map, a Set or Node's class of bytes. Checks the first row, and every row
   * with another prototype than the row before.
   */
  #refuseOtherTypes(row: unknown, at: number): void {
    if (typeof row !== 'object' || row === null) return;
    const prototype: unknown = Object.getPrototypeOf(row);
    if (prototype === this.#prototype) return;
    this.#prototype = prototype;
    const advice = adviceForRow(row);
    if (advice) throw new DataError('BAD_DATA', `Row ${at + 1} is ${advice}`, { row: at });
  }

  #addRecord(row: Row, at: number, start: number, names: readonly string[]): void {
    if (!isRecord(row)) {
      checkRow(row, at);
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${at + 1} is ${describeValue(row)}, but the first row is a record. Use one form for all rows.`,
        { row: at },
      );
    }
    if (!this.#chosen && Object.keys(row).length > names.length) {
      const extra = Object.keys(row).find((key) => !names.includes(key)) as string;
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${at + 1} has a column ${describeValue(extra)} that the first row does not have. Give all records the same keys, or choose with columnNames (with missing: 'drop' or 'mean', pca uses the keys of all records).`,
        { row: at, columnName: extra },
      );
    }
    for (let j = 0; j < names.length; j++) {
      const value = (row as Readonly<Record<string, unknown>>)[names[j]];
      if (typeof value !== 'number') {
        if (!(this.#gaps === true || hasColumn(row, names[j]))) {
          throw missingColumn(at, names[j], j, otherKeys(row, names));
        }
        this.#data[start + j] = this.#other(value, at, j, names);
        continue;
      }
      this.#data[start + j] = value;
    }
  }

  /** The number for a value that is not a number. */
  #other(value: unknown, row: number, column: number, names?: readonly string[]): number {
    return this.#gaps && isGap(value) ? Number.NaN : exactNumber(value, row, column, names);
  }

  take(): DenseBlock {
    const block: DenseBlock = { kind: 'dense', rows: this.size, cols: this.cols, stride: this.cols, data: this.#data };
    this.size = 0;
    this.#data = this.#allocate();
    return block;
  }

  #allocate(): FloatArray {
    const length = this.#capacity * this.cols;
    return this.float32 ? new Float32Array(length) : new Float64Array(length);
  }
}

/** Returns true if a record has a column. Members of every object, such as `constructor`, count only if they are own properties. */
export function hasColumn(row: object, name: string): boolean {
  return name in row && (Object.hasOwn(row, name) || !(name in Object.prototype));
}

/** Converts a bigint that float64 can store exactly. Throws for any other value. */
export function exactNumber(value: unknown, row: number, column: number, names?: readonly string[]): number {
  if (typeof value === 'bigint' && isExact(value)) return Number(value);
  throw notANumberError(value, row, column, names);
}

/** The keys of a record that are no columns: one of them may be a misspelled column. */
export function otherKeys(row: object, names: readonly string[]): string[] {
  return Object.keys(row).filter((key) => !names.includes(key));
}

/** The error of a record without a column. `others` are keys that may be meant for it. */
export function missingColumn(
  row: number,
  columnName: string,
  column?: number,
  others: readonly string[] = [],
): DataError {
  // Misspelled names, and names in another case, begin with the same letter. This is less code than a distance of words.
  const meant = others.find((other) => other.charAt(0).toLowerCase() === columnName.charAt(0).toLowerCase());
  const hint = meant === undefined ? '' : `, but ${describeValue(meant)}`;
  return new DataError(
    'MISSING_COLUMN',
    `Row ${row + 1} has no column ${describeValue(columnName)}${hint}. Every record needs the same keys: fill the value in, or drop the row (pca has missing: 'drop' and 'mean').`,
    { row, ...(column === undefined ? {} : { column }), columnName },
  );
}

export function ragged(row: number, found: number, expected: number): DataError {
  return new DataError(
    'RAGGED_ROWS',
    `Row ${row + 1} has ${found} ${found === 1 ? 'number' : 'numbers'}, but the rows before it have ${expected}. All rows need the same length.`,
    { row, value: found, expected },
  );
}

export function checkRow(row: unknown, at: number): asserts row is ArrayLike<number> {
  if (typeof row === 'object' && row !== null && typeof (row as ArrayLike<number>).length === 'number') return;
  throw new DataError(
    'BAD_DATA',
    `Row ${at + 1} is ${describeValue(row)}, not an array of numbers or a record. Pass rows as [[1, 2], [3, 4]] or [{ a: 1, b: 2 }].`,
    { row: at, value: row },
  );
}

/** For rows of an unsupported type: describes the row, and names the value to pass. */
export function adviceForRow(row: object): string | undefined {
  if (builtInName(row) === 'Map') return 'a Map. Pass Object.fromEntries(map).';
  if (builtInName(row) === 'Set') return 'a Set. Pass Array.from(set).';
  if (isBuffer(row))
    return `${describeValue(row)}, and it is not known what numbers its bytes are. Pass new Float32Array(buffer.buffer, buffer.byteOffset, buffer.length / 4) for numbers of that type, or Uint8Array.from(buffer) for bytes. Files are read by openFile.`;
  return libraryAdvice(row);
}

/** Returns true if float64 can store the integer exactly. Integers beyond its range become Infinity. */
export function isExact(value: bigint): boolean {
  const number = Number(value);
  return Number.isFinite(number) && BigInt(number) === value;
}

/**
 * Returns true for records. A record may have a column named "length", so an object is a list only if it is iterable or also has
 * an entry 0.
 */
export function isRecord(row: unknown): row is RecordRow {
  if (typeof row !== 'object' || row === null || ArrayBuffer.isView(row) || Symbol.iterator in row) return false;
  return !('length' in row && typeof row.length === 'number' && 0 in row);
}

/**
 * The error of a value that is not a number. `numeric` is true if the column may have no numbers at all, so that `columns:
 * 'numeric'` would leave it out.
 */
export function notANumberError(
  value: unknown,
  row: number,
  column: number,
  names?: readonly string[],
  numeric = row === 0,
): DataError {
  const where = describeCell(row, column, names);
  const name = names ? describeValue(names[column]) : `column ${column + 1}`;
  const choice = names
    ? ` (${numeric ? "columns: 'numeric' uses the columns of numbers, " : ''}columnNames chooses the columns)`
    : '';
  const remedy = remedyFor(value, name, choice);
  return new DataError(
    'NOT_A_NUMBER',
    `${where.charAt(0).toUpperCase()}${where.slice(1)} holds ${describeValue(value)}. ${remedy}`,
    {
      row,
      column,
      ...(names ? { columnName: names[column] } : {}),
      value,
    },
  );
}

/** The remedy for a value that is not a number, in the column `name`. */
function remedyFor(value: unknown, name: string, choice: string): string {
  if (value === null || value === undefined || value === '')
    return "A value is missing: drop the row or fill the value in first (pca has missing: 'iterative', which predicts it, 'drop' and 'mean').";
  if (typeof value === 'bigint')
    return 'It is beyond 2^53, where numbers are not exact: leave the column out if it holds identifiers, or convert it with Number(…).';
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return `It is a number written as text: convert ${name} with Number(…) first.`;
  if (typeof value === 'object' && Symbol.iterator in value)
    return `It is a list: to analyse the lists, pass them as the rows of the data, one list per row.`;
  const conversion = typeof value === 'boolean' || builtInName(value) === 'Date' ? ' with Number(…)' : '';
  return `Only numbers can be analysed: convert ${name}${conversion} first, or leave it out${choice}.`;
}

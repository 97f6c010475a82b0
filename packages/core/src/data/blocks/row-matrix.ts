import { Printable } from '../../base/inspect.js';
import { DataError } from '../../errors.js';
import type { FloatArray, Matrix } from './matrix.js';

/** Rows and columns that `toString` prints. */
const PRINTED = 6;

/**
 * A matrix that the library returns, such as scores. It has the numbers, and methods for the forms that other libraries accept.
 * It is iterable by row. `structuredClone` and `postMessage` make a plain matrix `{ rows, cols, data }` of it, which all
 * functions accept too.
 *
 * ```ts
 * const scores = await model.transform(records);
 * scores.toRecords(records); // [{ ...record, PC1: 1.2, PC2: -0.3 }, …]
 * scores.column('PC1');      // the scores of the first component
 * ```
 */
export class RowMatrix<Data extends FloatArray = FloatArray> extends Printable implements Matrix<Data>, Iterable<Data> {
  /** Number of rows. */
  readonly rows: number;
  /** Number of columns. */
  readonly cols: number;
  /** Row-major: entry (i, j) is `data[i * cols + j]`. */
  readonly data: Data;
  readonly #names: readonly string[];

  constructor(rows: number, cols: number, data: Data, names: readonly string[] = []) {
    super();
    this.rows = rows;
    this.cols = cols;
    this.data = data;
    this.#names = names;
  }

  /** Row i, a view of `data`. */
  row(i: number): Data {
    return this.data.subarray(checkIndex(i, this.rows, 'row') * this.cols, (i + 1) * this.cols) as Data;
  }

  /** A column, by its index or by its name (`'PC1'`). It is a copy. */
  column(which: number | string): Data {
    const j = this.#indexOf(which);
    const column = new (this.data.constructor as new (length: number) => Data)(this.rows);
    for (let i = 0; i < this.rows; i++) column[i] = this.data[i * this.cols + j];
    return column;
  }

  /** Iterates over the rows, which are views of `data`. */
  *[Symbol.iterator](): Generator<Data, void, void> {
    for (let i = 0; i < this.rows; i++) yield this.row(i);
  }

  /** The rows as plain arrays. */
  toRows(): number[][] {
    return Array.from(this, (row) => Array.from(row));
  }

  /**
   * The rows as records, with the numbers under the names of the columns. With `rows`, each record begins with the fields of the
   * user's row: `[{ ...row, PC1: 1.2, PC2: -0.3 }]`.
   */
  toRecords(): Record<string, number>[];
  toRecords<Row extends object>(rows: Iterable<Row>): (Row & Record<ScoreName, number>)[];
  toRecords(rows?: Iterable<object>): object[] {
    const given = rows && Array.from(rows);
    if (given && given.length !== this.rows) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `toRecords was given ${counted(given.length, 'row')}, and this matrix has ${this.rows}. Pass the rows that it was computed from.`,
        { value: given.length, expected: this.rows },
      );
    }
    const names = this.#labels();
    return Array.from({ length: this.rows }, (_, i) => {
      const record: Record<string, unknown> = { ...given?.[i] };
      for (let j = 0; j < this.cols; j++) record[names[j]] = this.data[i * this.cols + j];
      return record;
    });
  }

  /** The rows, for `JSON.stringify`. */
  toJSON(): number[][] {
    return this.toRows();
  }

  /**
   * The columns by name, for `tableFromArrays` of Apache Arrow, Arquero's `table` and similar functions. Scores have the names
   * PC1, PC2, …
   */
  toColumns(names: readonly string[] = this.#names): Record<string, Data> {
    return Object.fromEntries(Array.from({ length: this.cols }, (_, j) => [names[j] ?? String(j), this.column(j)]));
  }

  /** The shape, and the first rows and columns. */
  override toString(): string {
    const { rows, cols } = this;
    const [height, width] = [Math.min(rows, PRINTED), Math.min(cols, PRINTED)];
    const cells = [this.#labels().slice(0, width)];
    for (let i = 0; i < height; i++) cells.push(Array.from(this.row(i).subarray(0, width), shortNumber));
    const widths = cells[0].map((_, j) => Math.max(...cells.map((line) => line[j].length)));
    const lines = cells.map((line) => line.map((cell, j) => cell.padStart(widths[j])).join('  '));
    const more = [rows - height && `${rows - height} more rows`, cols - width && `${cols - width} more columns`];
    const rest = more.some(Boolean) ? [`… ${more.filter(Boolean).join(', ')}`] : [];
    return [`${rows} × ${cols} matrix`, ...lines, ...rest].join('\n  ');
  }

  #labels(): string[] {
    return Array.from({ length: this.cols }, (_, j) => this.#names[j] ?? String(j));
  }

  #indexOf(which: number | string): number {
    if (typeof which === 'number') return checkIndex(which, this.cols, 'column');
    const j = this.#labels().indexOf(which);
    if (j >= 0) return j;
    throw new DataError(
      'MISSING_COLUMN',
      `There is no column ${JSON.stringify(which)}. The columns are ${firstNames(this.#labels())}.`,
      { columnName: which, expected: this.#labels() },
    );
  }
}

/** The name of a column of scores. */
export type ScoreName = `PC${number}`;

function checkIndex(index: number, count: number, what: string): number {
  if (Number.isInteger(index) && index >= 0 && index < count) return index;
  throw new DataError(
    'OUT_OF_RANGE',
    `There is no ${what} ${index}: this matrix has ${counted(count, what)}, counted from 0.`,
    { value: index, expected: count },
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The names of a few columns, for messages. */
function firstNames(names: readonly string[]): string {
  const most = 10;
  return names.length > most ? `${names.slice(0, most).join(', ')}, … (${names.length})` : names.join(', ');
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Names of scores: PC1, PC2, … */
export function scoreNames(count: number): ScoreName[] {
  return Array.from({ length: count }, (_, i): ScoreName => `PC${i + 1}`);
}

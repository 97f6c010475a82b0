import type { FloatArray, Matrix } from './matrix.js';

/**
 * A matrix that the library returns, such as scores. It has the numbers, and methods for the forms that other libraries accept.
 * It is iterable by row. `structuredClone` and `postMessage` make a plain matrix `{ rows, cols, data }` of it, which all
 * functions accept too.
 */
export class RowMatrix<Data extends FloatArray = FloatArray> implements Matrix<Data>, Iterable<Data> {
  /** Number of rows. */
  readonly rows: number;
  /** Number of columns. */
  readonly cols: number;
  /** Row-major: entry (i, j) is `data[i * cols + j]`. */
  readonly data: Data;
  readonly #names: readonly string[];

  constructor(rows: number, cols: number, data: Data, names: readonly string[] = []) {
    this.rows = rows;
    this.cols = cols;
    this.data = data;
    this.#names = names;
  }

  /** Row i, a view of `data`. */
  row(i: number): Data {
    return this.data.subarray(checkIndex(i, this.rows, 'row') * this.cols, (i + 1) * this.cols) as Data;
  }

  /** Column j, a copy. */
  column(j: number): Data {
    checkIndex(j, this.cols, 'column');
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
}

function checkIndex(index: number, count: number, what: string): number {
  if (Number.isInteger(index) && index >= 0 && index < count) return index;
  throw new RangeError(`There is no ${what} ${index}: they are counted from 0 to ${count - 1}.`);
}

/** Names of scores: PC1, PC2, … */
export function scoreNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `PC${i + 1}`);
}

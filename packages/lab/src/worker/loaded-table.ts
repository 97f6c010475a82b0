import { DataError, type Matrix, type NumberArray } from '@scree/core';
import { Pace } from '@scree/core/engine';
import type { Column, Table } from '@scree/core/files';
import { shorten } from '../shorten.js';
import { MatrixBuilder } from './matrix-builder.js';
import type { ColumnInfo, Missing, TableInfo } from './messages.js';

/** Most bytes of numbers that a page holds. Beyond it browsers refuse, some by ending the page. */
const MAX_BYTES = 1.5 * 2 ** 30;

/** Columns that hold numbers but for some cells, by their indexes, and the first such cell in words. */
type MixedColumns = Map<number, string>;

/** Each costs another reading; a table with more of them is something else than it seemed. */
const MAX_MIXED_COLUMNS = 20;

/** Labels that came in a file of their own. */
export interface ExtraColumn {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** Control of work that takes long. */
export interface Control {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { phase: string; done: number; total?: number }) => void;
}

/**
 * A table in the worker's memory: all its columns of numbers, row by row in the type they are stored in, missing ones as
 * NaN. Columns of text are read from the file when somebody asks for them.
 */
export class LoadedTable {
  readonly info: Omit<TableInfo, 'id'>;
  readonly rows: number;
  readonly #table: Table;
  /** Places in the table of the columns of `numbers`, in its order. */
  readonly #columnIndexes: readonly number[];
  readonly #numbers: Matrix<NumberArray>;
  readonly #extra: ExtraColumn | undefined;
  readonly #texts = new Map<number, readonly (string | null)[]>();

  private constructor(
    table: Table,
    name: string,
    indexes: readonly number[],
    broken: MixedColumns,
    numbers: Matrix<NumberArray>,
    extra: ExtraColumn | undefined,
  ) {
    this.#table = table;
    this.#numbers = numbers;
    this.#extra = extra;
    this.#columnIndexes = indexes;
    this.rows = numbers.rows;
    const missing = countMissing(numbers);
    const columns: ColumnInfo[] = table.columns.map(({ name: title, kind, type, index }, j) => {
      const at = this.#columnIndexes.indexOf(j);
      const why = broken.get(j);
      if (why !== undefined) return { name: title, kind: 'text', type: 'text', missing: 0, usable: false, broken: why };
      const usable = kind === 'number';
      return { name: title, kind, type, missing: at < 0 ? 0 : missing[at], usable, ...(index ? { index } : {}) };
    });
    if (extra) columns.push({ name: extra.name, kind: 'number', type: 'labels', missing: 0, usable: false });
    const { shape } = table;
    this.info = {
      name,
      format: table.format,
      rows: this.rows,
      columns,
      named: table.named,
      ...(shape?.length === 3 ? { picture: [shape[1], shape[2]] as const } : {}),
    };
  }

  /**
   * Reads the numbers of a table. A column that turns out to hold something else is one of text, and says why: a file cannot
   * be read without it, and the page has no other way to leave it out.
   */
  static async read(
    table: Table,
    name: string,
    extra: ExtraColumn | undefined,
    control: Control,
  ): Promise<LoadedTable> {
    const broken: MixedColumns = new Map();
    for (;;) {
      const indexes = numericColumns(table.columns).filter((index) => !broken.has(index));
      if (indexes.length === 0) throw await noNumbersError(table, name);
      try {
        const numbers = await readNumbers(table, indexes, name, control);
        if (extra && extra.numbers.length !== numbers.rows) {
          throw new DataError('BAD_DATA', `There are ${extra.numbers.length} labels for ${numbers.rows} rows.`);
        }
        return new LoadedTable(table, name, indexes, broken, numbers, extra);
      } catch (error) {
        const found = mixedColumn(error);
        if (!found || broken.size === MAX_MIXED_COLUMNS || indexes.length === 1) throw error;
        broken.set(...found);
      }
    }
  }

  /** One column as numbers, and these as text; undefined where it holds none. */
  column(index: number): NumberColumn | undefined {
    if (this.#extra && index === this.info.columns.length - 1) {
      const { numbers } = this.#extra;
      return numberColumn((row) => numbers[row], false);
    }
    const at = this.#columnIndexes.indexOf(index);
    if (at < 0) return undefined;
    const { data, cols } = this.#numbers;
    return numberColumn((row) => data[row * cols + at], data instanceof Float32Array);
  }

  /** A column as text; null where nothing is there. */
  async texts(index: number): Promise<readonly (string | null)[]> {
    const numbers = this.column(index);
    if (numbers) return Array.from({ length: this.rows }, (_, i) => numbers.format(i));
    const known = this.#texts.get(index);
    if (known) return known;
    const texts: (string | null)[] = [];
    for await (const { text } of this.#table.read({ numbers: [], text: index })) {
      // One by one: a batch may be longer than what fits into one call.
      for (const cell of text ?? []) texts.push(cell);
    }
    this.#texts.set(index, texts);
    return texts;
  }

  /**
   * Chosen columns of all rows that have them, or with the column's mean where they are missing; `keptRows` says which rows
   * these are, where not all. When everything is chosen and nothing missing, no copy is made.
   */
  choose(
    columns: readonly number[],
    missing: Missing,
  ): { readonly matrix: Matrix<NumberArray>; readonly keptRows?: Uint32Array; readonly incompleteRows: number } {
    const indexes = columns.map((column) => this.#columnIndexes.indexOf(column));
    const { data, rows, cols } = this.#numbers;
    const complete = columns.every((column) => this.info.columns[column].missing === 0);
    if (complete && indexes.length === cols && indexes.every((index, j) => index === j)) {
      return { matrix: this.#numbers, incompleteRows: 0 };
    }
    const whole = Array.from({ length: rows }, (_, i) => indexes.every((j) => !Number.isNaN(data[i * cols + j])));
    const incompleteRows = whole.reduce((count, is) => count + (is ? 0 : 1), 0);
    const fill = incompleteRows > 0 && missing === 'mean' ? indexes.map((j) => meanOf(this.#numbers, j)) : undefined;
    const count = fill ? rows : rows - incompleteRows;
    const chosen = new (data.constructor as new (length: number) => NumberArray)(count * indexes.length);
    const keptRows = new Uint32Array(count);
    let to = 0;
    for (let i = 0; i < rows; i++) {
      if (!whole[i] && !fill) continue;
      keptRows[to] = i;
      indexes.forEach((j, c) => {
        const value = data[i * cols + j];
        chosen[to * indexes.length + c] = fill && Number.isNaN(value) ? fill[c] : value;
      });
      to++;
    }
    return {
      matrix: { rows: count, cols: indexes.length, data: chosen },
      incompleteRows,
      ...(count === rows ? {} : { keptRows }),
    };
  }

  close(): Promise<void> {
    return this.#table.close();
  }
}

async function readNumbers(
  table: Table,
  indexes: readonly number[],
  name: string,
  control: Control,
): Promise<Matrix<NumberArray>> {
  const grown = new MatrixBuilder(indexes.length, table.rows, MAX_BYTES, name);
  const request = { numbers: table.uniform ? ('all' as const) : indexes };
  const pace = new Pace(control);
  pace.begin('reading', table.rows);
  for await (const { block } of table.read(request)) {
    grown.add(block);
    const pause = pace.step(block.rows);
    if (pause) await pause;
  }
  pace.end();
  return grown.matrix();
}

/** Why there are no numbers to read: without any row nobody can tell what the columns hold. */
async function noNumbersError(table: Table, name: string): Promise<DataError> {
  if (!(await hasRows(table))) return new DataError('EMPTY_DATA', `${name} has no rows, only names of columns.`);
  return new DataError(
    'NOT_A_NUMBER',
    `No column of ${name} holds numbers. PCA needs at least one; numbers are written with a decimal point and without units.`,
  );
}

async function hasRows(table: Table): Promise<boolean> {
  if (table.rows !== undefined) return table.rows > 0;
  for await (const { block } of table.read({ numbers: [], text: 0 })) if (block.rows > 0) return true;
  return false;
}

function mixedColumn(error: unknown): [column: number, why: string] | undefined {
  if (!(error instanceof DataError) || !['NOT_A_NUMBER', 'BAD_DATA'].includes(error.code)) return undefined;
  const { row, column, value } = error.details;
  if (row === undefined || column === undefined) return undefined;
  return [column, `row ${row + 1} holds ${shorten(JSON.stringify(value), 40)}`];
}

interface NumberColumn {
  readonly at: (row: number) => number;
  readonly format: (row: number) => string | null;
}

function numberColumn(at: (row: number) => number, single: boolean): NumberColumn {
  return { at, format: (row) => formatNumber(at(row), single) };
}

function numericColumns(columns: readonly Column[]): number[] {
  return columns.flatMap(({ kind }, j) => (kind === 'number' ? [j] : []));
}

function countMissing({ data, rows, cols }: Matrix<NumberArray>): Uint32Array {
  const counts = new Uint32Array(cols);
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return counts;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) if (Number.isNaN(data[i * cols + j])) counts[j]++;
  }
  return counts;
}

/** Mean of the values that are there; 0 where none is. */
function meanOf({ data, rows, cols }: Matrix<NumberArray>, j: number): number {
  let mean = 0;
  let count = 0;
  for (let i = 0; i < rows; i++) {
    const value = data[i * cols + j];
    if (!Number.isNaN(value)) mean += (value - mean) / ++count;
  }
  return mean;
}

/** A number as text, null where there is none: every digit it has, for it may be the name of something. */
export function formatNumber(value: number, single: boolean): string | null {
  if (Number.isNaN(value)) return null;
  if (!single) return String(value);
  // Of a float32 as few digits as tell it from its neighbours: those after them are its distance from what was meant.
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

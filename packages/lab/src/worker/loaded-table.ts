import type { ColumnAccess } from '@scree/analysis';
import { DataError, type Matrix, type NumberArray, type Warning } from '@scree/core';
import type { ConvertedColumn } from '@scree/files';
import { convertedWarning, RoundedIntegers, type Table } from '@scree/files/platform';
import type { ColumnInfo, Control, GapRule, TableInfo } from './messages.js';
import { type NumbersOfTable, readNumbers } from './read-numbers.js';
import { type RowsToFit, rowsToFit } from './rows-to-fit.js';

/** Labels from a file of their own. */
export interface ExtraColumn {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** The parts of a loaded table. */
interface TableParts extends NumbersOfTable {
  readonly table: Table;
  readonly name: string;
  readonly extra: ExtraColumn | undefined;
  /** Missing values per column of `numbers`. */
  readonly missing: readonly number[];
  /** Warnings from reading all columns of `numbers`. */
  readonly warnings: readonly Warning[];
}

/**
 * A table in the worker's memory: all numeric columns, row by row, in the type in which they are stored; missing values are
 * NaN. Text columns are read from the file when they are needed.
 */
export class LoadedTable {
  readonly info: Omit<TableInfo, 'id'>;
  readonly rows: number;
  readonly #table: Table;
  readonly #columnIndexes: readonly number[];
  readonly #numbers: Matrix<NumberArray>;
  readonly #extra: ExtraColumn | undefined;
  readonly #warnings: readonly Warning[];
  readonly #texts = new Map<number, readonly (string | null)[]>();

  private constructor(parts: TableParts) {
    const { table, name, columnIndexes, numbers, extra } = parts;
    this.#table = table;
    this.#numbers = numbers;
    this.#extra = extra;
    this.#warnings = parts.warnings;
    this.#columnIndexes = columnIndexes;
    this.rows = numbers.rows;
    const { shape } = table;
    this.info = {
      name,
      format: table.format,
      rows: this.rows,
      columns: describeColumns(parts),
      named: table.named,
      ...(shape?.length === 3 ? { picture: [shape[1], shape[2]] as const } : {}),
    };
  }

  /** Reads the numbers of a table. `extra` are labels of its rows. */
  static async read(
    table: Table,
    name: string,
    extra: ExtraColumn | undefined,
    control: Control,
  ): Promise<LoadedTable> {
    const read = await readNumbers(table, name, control);
    const { numbers } = read;
    if (extra && extra.numbers.length !== numbers.rows) {
      throw new DataError('BAD_DATA', `There are ${extra.numbers.length} labels for ${numbers.rows} rows.`);
    }
    const warnings = (await table.warnings?.()) ?? [];
    return new LoadedTable({ ...read, table, name, extra, missing: countMissing(numbers), warnings });
  }

  /** A numeric column; undefined if the column holds no numbers. */
  column(index: number): LoadedColumn | undefined {
    if (this.#extra && index === this.info.columns.length - 1) {
      const { numbers } = this.#extra;
      return loadedColumn((row) => numbers[row], false);
    }
    const at = this.#columnIndexes.indexOf(index);
    if (at < 0) return undefined;
    const { data, cols } = this.#numbers;
    return loadedColumn((row) => data[row * cols + at], data instanceof Float32Array);
  }

  /** A column as text, with null for missing values. */
  async texts(index: number): Promise<readonly (string | null)[]> {
    const numbers = this.column(index);
    if (numbers) return Array.from({ length: this.rows }, (_, i) => numbers.format(i));
    const known = this.#texts.get(index);
    if (known) return known;
    const texts: (string | null)[] = [];
    for await (const { texts: own } of this.#table.read({ numbers: [], texts: [index] })) {
      // One by one: a batch may be longer than the number of arguments that a call takes.
      for (const text of own[0]) texts.push(text);
    }
    this.#texts.set(index, texts);
    return texts;
  }

  /** The columns for questions about them. */
  get access(): ColumnAccess {
    const { columns, named } = this.info;
    return {
      rows: this.rows,
      columns,
      named,
      numbers: (column) => this.column(column)?.at,
      texts: (column) => this.texts(column),
      matrix: async (some) => (await this.rowsToFit(some, 'drop')).matrix,
    };
  }

  /** The chosen columns, with missing values dropped or filled in, and with all warnings about these columns. */
  async rowsToFit(columns: readonly number[], missing: GapRule): Promise<RowsToFit> {
    const infos = columns.map((column) => this.info.columns[column]);
    const rows = await rowsToFit(
      {
        numbers: this.#numbers,
        columns: columns.map((column) => this.#numberIndex(column)),
        names: infos.map(({ name }) => name),
        isComplete: infos.every((info) => info.missing === 0),
        path: this.info.name,
      },
      missing,
    );
    return { ...rows, warnings: [...this.#warningsOf(columns), ...rows.warnings] };
  }

  /** The index of a column among the columns of numbers. */
  #numberIndex(column: number): number {
    const at = this.#columnIndexes.indexOf(column);
    if (at >= 0) return at;
    const { name } = this.info.columns[column];
    throw new DataError('NOT_A_NUMBER', `Column ${JSON.stringify(name)} holds no numbers.`, { columnName: name });
  }

  close(): Promise<void> {
    return this.#table.close();
  }

  /** The warnings of the file, as they would be if only these columns had been read. */
  #warningsOf(columns: readonly number[]): readonly Warning[] {
    const names = new Set(columns.map((column) => this.info.columns[column].name));
    return this.#warnings.flatMap((warning) => {
      if (warning.code === 'VALUES_CONVERTED') {
        const all = (warning.details?.columns ?? []) as readonly ConvertedColumn[];
        return convertedWarning(
          this.info.name,
          all.filter(({ name }) => names.has(name)),
        );
      }
      if (warning.code !== 'INTEGERS_ROUNDED' || !warning.details) return [warning];
      const read = warning.details.columns as readonly { readonly name: string; readonly count: number }[];
      const rounded = new Map(read.map(({ name, count }) => [name, count]));
      const chosen = new RoundedIntegers();
      chosen.merge(
        columns.flatMap((column) => {
          const count = rounded.get(this.info.columns[column].name);
          return count === undefined ? [] : [[column, count] as const];
        }),
      );
      return chosen.warnings(this.info.name, (column) => this.info.columns[column].name);
    });
  }
}

function describeColumns({ table, columnIndexes, mixed, missing, extra }: TableParts): ColumnInfo[] {
  const columns: ColumnInfo[] = table.columns.map(({ name, kind, type, index }, j) => {
    const cell = mixed.get(j);
    if (cell) return { name, kind: 'text', type: 'text', missing: 0, usable: false, firstNonNumber: cell };
    const at = columnIndexes.indexOf(j);
    const gaps = at < 0 ? 0 : missing[at];
    return { name, kind, type, missing: gaps, usable: kind === 'number', ...(index ? { index } : {}) };
  });
  if (extra) columns.push({ name: extra.name, kind: 'number', type: 'labels', missing: 0, usable: false });
  return columns;
}

/** Missing values per column. */
function countMissing({ cols, data }: Matrix<NumberArray>): readonly number[] {
  const counts = new Array<number>(cols).fill(0);
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return counts;
  for (let at = 0; at < data.length; at++) if (Number.isNaN(data[at])) counts[at % cols]++;
  return counts;
}

/** A column of numbers: the numbers, and their texts. */
interface LoadedColumn {
  readonly at: (row: number) => number;
  readonly format: (row: number) => string | null;
}

function loadedColumn(at: (row: number) => number, isFloat32: boolean): LoadedColumn {
  return { at, format: (row) => exactText(at(row), isFloat32) };
}

/** A number with all its digits, because it may be an identifier; null if the value is missing. */
export function exactText(value: number, isFloat32: boolean): string | null {
  if (Number.isNaN(value)) return null;
  if (!isFloat32) return String(value);
  // A float32 gets the fewest digits that tell it from its neighbours: further digits are noise.
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

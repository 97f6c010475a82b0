import type { ColumnAccess } from '@scree/analysis';
import { DataError, type Matrix, type NumberArray, type Warning } from '@scree/core';
import { ProgressTracker } from '@scree/core/pipeline';
import type { ConvertedColumn, DataFile, FileOptions } from '@scree/files';
import {
  checkFileOptions,
  convertedWarning,
  openData,
  RoundedIntegers,
  type Table,
  type TableColumn,
} from '@scree/files/platform';
import { MatrixBuilder } from './matrix-builder.js';
import { memoryTable } from './memory-table.js';
import type { Cell, ColumnInfo, Missing, TableInfo } from './messages.js';

/** Most bytes of numbers that a page keeps in memory. Browsers refuse more, some by closing the page. */
const MAX_BYTES = 1.5 * 2 ** 30;

/** By index, columns of numbers in which a cell holds something else, and the first such cell. */
type MixedColumns = Map<number, Cell>;

/** The table is read again for each mixed column; with more of them, the file is not what it seemed. */
const MAX_MIXED_COLUMNS = 20;

/** Labels that came in a file of their own. */
export interface ExtraColumn {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** Progress and cancellation of long work. */
export interface Control {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { phase: string; done: number; total?: number }) => void;
}

/** The rows of a fit, and where they are in the table. */
export interface Selection {
  readonly matrix: Matrix<NumberArray>;
  /** Rows of the table that were kept, in order; undefined when all were. */
  readonly keptRows?: Uint32Array;
  /** Rows with missing values: dropped or filled. */
  readonly incompleteRows: number;
  /** Warnings from reading the chosen columns, for the model. */
  readonly warnings: readonly Warning[];
  /** The error with rows as the table has them. */
  explain(error: unknown): Promise<unknown>;
}

interface Parts {
  readonly table: Table;
  readonly name: string;
  /** Indexes in the table of the columns of `numbers`, in its order. */
  readonly columnIndexes: readonly number[];
  readonly mixed: MixedColumns;
  readonly numbers: Matrix<NumberArray>;
  readonly extra: ExtraColumn | undefined;
  /** Missing values per column of `numbers`. */
  readonly missing: readonly number[];
  /** Warnings from reading all columns of `numbers`. */
  readonly warnings: readonly Warning[];
}

/**
 * A table in the worker's memory: all numeric columns, row by row in the type they are stored in; missing values are NaN.
 * Text columns are read from the file when they are needed.
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

  private constructor(parts: Parts) {
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

  /**
   * Reads the numbers of a table. A column that turns out to hold something else counts as text, and the info names the
   * first such cell: the page has no other way to leave the column out, and the file cannot be read with it.
   */
  static async read(
    table: Table,
    name: string,
    extra: ExtraColumn | undefined,
    control: Control,
  ): Promise<LoadedTable> {
    const mixed: MixedColumns = new Map();
    for (;;) {
      const columnIndexes = numericColumns(table.columns).filter((index) => !mixed.has(index));
      if (columnIndexes.length === 0) throw await noNumbersError(table, name);
      try {
        const numbers = await readNumbers(table, columnIndexes, name, control);
        if (extra && extra.numbers.length !== numbers.rows) {
          throw new DataError('BAD_DATA', `There are ${extra.numbers.length} labels for ${numbers.rows} rows.`);
        }
        const missing = await countMissing(numbers, name);
        const warnings = (await table.warnings?.()) ?? [];
        return new LoadedTable({ table, name, columnIndexes, mixed, numbers, extra, missing, warnings });
      } catch (error) {
        const found = mixedColumn(error);
        if (!found || mixed.size === MAX_MIXED_COLUMNS || columnIndexes.length === 1) throw error;
        mixed.set(...found);
      }
    }
  }

  /** A numeric column; undefined where the column holds no numbers. */
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

  /** A column as text; null where a value is missing. */
  async texts(index: number): Promise<readonly (string | null)[]> {
    const numbers = this.column(index);
    if (numbers) return Array.from({ length: this.rows }, (_, i) => numbers.format(i));
    const known = this.#texts.get(index);
    if (known) return known;
    const texts: (string | null)[] = [];
    for await (const { texts: own } of this.#table.read({ numbers: [], texts: [index] })) {
      // One by one: a batch may be longer than the number of arguments a call takes.
      for (const cell of own[0]) texts.push(cell);
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
      matrix: async (some) => (await this.select(some, 'drop')).matrix,
    };
  }

  /**
   * The chosen columns, without the rows that miss a value or with the column's mean in its place. Nothing is copied when
   * all columns are chosen and nothing is missing.
   */
  async select(columns: readonly number[], missing: Missing): Promise<Selection> {
    const used = columns.map((column) => this.#columnIndexes.indexOf(column));
    const warnings = this.#warningsOf(columns);
    const isComplete = columns.every((column) => this.info.columns[column].missing === 0);
    if (isComplete && used.length === this.#numbers.cols && used.every((at, j) => at === j)) {
      return { matrix: this.#numbers, incompleteRows: 0, warnings, explain: async (error) => error };
    }
    const { name } = this.info;
    const names = this.#columnNames();
    const file = await openNumbers(
      this.#numbers,
      name,
      { columns: used.map((at) => names?.[at] ?? String(at)), missing },
      names,
    );
    const builder = new MatrixBuilder(used.length, this.rows, MAX_BYTES, name);
    for await (const block of file.source.blocks()) builder.add(block);
    const matrix = builder.matrix();
    const kept = file.dropped > 0 ? await file.rowsInFile(Array.from({ length: matrix.rows }, (_, i) => i)) : undefined;
    return {
      matrix,
      ...(kept ? { keptRows: Uint32Array.from(kept) } : {}),
      incompleteRows: isComplete ? 0 : missing === 'drop' ? file.dropped : (await file.countMissing()).incomplete,
      warnings: [...warnings, ...gapWarnings(await file.source.warnings?.())],
      explain: (error) => file.explain(error),
    };
  }

  /** Names of the numeric columns, if each has one of its own. */
  #columnNames(): readonly string[] | undefined {
    const names = this.#columnIndexes.map((index) => this.info.columns[index].name);
    return this.info.named && new Set(names).size === names.length ? names : undefined;
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

function describeColumns({ table, columnIndexes, mixed, missing, extra }: Parts): ColumnInfo[] {
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

/** Numbers in memory, opened as the command opens a file: it chooses columns and handles missing values in the same way. */
function openNumbers(
  numbers: Matrix<NumberArray>,
  path: string,
  options: FileOptions = {},
  names?: readonly string[],
): Promise<DataFile> {
  return openData(memoryTable(numbers, names), checkFileOptions(options), { path, bytes: undefined });
}

/** The warnings about missing values. Others are about the table in memory, and not about the file. */
function gapWarnings(warnings: readonly Warning[] = []): readonly Warning[] {
  return warnings.filter(({ code }) => code === 'ROWS_DROPPED' || code === 'VALUES_FILLED');
}

async function readNumbers(
  table: Table,
  columns: readonly number[],
  name: string,
  control: Control,
): Promise<Matrix<NumberArray>> {
  const builder = new MatrixBuilder(columns.length, table.rows, MAX_BYTES, name);
  const progress = new ProgressTracker(control);
  progress.begin('reading', table.rows);
  for await (const { block } of table.read({ numbers: table.uniform ? 'all' : columns })) {
    builder.add(block);
    const pause = progress.step(block.rows);
    if (pause) await pause;
  }
  progress.end();
  return builder.matrix();
}

/** Missing values per column. */
async function countMissing(numbers: Matrix<NumberArray>, name: string): Promise<readonly number[]> {
  const counts = new Array<number>(numbers.cols).fill(0);
  if (!memoryTable(numbers).mayMissValues) return counts;
  const { columns } = await (await openNumbers(numbers, name)).countMissing();
  for (const column of columns) counts[Number(column.name)] = column.count;
  return counts;
}

/** Why there are no numbers to read: without rows, the kinds of the columns are unknown. */
async function noNumbersError(table: Table, name: string): Promise<DataError> {
  if (!(await hasRows(table))) return new DataError('EMPTY_DATA', `${name} has no rows, only names of columns.`);
  return new DataError(
    'NOT_A_NUMBER',
    `No column of ${name} holds numbers. PCA needs at least one; numbers are written with a decimal point and without units.`,
  );
}

async function hasRows(table: Table): Promise<boolean> {
  if (table.rows !== undefined) return table.rows > 0;
  for await (const { block } of table.read({ numbers: [], texts: [0] })) if (block.rows > 0) return true;
  return false;
}

function mixedColumn(error: unknown): [column: number, cell: Cell] | undefined {
  if (!(error instanceof DataError) || !['NOT_A_NUMBER', 'BAD_DATA'].includes(error.code)) return undefined;
  const { row, column, value } = error.details;
  return row === undefined || column === undefined ? undefined : [column, { row, value }];
}

interface NumberColumn {
  readonly at: (row: number) => number;
  readonly format: (row: number) => string | null;
}

function numberColumn(at: (row: number) => number, isFloat32: boolean): NumberColumn {
  return { at, format: (row) => formatNumber(at(row), isFloat32) };
}

function numericColumns(columns: readonly TableColumn[]): number[] {
  return columns.flatMap(({ kind }, j) => (kind === 'number' ? [j] : []));
}

/** A number with all its digits, because it may be an identifier; null where the value is missing. */
export function formatNumber(value: number, isFloat32: boolean): string | null {
  if (Number.isNaN(value)) return null;
  if (!isFloat32) return String(value);
  // A float32 gets the fewest digits that tell it from its neighbours: further digits are noise.
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

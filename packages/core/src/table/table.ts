import { copyWith } from '../base/copy-with.js';
import { mapAsync } from '../base/map-async.js';
import type { Block, DenseBlock } from '../data/blocks/block.js';
import { packedRows } from '../data/blocks/block-rows.js';
import { decoded } from '../data/blocks/float16.js';

export { isGap } from '../data/blocks/gap.js';

import type { DType, RowSource } from '../data/blocks/row-source.js';
import type { RecordRow } from '../data/inputs/row-gatherer.js';
import type { Warning } from '../warning.js';

/** A value of a record. null, undefined, NaN and '' are missing values. */
export type Cell = string | number | boolean | bigint | null | undefined;

/** A row of a mixed table: by column name, or by position. */
export type TableRow = RecordRow | readonly Cell[];

/** Columns of one length, by name. */
export type ColumnTable = Readonly<Record<string, ArrayLike<Cell>>>;

/** A text of a file; null if the value is missing. */
export type Text = string | null;

/** What a column holds. A column of records is 'other' until its values are read. */
export type ColumnKind = 'number' | 'text' | 'other';

/** A column of a table. */
export interface TableColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The type in the words of the format: "int16", "VARCHAR", "row index". */
  readonly type: string;
  /** True if the column numbers the rows. It is analysed only if `columns` names it. */
  readonly index?: boolean | undefined;
  /** True if the name of the folder has the value, such as year=2024. It is analysed only if `columns` names it. */
  readonly partition?: boolean | undefined;
  /** The share of numbers among the first values of a column of text, if it is a fifth or more. */
  readonly numericShare?: number | undefined;
}

/** The columns to read, by their indexes. A column may be read as number and as text. */
export interface ReadRequest {
  /** Columns to read as numbers, in this order. */
  readonly numbers: readonly number[] | 'all';
  /** Columns to read as text. A table that does not declare `manyTexts` reads one at most. */
  readonly texts?: readonly number[] | undefined;
  /**
   * Columns whose cells are wanted as the file has them, also numbers and marks of missing values. They follow those of `texts` in
   * the texts of a batch. Only for a table that declares `verbatim`.
   */
  readonly verbatim?: readonly number[] | undefined;
}

/** Some rows of a table. */
export interface TableBatch<Value = Text> {
  /** The numbers; missing ones are NaN. Valid until the next batch is read. A step may overwrite them. */
  readonly block: Block;
  /** One list per column that was read as text. */
  readonly texts: readonly (readonly Value[])[];
  /** The numbers of the rows in the user's table, from 0. Undefined if they follow those of the batch before. */
  readonly rowNumbers?: readonly number[] | undefined;
}

/** Some rows of a table that is not sparse. */
export interface DenseBatch<Value = Text> extends TableBatch<Value> {
  readonly block: DenseBlock;
}

/** Rows that a cluster computes with: the columns to read as numbers, and what to do about missing values. */
export interface RemoteRequest {
  readonly numbers: readonly number[];
  readonly missing: 'error' | 'drop' | 'mean';
  /** Replacements for missing values; the column means if left out. */
  readonly fill?: ArrayLike<number> | undefined;
  /** Called when all rows were summed. Throws if they cannot be used. */
  onRead(read: RemoteReading): void;
}

/** Facts about rows that were read on a cluster. */
export interface RemoteReading {
  /** Rows of the table, rows with missing values, and rows that remain. */
  readonly read: number;
  readonly incomplete: number;
  readonly rows: number;
  /** Missing values per column, and infinite values per column of the remaining rows. */
  readonly gaps: Float64Array;
  readonly infinite: Float64Array;
}

/**
 * Columns, and batches of rows. Files, databases, clusters and records in memory become a table. A table step is a function
 * from a table to a table: it selects, filters, fills or encodes. `toRowSource` makes the rows that a fit reads.
 *
 * A table is a plain object, so that `changeTable` can copy it. `Value` is the type of a cell that is read as text: text or null
 * in a file, anything in records.
 */
export interface Table<Value = Text> {
  /** The format for people: "CSV, gzip". */
  readonly format: string;
  readonly columns: readonly TableColumn[];
  /** Number of columns. */
  readonly width: number;
  /** True if the columns have names; otherwise they are named by their indexes. */
  readonly named: boolean;
  /** True if all columns are numbers of one type, as in an array. There may be millions, so nothing lists them needlessly. */
  readonly uniform: boolean;
  /** Number of rows, if it is known. */
  readonly rows: number | undefined;
  /** An estimate of the number of rows, if it is unknown. */
  readonly expectedRows?: (() => number | undefined) | undefined;
  /** Number of stored entries, if rows are sparse. */
  readonly nonzeros?: number | undefined;
  /** Type of a block of these columns. */
  dtype(numbers: ReadRequest['numbers']): DType;
  /** True if a number may be missing. */
  readonly mayMissValues: boolean;
  /** True if steps look for missing values. Those of arrays are found by the fit, which is faster. */
  readonly checkMissing: boolean;
  /** True if `read` may be called again and yields the same rows. */
  readonly rereadable: boolean;
  /** True if one reading gives several columns as text. `readSeveralTexts` adds this to a table that reads one. */
  readonly manyTexts?: boolean | undefined;
  /** True if the table is a file of text that can give its cells as they are written. */
  readonly verbatim?: boolean | undefined;
  /** The dimensions of an array before they became rows and columns: [60000, 28, 28]. */
  readonly shape?: readonly number[] | undefined;
  read(request: ReadRequest): AsyncIterable<TableBatch<Value>>;
  /** For a table on a cluster: its rows there, for the engine that computes there. */
  readonly remote?: ((request: RemoteRequest) => RowSource['remote']) | undefined;
  /** For a table in several files: the file of a row, and its row in that file, from 0. */
  readonly locate?: ((row: number) => { readonly path: string; readonly row: number } | undefined) | undefined;
  /** Called after the last reading: what the user should know about how the rows were read. */
  readonly warnings?: (() => readonly Warning[] | Promise<readonly Warning[]>) | undefined;
  close(): Promise<void>;
}

/** The table with some properties replaced. Getters stay getters, so columns are not listed before they are needed. */
export function changeTable<Value>(table: Table<Value>, changes: Partial<Table<Value>>): Table<Value> {
  return copyWith(table, changes);
}

/** The table with more to close. */
export function withClose<Value>(table: Table<Value>, close: () => Promise<void>): Table<Value> {
  return changeTable(table, {
    close: async () => {
      try {
        await table.close();
      } finally {
        await close();
      }
    },
  });
}

/** The number of row `i` of a batch in the user's table; `first` rows came before the batch. */
export function rowNumberOf({ rowNumbers }: Pick<TableBatch, 'rowNumbers'>, i: number, first: number): number {
  return rowNumbers ? rowNumbers[i] : first + i;
}

/** Rows of a table as cells: numbers from columns of numbers, and texts or values from all others. */
export interface CellBatch<Value = unknown> {
  readonly rows: number;
  /** The cells of a column, by row of the batch. */
  readonly columns: readonly ((i: number) => unknown)[];
  /** The number of a row in the user's table. */
  rowNumber(i: number): number;
  /** Further columns that were asked for as text. */
  readonly texts: readonly (readonly Value[])[];
  readonly rowNumbers?: readonly number[] | undefined;
}

/** Reads the cells of columns of a table; of all columns if left out. `texts` are read as text besides, and `verbatim` as they are written. */
export function readCells<Value>(
  table: Table<Value>,
  chosen: readonly number[] = [...table.columns.keys()],
  texts: readonly number[] = [],
  verbatim?: readonly number[],
): AsyncIterable<CellBatch<Value>> {
  const { columns, uniform, width } = table;
  const isNumber = (j: number): boolean => columns[j].kind === 'number';
  const numbers = [...new Set(chosen.filter(isNumber))];
  const others = [...new Set([...chosen.filter((j) => !isNumber(j)), ...texts])];
  const numberSlots = new Map(numbers.map((j, at) => [j, at]));
  const textSlots = new Map(others.map((j, at) => [j, at]));
  const whole = uniform && numbers.length === width && numbers.every((j, at) => j === at);
  let first = 0;
  return mapAsync(
    table.read({ numbers: whole ? 'all' : numbers, texts: others, ...(verbatim ? { verbatim } : {}) }),
    (batch) => {
      const start = first;
      const { rows } = batch.block;
      first += rows;
      const { data, stride } = plainNumbers(batch.block);
      const valuesOf = (j: number): readonly Value[] => batch.texts[textSlots.get(j) ?? 0];
      return {
        rows,
        columns: chosen.map((j) => {
          if (!isNumber(j)) {
            const values = valuesOf(j);
            return (i: number) => values[i];
          }
          const at = numberSlots.get(j) ?? 0;
          return (i: number) => data[i * stride + at];
        }),
        rowNumber: (i: number) => rowNumberOf(batch, i, start),
        texts: [...texts.map(valuesOf), ...batch.texts.slice(others.length)],
        rowNumbers: batch.rowNumbers,
      };
    },
  );
}

/** The numbers of a block, with the zeros of sparse rows. */
function plainNumbers(block: Block): Pick<DenseBlock, 'data' | 'stride'> {
  return block.kind === 'dense' ? decoded(block) : { data: packedRows(block), stride: block.cols };
}

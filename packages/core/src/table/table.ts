import type { RecordRow } from '../data/inputs/row-gatherer.js';
import type { Warning } from '../warning.js';

/** A value of a mixed table. null, undefined, NaN and '' are gaps. */
export type Cell = string | number | boolean | bigint | null | undefined;

/** A row of a mixed table: by column name, or by position. */
export type TableRow = RecordRow | readonly Cell[];

/** Columns of one length, by name. */
export type ColumnTable = Readonly<Record<string, ArrayLike<Cell>>>;

/** Some rows of a table. */
export interface TableBatch {
  readonly rows: number;
  cell(row: number, column: number): unknown;
  /** The number of a row in the whole table, where rows before it were left out. */
  place?(row: number): number;
}

export function isGap(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === '' || Number.isNaN(cell);
}

/** The number of a row of a batch in the user's table, counted from 0; `first` rows came before the batch. */
export function rowNumber(batch: TableBatch, row: number, first: number): number {
  return batch.place ? batch.place(row) : first + row;
}

/** A column of a table: its name, and what it holds. */
export interface TableColumn {
  readonly name: string;
  /** Known where a file says it; otherwise the values tell. */
  readonly kind?: 'number' | 'category';
}

/** A source of rows with numbers and texts, in batches. */
export interface TableSource {
  readonly columns: readonly TableColumn[];
  /** Whether the names are the table's own; otherwise they are numbers from 0 up. */
  readonly named: boolean;
  /** How many rows; undefined where that is known only at the end. */
  readonly rows?: number;
  /** Whether `batches()` may be called again and yields the same rows. */
  readonly rereadable: boolean;
  batches(): Iterable<TableBatch> | AsyncIterable<TableBatch>;
  /** Called once, after the last reading: what the user should know about how the rows were read. */
  warnings?(): readonly Warning[] | Promise<readonly Warning[]>;
  close?(): void | Promise<void>;
}

/** The methods of a table that may be a class, for a table made from it. */
export function methodsOf(
  table: TableSource,
): Pick<TableSource, 'batches' | 'warnings' | 'close' | 'rereadable' | 'rows'> {
  return {
    rereadable: table.rereadable,
    ...(table.rows === undefined ? {} : { rows: table.rows }),
    batches: () => table.batches(),
    warnings: () => table.warnings?.() ?? [],
    close: () => table.close?.(),
  };
}

import { DataError, type Matrix, type NumberArray } from '@scree/core';
import type { Table } from '@scree/files/platform';
import { loadMatrix } from './matrix-builder.js';
import type { Control, TableCell } from './messages.js';

/** By index: columns of numbers in which a cell holds something else, and the first such cell. */
export type MixedColumns = ReadonlyMap<number, TableCell>;

/** The table is read again for each mixed column; with more of them, the file is not what it seemed. */
const MAX_MIXED_COLUMNS = 20;

/** The numeric columns of a table in memory. */
export interface NumbersOfTable {
  readonly numbers: Matrix<NumberArray>;
  /** Indexes in the table of the columns of `numbers`, in its order. */
  readonly columnIndexes: readonly number[];
  readonly mixed: MixedColumns;
}

/**
 * Reads all numeric columns of a table. A column that turns out to hold something else counts as text: the file cannot be
 * read with it, and the page has no other way to leave it out.
 */
export async function readNumbers(table: Table, name: string, control: Control): Promise<NumbersOfTable> {
  const mixed = new Map<number, TableCell>();
  for (;;) {
    const columnIndexes = table.columns.flatMap(({ kind }, j) => (kind === 'number' && !mixed.has(j) ? [j] : []));
    if (columnIndexes.length === 0) throw await noNumbersError(table, name);
    try {
      const numbers = await loadMatrix(table, table.uniform ? 'all' : columnIndexes, name, control);
      return { numbers, columnIndexes, mixed };
    } catch (error) {
      const found = mixedColumn(error);
      if (!found || mixed.size === MAX_MIXED_COLUMNS || columnIndexes.length === 1) throw error;
      mixed.set(...found);
    }
  }
}

/** The error for a table without columns of numbers. Without rows, the kinds of the columns are unknown. */
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

function mixedColumn(error: unknown): [column: number, cell: TableCell] | undefined {
  if (!(error instanceof DataError) || !['NOT_A_NUMBER', 'BAD_DATA'].includes(error.code)) return undefined;
  const { row, column, value } = error.details;
  return row === undefined || column === undefined ? undefined : [column, { row, value }];
}

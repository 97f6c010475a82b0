import { DataError, type Matrix, type NumberArray, ScreeError, type Warning } from '@scree/core';
import {
  changeTable,
  dropMissing,
  fillMissing,
  GapCounts,
  mapAsync,
  rowNumberOf,
  selectColumns,
} from '@scree/core/data';
import { withDetails } from '@scree/core/pipeline';
import { columnMeans, type Table } from '@scree/files/platform';
import { loadMatrix } from './matrix-builder.js';
import { memoryTable } from './memory-table.js';
import type { GapRule } from './messages.js';

/** The rows of a fit, and their rows in the table. */
export interface RowsToFit {
  readonly matrix: Matrix<NumberArray>;
  /** Rows of the table that were kept, in order; undefined if all were kept. */
  readonly keptRows?: Uint32Array;
  /** Rows with missing values, which were dropped or filled in. */
  readonly incompleteRows: number;
  /** Warnings about missing values, for the model. */
  readonly warnings: readonly Warning[];
}

/** Some columns of numbers in memory. */
export interface ChosenColumns {
  readonly numbers: Matrix<NumberArray>;
  /** Indexes of columns of `numbers`, and their names. */
  readonly columns: readonly number[];
  readonly names: readonly string[];
  /** True if no value of these columns is missing. */
  readonly isComplete: boolean;
  /** The name of the file, for errors. */
  readonly path: string;
}

/**
 * The rows to fit, by table steps: choose columns, then drop rows with missing values or fill in column means. Nothing is
 * copied if all columns are chosen and nothing is missing.
 */
export async function rowsToFit(given: ChosenColumns, missing: GapRule): Promise<RowsToFit> {
  const { numbers, columns, isComplete, path } = given;
  const isWhole = columns.length === numbers.cols && columns.every((column, at) => column === at);
  if (isComplete && isWhole) return { matrix: numbers, incompleteRows: 0, warnings: [] };
  const chosen = selectColumns(memoryTable(numbers), columns);
  if (isComplete) return { matrix: await loadMatrix(chosen, 'all', path, {}), incompleteRows: 0, warnings: [] };
  return missing === 'drop' ? dropRows(chosen, given) : fillRows(chosen, given);
}

async function dropRows(chosen: Table, { names, path }: ChosenColumns): Promise<RowsToFit> {
  let counts = new GapCounts();
  const keptRows: number[] = [];
  const complete = dropMissing(chosen, {
    numbers: 'all',
    texts: [],
    onRead: (found) => {
      counts = found;
    },
  });
  const numbered = changeTable(complete, {
    read: (request) =>
      mapAsync(complete.read(request), (batch) => {
        const first = keptRows.length;
        for (let i = 0; i < batch.block.rows; i++) keptRows.push(rowNumberOf(batch, i, first));
        return batch;
      }),
  });
  const matrix = await loadMatrix(numbered, 'all', path, {}).catch((error) => {
    throw keptRows.length === 0 && counts.dropped > 0 ? noCompleteRow(path) : error;
  });
  return {
    matrix,
    ...(counts.dropped > 0 ? { keptRows: Uint32Array.from(keptRows) } : {}),
    incompleteRows: counts.dropped,
    warnings: counts.warnings((column) => names[column]),
  };
}

async function fillRows(chosen: Table, { numbers, columns, names, path }: ChosenColumns): Promise<RowsToFit> {
  let counts = new GapCounts();
  const nameOf = (column: number): string => names[column];
  const roles = { cols: columns.length, usedAndWeight: 'all', weight: undefined } as const;
  const means = await columnMeans(chosen, roles, nameOf);
  const filled = fillMissing(chosen, {
    columns: 'all',
    values: async () => means,
    from: 'mean',
    onRead: (found) => {
      counts = found;
    },
  });
  const matrix = await loadMatrix(filled, 'all', path, {});
  return { matrix, incompleteRows: countIncomplete(numbers, columns), warnings: counts.warnings(nameOf) };
}

function countIncomplete({ rows, cols, data }: Matrix<NumberArray>, columns: readonly number[]): number {
  let incomplete = 0;
  for (let from = 0; from < rows * cols; from += cols) {
    if (columns.some((column) => Number.isNaN(data[from + column]))) incomplete++;
  }
  return incomplete;
}

function noCompleteRow(path: string): DataError {
  return new DataError('EMPTY_DATA', `Every row of ${path} has a missing value in one of the chosen columns.`, {
    reason: 'no-complete-row',
  });
}

/** The error of a fit with the name of the file, and with its row as the table counts it. */
export function withTableRow(error: unknown, keptRows: Uint32Array | undefined, path: string): unknown {
  const row = error instanceof ScreeError ? error.details.row : undefined;
  if (row === undefined) return error;
  return withDetails(error as ScreeError, { row: keptRows ? keptRows[row] : row, path });
}

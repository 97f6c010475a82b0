import { DataError, OptionError, ScreeError } from '@scree/core';
import type { FileRows } from './file-rows.js';
import { valueError } from './table-errors.js';

/** The error of an analysis with what the file knows about it: a change of the file, missing values, the row in the file. */
export async function explainError(error: unknown, rows: FileRows): Promise<unknown> {
  const changed = await changedFile(error, rows);
  if (changed) return changed;
  const { mayMissValues, rereadable } = rows.table;
  if (!(error instanceof ScreeError) || !rereadable) return error;
  const { code, details } = error;
  if (details.row === undefined || !(code === 'NOT_FINITE' || code === 'BAD_WEIGHTS')) return error;
  if (code === 'NOT_FINITE' && Number.isNaN(details.value) && mayMissValues && rows.missing === 'error')
    return rows.missingError();
  // The error counts the rows that were kept; people count the rows of the file.
  const [row] = await rows.rowsInFile([details.row]);
  const { column, columnName = column === undefined ? undefined : rows.columnName(column) } = details;
  return valueError(code, { ...details, ...(columnName === undefined ? {} : { columnName }), ...rows.place(row) });
}

/** If the file was changed while it was read, the change is what the error names. */
async function changedFile(error: unknown, { facts }: FileRows): Promise<DataError | undefined> {
  if (!(error instanceof ScreeError) || error instanceof OptionError || error.code === 'SOURCE_CHANGED')
    return undefined;
  const changed = (await facts.warnings?.())?.find(({ code }) => code === 'SOURCE_CHANGED');
  return changed && new DataError('SOURCE_CHANGED', `${changed.message} It failed then: ${error.message}`);
}

import { DataError, describeValue } from '../errors.js';
import { methodsOf, rowNumber, type TableBatch, type TableSource } from './table.js';

/** The table with these columns only, in this order. */
export function chooseColumns(table: TableSource, chosen: readonly string[] | undefined): TableSource {
  if (!chosen) return table;
  if (!table.named) {
    if (chosen.length === table.columns.length) {
      return {
        ...table,
        ...methodsOf(table),
        columns: chosen.map((name, j) => ({ ...table.columns[j], name })),
        named: true,
      };
    }
    throw new DataError(
      'WIDTH_MISMATCH',
      `The table has ${table.columns.length} columns without names, and ${chosen.length} are needed. Pass the same columns in the same order.`,
      { value: table.columns.length, expected: chosen.length },
    );
  }
  const places = chosen.map((name) => {
    const at = table.columns.findIndex((column) => column.name === name);
    if (at < 0)
      throw new DataError('MISSING_COLUMN', `The table has no column ${describeValue(name)}.`, { columnName: name });
    return at;
  });
  return {
    ...table,
    ...methodsOf(table),
    columns: places.map((at) => table.columns[at]),
    async *batches() {
      for await (const batch of table.batches()) yield pickColumns(batch, (j) => places[j]);
    },
  };
}

/** A batch with other columns: column j of it is column `from(j)` of the given one. */
export function pickColumns(batch: TableBatch, from: (j: number) => number): TableBatch {
  const { rows } = batch;
  const place = batch.place && ((row: number): number => rowNumber(batch, row, 0));
  return { rows, cell: (i, j) => batch.cell(i, from(j)), ...(place ? { place } : {}) };
}

import { changeTable, sourceTable, type Table } from '@scree/core/data';
import { openCompressed } from './open-compressed.js';

/** Opens a compressed file as a table of its decoded rows, so that every command can read it. */
export async function openCompressedTable(path: string): Promise<Table> {
  const { source, columnNames, dtype, close } = await openCompressed(path);
  const table = sourceTable(source);
  return changeTable(table, {
    format: 'scree, compressed',
    get columns() {
      return table.columns.map((column) => ({ ...column, type: dtype }));
    },
    uniform: columnNames === undefined,
    // Scores are checked when they are unpacked, so every value is a number.
    mayMissValues: false,
    manyTexts: true,
    warnings: undefined,
    close,
  });
}

import type { ProgressTracker } from '../base/progress.js';
import { empty } from '../data/inputs/to-block.js';
import { readCells, type Table } from './table.js';
import { valueTable } from './value-table.js';

/** The table itself if it can be read again; otherwise its values, kept in memory, equal texts once. */
export async function rereadableTable(table: Table<unknown>, progress: ProgressTracker): Promise<Table<unknown>> {
  if (table.rereadable) return table;
  const kept: unknown[][] = table.columns.map(() => []);
  const texts = new Map<string, string>();
  progress.begin('reading rows', table.rows);
  for await (const batch of readCells(table)) {
    for (const [j, values] of kept.entries()) {
      const cell = batch.columns[j];
      for (let i = 0; i < batch.rows; i++) {
        const value = cell(i);
        if (typeof value !== 'string') values.push(value);
        else {
          const known = texts.get(value);
          if (known === undefined) texts.set(value, value);
          values.push(known ?? value);
        }
      }
    }
    const pause = progress.step(batch.rows);
    if (pause) await pause;
  }
  progress.end();
  const rows = kept[0].length;
  if (rows === 0) throw empty();
  const { columns, named } = table;
  const facts = { columns: columns.map(({ name, kind }) => ({ name, kind })), named, rows, rereadable: true };
  const copy = valueTable(facts, () => [{ rows, values: (j) => kept[j] }]);
  return { ...copy, warnings: async () => (await table.warnings?.()) ?? [], close: () => table.close() };
}

import type { ProgressTracker } from '../base/progress.js';
import { empty } from '../data/inputs/to-block.js';
import { methodsOf, type TableSource } from './table.js';

/** The table itself where it can be read again; otherwise its values, kept in memory, equal texts once. */
export async function rereadableTable(table: TableSource, progress: ProgressTracker): Promise<TableSource> {
  if (table.rereadable) return table;
  const kept: unknown[][] = table.columns.map(() => []);
  const texts = new Map<unknown, unknown>();
  progress.begin('reading rows', table.rows);
  for await (const batch of table.batches()) {
    for (let j = 0; j < kept.length; j++) {
      for (let i = 0; i < batch.rows; i++) {
        const value = batch.cell(i, j);
        if (typeof value !== 'string') kept[j].push(value);
        else if (texts.has(value)) kept[j].push(texts.get(value));
        else {
          texts.set(value, value);
          kept[j].push(value);
        }
      }
    }
    const pause = progress.step(batch.rows);
    if (pause) await pause;
  }
  progress.end();
  const rows = kept[0].length;
  if (rows === 0) throw empty();
  return {
    ...methodsOf(table),
    columns: table.columns,
    named: table.named,
    rows,
    rereadable: true,
    batches: () => [{ rows, cell: (i, j) => kept[j][i] }],
  };
}

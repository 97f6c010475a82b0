import type { ProgressTracker } from '../base/progress.js';
import type { RowWeights } from '../data/statistics/weights.js';
import { DataError, describeValue } from '../errors.js';
import type { Warning } from '../warning.js';
import { isGap, methodsOf, type TableBatch, type TableSource } from './table.js';

/** A table without the rows that have a gap, and the weights of those that are left. */
export interface CompleteRows {
  readonly table: TableSource;
  readonly weights: Float64Array | undefined;
  readonly warnings: readonly Warning[];
}

/** Leaves out rows with a gap in any column: one reading to count them, and the same choice in every later one. */
export async function completeRows(
  table: TableSource,
  weights: RowWeights,
  progress: ProgressTracker,
): Promise<CompleteRows> {
  const gaps = new Float64Array(table.columns.length);
  const kept: number[] = [];
  let [rows, count, weighted] = [0, 0, false];
  progress.begin('gaps', table.rows);
  for await (const batch of table.batches()) {
    const own = weights.slice(rows, batch.rows);
    weighted ||= own !== undefined;
    for (let i = 0; i < batch.rows; i++) {
      if (hasGap(batch, i, gaps)) continue;
      count++;
      if (own) kept.push(own[i]);
    }
    rows += batch.rows;
    const pause = progress.step(batch.rows);
    if (pause) await pause;
  }
  weights.end(rows);
  progress.end();
  const dropped = rows - count;
  if (dropped === 0) return { table, weights: weighted ? Float64Array.from(kept) : undefined, warnings: [] };
  if (count === 0) {
    throw new DataError(
      'EMPTY_DATA',
      "No row is complete: nothing is left when those with missing values are dropped. Use missing: 'mean' or 'level', or leave out columns.",
      { reason: 'no-complete-row' },
    );
  }
  const columns = table.columns.flatMap(({ name }, j) => (gaps[j] > 0 ? [{ name, count: gaps[j] }] : []));
  const some = columns.slice(0, 5).map(({ name, count }) => `${describeValue(name)} (${count})`);
  if (columns.length > 5) some.push(`${columns.length - 5} more columns`);
  const message = `${dropped} of ${rows} rows ${dropped === 1 ? 'was' : 'were'} left out, because values are missing: ${some.join(', ')}.`;
  return {
    table: {
      ...methodsOf(table),
      columns: table.columns,
      named: table.named,
      rows: count,
      async *batches() {
        let first = 0;
        for await (const batch of table.batches()) {
          const places: number[] = [];
          for (let i = 0; i < batch.rows; i++) if (!hasGap(batch, i)) places.push(i);
          const from = first;
          yield { rows: places.length, cell: (i, j) => batch.cell(places[i], j), place: (i) => from + places[i] };
          first += batch.rows;
        }
      },
    },
    weights: weighted ? Float64Array.from(kept) : undefined,
    warnings: [{ code: 'ROWS_DROPPED', message, details: { count: dropped, rows, columns } }],
  };

  function hasGap(batch: TableBatch, row: number, counts?: Float64Array): boolean {
    let found = false;
    for (let j = 0; j < table.columns.length; j++) {
      if (!isGap(batch.cell(row, j))) continue;
      found = true;
      if (counts) counts[j]++;
    }
    return found;
  }
}

import type { ProgressTracker } from '../base/progress.js';
import type { RowWeights } from '../data/statistics/weights.js';
import { DataError } from '../errors.js';
import type { Warning } from '../warning.js';
import { keepRowSet } from './filter-rows.js';
import { GapCounts } from './gap-counts.js';
import { RowSet } from './row-set.js';
import { isGap, readCells, type Table } from './table.js';

/** A table without its incomplete rows, and the weights of the rows that remain. */
export interface RowsWithoutMissing {
  readonly table: Table<unknown>;
  readonly weights: Float64Array | undefined;
  readonly warnings: readonly Warning[];
}

/** Drops the rows that miss a value in any column. One reading finds them, and later readings drop the same rows. */
export async function dropIncompleteRows(
  table: Table<unknown>,
  weights: RowWeights,
  progress: ProgressTracker,
): Promise<RowsWithoutMissing> {
  const counts = new GapCounts();
  const complete = new RowSet();
  const kept: number[] = [];
  let weighted = false;
  progress.begin('gaps', table.rows);
  for await (const { rows, columns } of readCells(table)) {
    const own = weights.slice(complete.rows, rows);
    weighted ||= own !== undefined;
    for (let i = 0; i < rows; i++) {
      const gaps = [...columns.keys()].filter((j) => isGap(columns[j](i)));
      counts.rows++;
      complete.push(gaps.length === 0);
      if (gaps.length > 0) counts.drop(gaps);
      else if (own) kept.push(own[i]);
    }
    const pause = progress.step(rows);
    if (pause) await pause;
  }
  weights.end(complete.rows);
  progress.end();
  const left = weighted ? Float64Array.from(kept) : undefined;
  if (counts.dropped === 0) return { table, weights: left, warnings: [] };
  if (complete.chosen === 0) {
    throw new DataError(
      'EMPTY_DATA',
      "No row is complete: nothing is left when those with missing values are dropped. Use missing: 'mean' or 'level', or leave out columns.",
      { reason: 'no-complete-row' },
    );
  }
  const warnings = counts.warnings((j) => table.columns[j].name);
  return { table: keepRowSet(table, complete), weights: left, warnings };
}

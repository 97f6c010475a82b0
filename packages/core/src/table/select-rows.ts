import { mapAsync } from '../base/map-async.js';
import { RowPicker } from './filter-rows.js';
import { changeTable, type Table } from './table.js';

/** Ranges of rows, counted from 0, both ends included. */
export type RowRanges = readonly (readonly [first: number, last: number])[];

/** Which rows are selected. */
export interface RowSelection {
  readonly ranges: RowRanges;
  /** If true, the rows in the ranges are selected, otherwise all other rows. */
  readonly which: 'inside' | 'outside';
  /** The error if a range ends after the last row. */
  outOfRange(last: number, rows: number): Error;
}

/** The table, which is not sparse, with only the rows in the ranges, or with all others. */
export function selectRows<Value>(table: Table<Value>, { ranges, which, outOfRange }: RowSelection): Table<Value> {
  const inside = merged(ranges);
  const last = inside[inside.length - 1][1];
  const chosen = which === 'inside' ? inside : between(inside);
  const check = (rows: number): void => {
    if (rows <= last) throw outOfRange(last, rows);
  };
  if (table.rows !== undefined) check(table.rows);
  return changeTable<Value>(table, {
    rows: table.rows === undefined ? undefined : rowsIn(chosen, table.rows),
    shape: undefined,
    remote: undefined,
    read: (request) => {
      let [first, range] = [0, 0];
      const picker = new RowPicker();
      return mapAsync(
        table.read(request),
        (batch) => {
          const start = first;
          first += batch.block.rows;
          return picker.rows(batch, start, (i) => {
            while (range < chosen.length && chosen[range][1] < start + i) range++;
            return range < chosen.length && chosen[range][0] <= start + i;
          });
        },
        () => check(first),
      );
    },
  });
}

/** In order, without overlaps. */
function merged(ranges: RowRanges): [number, number][] {
  const out: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = out[out.length - 1];
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else out.push([first, last]);
  }
  return out;
}

/** The rows before, between and after the ranges. */
function between(ranges: RowRanges): [number, number][] {
  const starts = [0, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), Number.POSITIVE_INFINITY];
  return starts.map((first, i): [number, number] => [first, ends[i]]).filter(([first, last]) => first <= last);
}

function rowsIn(ranges: RowRanges, rows: number): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.max(0, Math.min(last + 1, rows) - first), 0);
}

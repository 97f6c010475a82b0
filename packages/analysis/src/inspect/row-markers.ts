import type { ColumnFacts } from './column-inspector.js';
import { isDate, isYear } from './date-columns.js';
import { Restarts } from './restarts.js';

/**
 * Why a column is not fitted by default: the reasons of the warning ID_COLUMN, a number that restarts within groups, a calendar year or
 * another part of a date, the index that the file declares, or because it colours the points.
 */
export type LeftOutReason =
  | 'counting'
  | 'one-way'
  | 'unique'
  | 'name'
  | 'restarts'
  | 'year'
  | 'date'
  | 'index'
  | 'colour';

/** A column that is left out, and why. */
export interface ColumnToLeaveOut {
  readonly column: number;
  readonly reason: LeftOutReason;
}

/** Facts about the columns of numbers in a table. */
export interface MarkerEvidence {
  readonly facts: readonly ColumnFacts[];
  /** Columns that identify rows, by the file or by the library's warning. */
  readonly identifiers: ReadonlyMap<number, LeftOutReason>;
  /** Columns that count up and restart. */
  readonly restarting: ReadonlySet<number>;
}

/** The columns that number or date the rows. They are not measurements, and are fitted only on request. */
export function rowMarkers({ facts, identifiers, restarting }: MarkerEvidence): ColumnToLeaveOut[] {
  const found = new Map(identifiers);
  for (const each of facts) {
    if (found.has(each.index)) continue;
    if (isYear(each)) found.set(each.index, 'year');
    else if (isDate(each)) found.set(each.index, 'date');
    else if (restarting.has(each.index)) found.set(each.index, 'restarts');
  }
  return [...found].map(([column, reason]) => ({ column, reason }));
}

/** Most levels of a restarting counter that may be groups: classes in turn, such as 1, 2, 3, 1, 2, 3, look the same. */
const MAX_GROUPS = 10;

/** The markers that cannot colour the points. */
export function surelyMarkers(markers: readonly ColumnToLeaveOut[], facts: readonly ColumnFacts[]): ColumnToLeaveOut[] {
  const few = new Set(facts.filter(({ levels }) => levels && levels.length <= MAX_GROUPS).map(({ index }) => index));
  return markers.filter(({ column, reason }) => reason !== 'restarts' || !few.has(column));
}

/**
 * The columns to leave out by default: those of row numbers and dates, and the one that colours the points, because its groups are
 * compared with the components. None if no column would remain.
 */
export function columnsToLeaveOut(
  candidates: readonly number[],
  markers: readonly ColumnToLeaveOut[],
  colour: number | undefined,
): ColumnToLeaveOut[] {
  const left = markers.filter(({ column }) => column !== colour);
  if (colour !== undefined && candidates.includes(colour)) left.push({ column: colour, reason: 'colour' });
  if (left.length >= candidates.length) return [];
  return left.sort((a, b) => a.column - b.column);
}

/** Returns true if a column only identifies rows. Dates and groups may be related to the measurements. */
export function tellsRowsApart(reason: LeftOutReason): boolean {
  return reason !== 'year' && reason !== 'date' && reason !== 'colour';
}

/** Fewest rows in which restarting whole numbers are counters, as in the library's warnings. */
const COUNTED_ROWS = 10;

/**
 * Returns true if numbers count up, mostly by 1, and restart at least once, as a sample number within groups does. Every group must
 * start near the lowest number, and no number may follow itself.
 */
export function countsWithinGroups(rows: number, at: (row: number) => number): boolean {
  if (rows < COUNTED_ROWS || !Number.isInteger(at(0))) return false;
  const restarts = new Restarts(at(0));
  for (let i = 1; i < rows; i++) {
    const step = at(i) - at(i - 1);
    if (step === 0 || !Number.isInteger(at(i)) || !restarts.add(at(i), step)) return false;
  }
  return restarts.found;
}

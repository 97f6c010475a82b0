import type { ColumnStatistics } from '@scree/core/data';
import { type ColumnFacts, columnsFromStatistics, type InspectedColumns } from './column-inspector.js';
import { duplicatesOfScatter, LEAST_CHANGES, LEAST_ROWS } from './duplicate-columns.js';

/** Most different values that are kept per column, as in `ColumnInspector`. */
const MOST_LEVELS = 32;
/** Most runs that are kept per column. A column with more runs does not number rows. */
const MOST_RUNS = 1024;

/**
 * Facts about single values that can be merged without the rows, in any order of the parts: the number of zeros, whether all values are
 * whole numbers, and the different values if they are few. The ends of columns that rise or fall throughout a part are kept, to
 * recognise row numbers that continue from part to part.
 */
export interface ColumnTally {
  readonly zeros: readonly number[];
  readonly integers: readonly boolean[];
  readonly levels: readonly (readonly number[] | null)[];
  readonly runs: readonly (readonly NumberRun[] | null)[];
}

/** The range of whole numbers that rise or fall throughout, and whether the steps are 1. */
export type NumberRun = readonly [low: number, high: number, counting: boolean];

/** Facts about single values; undefined if columns were not inspected. */
export function tallyOf({ columns }: InspectedColumns): ColumnTally | undefined {
  if (columns.some(({ zeros }) => zeros === undefined)) return undefined;
  return {
    zeros: columns.map(({ zeros = 0 }) => zeros),
    integers: columns.map(({ integers = false }) => integers),
    levels: columns.map(({ levels }) => levels ?? null),
    runs: columns.map(({ steps, min, max }) =>
      steps === 'counting' || steps === 'one-way' ? [[min, max, steps === 'counting']] : null,
    ),
  };
}

/** The tally of both parts; undefined if one of them has none. */
export function mergeTallies(one: ColumnTally | undefined, other: ColumnTally | undefined): ColumnTally | undefined {
  if (!one || !other) return undefined;
  return {
    zeros: one.zeros.map((zeros, j) => zeros + other.zeros[j]),
    integers: one.integers.map((integers, j) => integers && other.integers[j]),
    levels: one.levels.map((levels, j) => mergeLevels(levels, other.levels[j])),
    runs: one.runs.map((runs, j) => mergeRuns(runs, other.runs[j])),
  };
}

function mergeLevels(one: readonly number[] | null, other: readonly number[] | null): readonly number[] | null {
  if (!one || !other) return null;
  const both = [...new Set([...one, ...other])].sort((a, b) => a - b);
  return both.length > MOST_LEVELS ? null : both;
}

/** Disjoint runs. Adjacent counting runs are joined. Null if runs overlap. */
function mergeRuns(one: readonly NumberRun[] | null, other: readonly NumberRun[] | null): readonly NumberRun[] | null {
  if (!one || !other) return null;
  const joined: NumberRun[] = [];
  for (const [low, high, counting] of [...one, ...other].sort(([a], [b]) => a - b)) {
    const last = joined[joined.length - 1];
    if (last && low <= last[1]) return null;
    if (last && counting && last[2] && low === last[1] + 1) joined[joined.length - 1] = [last[0], high, true];
    else joined.push([low, high, counting]);
  }
  return joined.length > MOST_RUNS ? null : joined;
}

/** Facts about columns from statistics, tally and scatter, without the rows. Correlations are those of all rows. */
export function columnsFromTally(
  statistics: Readonly<ColumnStatistics>,
  scatter: Float64Array | undefined,
  tally: ColumnTally | undefined,
  names: readonly string[] | undefined,
): InspectedColumns {
  const read = columnsFromStatistics(statistics, names);
  if (!tally) return read;
  const { rows } = read;
  const columns = read.columns.map((facts, j): ColumnFacts => {
    const [levels, runs] = [tally.levels[j], tally.runs[j]];
    const steps = !runs ? undefined : runs.length === 1 && runs[0][2] ? ('counting' as const) : ('one-way' as const);
    return {
      ...facts,
      zeros: tally.zeros[j],
      integers: tally.integers[j],
      ...(levels ? { levels } : {}),
      ...(steps ? { steps } : {}),
    };
  });
  // Columns with few values are left out: the most frequent value may be nearly all of them, and its count is not known.
  const varies = ({ index, deviation, levels }: ColumnFacts): boolean =>
    deviation > 0 && !levels && rows - tally.zeros[index] >= LEAST_CHANGES;
  const varying = columns.filter(varies).map(({ index }) => index);
  const duplicates = scatter && rows >= LEAST_ROWS ? duplicatesOfScatter(scatter, statistics.mean.length, varying) : [];
  return { rows, columns, duplicates, sampledRows: rows };
}

/** Returns true if a stored value is a tally of `cols` columns. */
export function isTally(value: unknown, cols: number): value is ColumnTally {
  if (typeof value !== 'object' || value === null) return false;
  const { zeros, integers, levels, runs } = value as Record<string, unknown>;
  const all = (list: unknown, test: (entry: unknown) => boolean): boolean =>
    Array.isArray(list) && list.length === cols && list.every(test);
  const isLevels = (entry: unknown): boolean =>
    entry === null || (Array.isArray(entry) && entry.length <= MOST_LEVELS && entry.every(Number.isFinite));
  const isRun = (entry: unknown): boolean =>
    Array.isArray(entry) && entry.length === 3 && entry.slice(0, 2).every(Number.isFinite);
  return (
    all(zeros, (entry) => Number.isSafeInteger(entry) && (entry as number) >= 0) &&
    all(integers, (entry) => typeof entry === 'boolean') &&
    all(levels, isLevels) &&
    all(runs, (entry) => entry === null || (Array.isArray(entry) && entry.length <= MOST_RUNS && entry.every(isRun)))
  );
}

import type { ColumnFacts, InspectedColumns } from './column-inspector.js';
import { differentUnits, type OneUnit, whyOneUnit } from './column-units.js';
import { kindsOfColumns } from './column-warnings.js';
import { constantSums } from './structure/constant-sum.js';
import { areOrdered } from './structure/ordered-columns.js';
import { columnKey } from './structure/structure-check.js';

/** Ratio of standard deviations above which spreads differ: a column with twice the spread counts four times in the variance. */
export const SPREADS_DIFFER = 2;

/** Why `scale: 'auto'` took a rule. */
export type ScaleReason =
  /** Names of columns end in different units. */
  | 'units-differ'
  /** Nothing says that columns have one unit, and their standard deviations differ more than twofold. */
  | 'spreads-differ'
  /** Columns seem to have one unit; `evidence` says why. */
  | 'one-unit'
  /** Neighbouring columns are alike, as in a spectrum. */
  | 'ordered'
  /** Columns are parts of a whole. */
  | 'parts'
  /** Standard deviations differ less than twofold. */
  | 'spreads-alike'
  /** There is at most one column that varies. */
  | 'one-column'
  /** Means are not subtracted, so spreads about them do not matter. */
  | 'not-centred'
  /** The rows are on a cluster, and were not read before the fit. */
  | 'not-read';

/** The scaling that `scale: 'auto'` chose, and why. */
export interface ScaleChoice {
  readonly rule: 'none' | 'unit';
  readonly reason: ScaleReason;
  /** For `one-unit`. */
  readonly evidence?: OneUnit;
  /** For `units-differ`. */
  readonly units?: readonly string[];
  /** The columns with the largest and the smallest standard deviation, by name or index. */
  readonly spreads?: readonly { readonly column: string | number; readonly deviation: number }[];
}

/**
 * Unit variance if columns have different units or spreads, none for columns of one instrument. In this order: columns of a spectrum or
 * of a composition have one unit; units in names decide; the same range, the same minimum of many columns, and names that are lengths or
 * positions show one unit; otherwise columns are scaled if their standard deviations differ more than twofold. Columns that number rows
 * or hold codes of classes do not count.
 */
export function chooseScale(read: InspectedColumns, centred: boolean): ScaleChoice {
  if (!centred) return { rule: 'none', reason: 'not-centred' };
  const { measured } = kindsOfColumns(read);
  const columns = measured.filter(({ deviation }) => deviation > 0 && Number.isFinite(deviation));
  if (columns.length < 2) return { rule: 'none', reason: 'one-column' };
  const spreads = extremeSpreads(columns);
  if (areOrdered(read.sample, columns)) return { rule: 'none', reason: 'ordered', spreads };
  if (constantSums(read.sample, columns)) return { rule: 'none', reason: 'parts', spreads };
  const units = differentUnits(columns);
  if (units) return { rule: 'unit', reason: 'units-differ', units, spreads };
  const evidence = whyOneUnit(columns);
  if (evidence) return { rule: 'none', reason: 'one-unit', evidence, spreads };
  const [largest, smallest] = spreads;
  return largest.deviation > SPREADS_DIFFER * smallest.deviation
    ? { rule: 'unit', reason: 'spreads-differ', spreads }
    : { rule: 'none', reason: 'spreads-alike', spreads };
}

function extremeSpreads(columns: readonly ColumnFacts[]): NonNullable<ScaleChoice['spreads']> {
  const sorted = [...columns].sort((a, b) => b.deviation - a.deviation);
  return [sorted[0], sorted[sorted.length - 1]].map((column) => ({
    column: columnKey(column),
    deviation: column.deviation,
  }));
}

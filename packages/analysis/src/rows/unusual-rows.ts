import type { ComparedModel } from './compared-model.js';
import { type FarRow, LISTED_ROWS, type RowFacts, type RowTitle, type WorstRow } from './row-facts.js';
import { type RowLimits, type RowsOf, rowLimits, unusualLevel } from './row-limits.js';
import type { RowValues } from './row-values.js';

/** A row, and how far it is beyond the limits. */
export interface RankedRow extends RowTitle {
  readonly t2: number;
  readonly error: number;
  /** The columns that contribute most to Q, with their shares; empty if Q is not among the largest. */
  readonly columns: WorstRow['columns'];
  /** T² and Q divided by the limits of unusual rows; 0 without a limit. */
  readonly ratios: { readonly t2: number; readonly q: number };
}

/** The rows compared with the limits of T² and Q. */
export interface UnusualRows {
  readonly kind: RowsOf;
  /** 95 % limits. */
  readonly limits: RowLimits;
  /** Limits that allow for the number of rows. A row beyond them is called unusual. */
  readonly unusualLimits: RowLimits;
  /** Values of Q below this are rounding, and are shown as 0. */
  readonly rounding: number;
  /** The number of rows beyond each 95 % limit. */
  readonly beyond: { readonly t2: number; readonly q: number };
  /** The number of rows with more T² than the median of normally distributed rows. */
  readonly aboveMedian: number;
  /** The numbers of rows that are unusual in T², in Q, and in either; the last is undefined if there are too many rows to keep. */
  readonly counts: { readonly t2: number; readonly q: number; readonly either: number | undefined };
  /** True if the counts are exact. */
  readonly exact: boolean;
  /** The most extreme rows, most extreme first. */
  readonly ranked: readonly RankedRow[];
  /** The unusual rows among them: all of them if `complete`. */
  readonly unusual: readonly RankedRow[];
  readonly complete: boolean;
}

/** Squared distances of rounding alone, as a share of the variance: (4500 × 2⁻⁵²)². */
const ROUNDING = 1e-24;

export function findUnusualRows(model: ComparedModel, facts: RowFacts, kind: RowsOf): UnusualRows {
  // Errors of new rows say nothing about the errors of good rows.
  const options = { rows: kind, ...(kind === 'fit' ? { errors: facts.errors } : {}) };
  const limits = rowLimits(model, options);
  const unusualLimits = rowLimits(model, { ...options, level: unusualLevel(facts.rows) });
  const ratio = (value: number, limit: number | null): number => (limit === null ? 0 : value / limit);
  const rows = new Map<number, FarRow & Partial<WorstRow>>();
  for (const each of [...facts.farthest, ...facts.worst]) rows.set(each.row, each);
  const ranked = [...rows.values()]
    .map(({ row, number, name, t2, error, columns = [] }): RankedRow => {
      const ratios = { t2: ratio(t2, unusualLimits.t2), q: ratio(error, unusualLimits.q) };
      return { row, number, name, t2, error, ratios, columns };
    })
    .sort((a, b) => worse(b) - worse(a) || a.row - b.row);
  const unusual = ranked.filter((row) => worse(row) > 1);
  // A list that is not full has all unusual rows.
  const listed = { t2: unusual.filter(({ ratios }) => ratios.t2 > 1), q: unusual.filter(({ ratios }) => ratios.q > 1) };
  const all = { t2: listed.t2.length < LISTED_ROWS, q: listed.q.length < LISTED_ROWS };
  const counts = {
    t2: all.t2 ? listed.t2.length : above(facts.t2, unusualLimits.t2),
    q: all.q ? listed.q.length : above(facts.distances, root(unusualLimits.q)),
    either: all.t2 && all.q ? unusual.length : either(facts, unusualLimits),
  };
  return {
    kind,
    limits,
    unusualLimits,
    rounding: ROUNDING * model.totalVariance,
    beyond: { t2: above(facts.t2, limits.t2), q: above(facts.distances, root(limits.q)) },
    aboveMedian: above(facts.t2, rowLimits(model, { ...options, level: 0.5 }).t2),
    counts,
    exact: facts.t2.exact && facts.distances.exact,
    ranked,
    unusual,
    complete: counts.either === unusual.length,
  };
}

/**
 * Returns true if the number of rows and their sums of squares are those of the fit. Weights of the rows are not known here, so rows of
 * a weighted fit count as new.
 */
export function areRowsOfFit(model: ComparedModel, { rows, squareSum, errorSum }: RowFacts): boolean {
  const { n, totalWeight, ddof, totalVariance, variances } = model;
  const total = (n - ddof) * totalVariance;
  const left = total - (n - ddof) * variances.reduce((sum, variance) => sum + variance, 0);
  const same = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * total;
  return rows === n && totalWeight === n && same(squareSum, total) && same(errorSum, left);
}

function worse({ ratios }: RankedRow): number {
  return Math.max(ratios.t2, ratios.q);
}

function above(values: RowValues, limit: number | null): number {
  return limit === null ? 0 : values.above(limit);
}

/** Q is a squared distance. */
function root(limit: number | null): number | null {
  return limit === null ? null : Math.sqrt(limit);
}

function either({ t2, distances }: RowFacts, limits: RowLimits): number | undefined {
  const [far, off] = [t2.values, distances.values];
  if (!far || !off) return undefined;
  const [farthest, most] = [limits.t2 ?? Number.POSITIVE_INFINITY, root(limits.q) ?? Number.POSITIVE_INFINITY];
  let count = 0;
  for (let i = 0; i < far.length; i++) if (far[i] > farthest || off[i] > most) count++;
  return count;
}

import type { Encoding, Model, RowSource } from '@scree/core';
import { mapSource } from '@scree/core/data';
import { subspaceAngles } from '@scree/core/linalg';
import type { ProgressTracker, RobustMethod } from '@scree/core/pipeline';
import { STABLE_ANGLE } from '../describe/describe-stability.js';
import type { FitQuestions } from '../fit-and-ask.js';
import { hasVariance, type Reason } from '../reasons.js';
import type { RowFacts, RowTitle } from '../rows/row-facts.js';
import { fitRobust } from './fit-robust.js';
import { type InfluentialRow, influentialRows } from './influence.js';
import { classicalDistances, type LookedScores, rowsToEstimate, rowsToLookAt, scoresOf } from './looked-rows.js';
import { DEFAULT_SHARE, farthest, MOST_FLAGGED } from './robust.js';
import { distanceLimits, distancesFrom, rowsBeyond, strictLimits } from './robust-distances.js';
import { allComponents, fitWithout, keptWithout } from './without-rows.js';

/** A row in the outlier map. */
export interface MappedRow extends RowTitle {
  /** Score and orthogonal distance from the robust subspace. */
  readonly robust: readonly [score: number, orthogonal: number];
  /** The same from the classical components, as many of them. */
  readonly classical: readonly [score: number, orthogonal: number];
  readonly flagged: boolean;
}

/** Rows that differ from the others by a robust measure, and what they do to the components. */
export interface SecondLook {
  readonly method: RobustMethod;
  /** Components of the robust subspace. */
  readonly components: number;
  /** Share of the rows that the robust estimate is computed from. */
  readonly share: number;
  /** Rows that were looked at, and rows of the table. They differ if the table is large, and the look is at a sample. */
  readonly rows: number;
  readonly ofRows: number;
  /** Rows beyond a 97.5 % limit: as in the literature, so a few good rows are among them. The farthest, if they are very many. */
  readonly flagged: readonly RowTitle[];
  readonly flaggedCount: number;
  /** Those of them beyond limits that allow for the number of rows: rows that lie apart from the others. */
  readonly apart: readonly RowTitle[];
  readonly apartCount: number;
  /** True if more rows are flagged than good rows would be by chance, or if the flagged rows make a component. */
  readonly manyFlagged: boolean;
  /** About as many good rows would be flagged. */
  readonly flaggedByChance: number;
  /** The 97.5 % limits of both distances, and those of the classical components. */
  readonly scoreLimit: number;
  readonly orthogonalLimit: number | null;
  readonly classicalLimits: { readonly score: number; readonly orthogonal: number | null };
  /** The share of the variance of each component of the model that the flagged rows make, from 0 to 1. */
  readonly shares: readonly number[];
  /** The rows that were left out to see what they do: those flagged, or those apart if most of the flagged rows are not. */
  readonly leftOut: readonly RowTitle[];
  readonly leftOutCount: number;
  /** The share of the variance of each component that these rows make. */
  readonly leftOutShares: readonly number[];
  /** The angle by which each component turns without these rows; empty if there are none, or too many to leave out. */
  readonly turns: readonly number[];
  /** The largest angle between the space of the kept components (at least the first) and the robust subspace of as many. */
  readonly angle: number;
  /** The number of components that stand out without these rows; null if no test was made. */
  readonly kWithout: number | null;
  /** Components, from 1, that these rows drive. */
  readonly drives: readonly number[];
  /** The rows that turn a kept component most if they are left out alone, largest angle first. */
  readonly influence: readonly InfluentialRow[];
  /** Rows for the outlier map: all, or the flagged ones and an even sample. */
  readonly map: readonly MappedRow[];
}

/** The parts of a fit that the second look needs. */
export interface LookedAt {
  readonly source: RowSource;
  readonly model: Model;
  readonly kept: number;
  readonly facts: RowFacts;
  /** How the table was encoded, if it was not just numbers. */
  readonly coding: Encoding | undefined;
  readonly options: FitQuestions;
}

/** Fewer rows than this have no majority to compare a row with. */
const FEWEST_ROWS = 8;
/** Most components that the robust subspace has. */
const MOST_COMPONENTS = 10;
/** A component is made by few rows if they have at least half of its variance. The most extreme 5 % of normal rows have a quarter. */
const HALF = 0.5;
/** The largest share of few rows: what the robust estimate promises to withstand. Larger groups are a part of the data. */
const FEW = 1 - DEFAULT_SHARE;
/**
 * The share of good rows beyond one of the two limits, and what is added to it, over √n, because limits are estimated: typically, and in
 * 93 % of tables of normal rows (360 simulated tables of 15 to 300 rows).
 */
const [FLAGGED_BY_CHANCE, TYPICAL, ESTIMATED] = [0.05, 0.3, 0.8];
/** Rows of the outlier map. */
const MAPPED = 2000;

/**
 * Takes a second look at a fit: finds rows that differ from the others by ROBPCA, and what they do to the components. The table is the
 * same as in the fit, and columns have the scale of the fit, so that the answer is about this fit. Work is predicted from the shape,
 * and large tables are sampled, so that the look takes no longer than 0.3 seconds or five times the fit, and the same table gives the
 * same result.
 *
 * Few rows drive a component if all of this holds:
 * - they are at most a quarter of the rows, the share that the estimate withstands;
 * - at least half of them lie apart from the others even if the number of rows is allowed for, so that the tails of good rows, of which
 *   5 % are flagged, are not taken for outliers. If most of the flagged rows do not, only those apart are examined;
 * - they make at least half of the variance of the component;
 * - without them the component turns by more than 30°, the angle from which components count as unstable, or stands out no longer.
 */
export async function secondLook(asked: LookedAt, progress: ProgressTracker): Promise<SecondLook | Reason> {
  const { model, kept, facts, options } = asked;
  const unsuitable = whyNot(asked);
  if (unsuitable) return unsuitable;
  const { n, d } = model;
  const looked = await rowsToLookAt(mapSource(asked.source, { close: () => {} }), facts, options.weights, progress);
  const { source } = looked;
  const k = Math.min(Math.max(2, kept), model.uniqueness.rank, MOST_COMPONENTS);
  const rows = rowsToEstimate(looked, model);
  const request = { method: 'projection' as const, k, share: DEFAULT_SHARE, seed: options.seed ?? 0, rows };
  const found = await fitRobust(source, model.scale, request, progress);
  const distances = await distancesFrom(source, found, model.scale, progress);
  const limits = distanceLimits(distances, found.variances.length, found.dimensions);
  const weighs = (row: number): boolean => looked.weightOf(row) > 0;
  const flagged = rowsBeyond(distances, limits).filter(weighs);
  const strict = strictLimits(distances, limits, found.variances.length, looked.rows - flagged.length);
  const apart = rowsBeyond(distances, strict).filter(weighs);
  const whole = await allComponents(source, looked.weights, model, options);
  const scored = await scoresOf(source, whole, progress);
  const shares = sharesOf(flagged, scored, looked.weightOf).slice(0, model.k);
  // A large table has many flagged rows by chance. They would hide what few rows far apart do.
  const leftOut = apart.length > 0 && 2 * apart.length < flagged.length ? apart : flagged;
  const own = leftOut === flagged ? shares : sharesOf(leftOut, scored, looked.weightOf).slice(0, model.k);
  const without =
    leftOut.length > 0 && leftOut.length <= looked.rows / 2
      ? await fitWithout(source, leftOut, looked.weights, model, options, progress)
      : undefined;
  const kWithout = without ? await keptWithout(source, leftOut, model, options, progress) : (model.choice?.k ?? null);
  const turns = without?.turns ?? [];
  // If nothing stands out, there is no answer that few rows could have made, unless they hide one.
  const said = kept > 0 ? kept : kWithout !== null && kWithout > 0 ? 1 : 0;
  const examined = indices(Math.min(said, own.length, turns.length));
  const few = leftOut.length <= FEW * looked.rows;
  const made = few ? examined.filter((c) => own[c] >= HALF && falls(c, turns, kWithout, kept)) : [];
  const drives = 2 * apart.length >= leftOut.length ? made : [];
  const byChance = (more: number): number => looked.rows * (FLAGGED_BY_CHANCE + more / Math.sqrt(looked.rows));
  const title = (row: number): RowTitle => titleOf(looked.rowOf(row), facts);
  const first = Math.max(1, Math.min(kept, found.variances.length));
  const classical = classicalDistances(scored, whole, k);
  const listed = farthest(flagged, distances, limits);
  return {
    method: 'projection',
    components: found.variances.length,
    share: DEFAULT_SHARE,
    rows: looked.rows,
    ofRows: n,
    flagged: listed.map(title),
    flaggedCount: flagged.length,
    apart: apart.slice(0, MOST_FLAGGED).map(title),
    apartCount: apart.length,
    manyFlagged: flagged.length > byChance(ESTIMATED) || made.length > 0,
    flaggedByChance: Math.max(1, Math.round(byChance(TYPICAL))),
    scoreLimit: limits.score,
    orthogonalLimit: limits.orthogonal,
    classicalLimits: classical.limits,
    shares,
    leftOut: leftOut.slice(0, MOST_FLAGGED).map(title),
    leftOutCount: leftOut.length,
    leftOutShares: own,
    turns,
    angle: Math.max(
      0,
      ...subspaceAngles(
        model.components.data.slice(0, first * d),
        first,
        found.components.slice(0, first * d),
        first,
        d,
      ),
    ),
    kWithout,
    drives: drives.map((c) => c + 1),
    influence: influentialRows(scored, whole, Math.max(1, kept), { flagged: listed, weightOf: looked.weightOf, title }),
    map: mapOf(listed, distances, classical, title),
  };
}

/** Why there is no second look; undefined if there is one. */
function whyNot({ source, model, facts, coding: encoding }: LookedAt): Reason | undefined {
  const { n, d } = model;
  if (!hasVariance(model)) return { code: 'NO_VARIANCE' };
  if (d === 1) return { code: 'ONE_COLUMN' };
  if (facts.rows < FEWEST_ROWS) return { code: 'FEW_ROWS', details: { rows: facts.rows, expected: FEWEST_ROWS } };
  if (!source.rereadable) return { code: 'READ_ONCE' };
  if (source.remote) return { code: 'LARGE_TABLE', details: { rows: n, cols: d } };
  if (!model.centered)
    return {
      code: 'UNSUITABLE',
      message: 'The robust distances are for centred columns, and this fit is not centred.',
    };
  if (encoding && encoding.method !== 'pca')
    return { code: 'UNSUITABLE', message: 'The robust distances are for columns of numbers, not for categories.' };
  return undefined;
}

/** Returns true if component c turns, or does not stand out any more, without the flagged rows. */
function falls(c: number, turns: readonly number[], kWithout: number | null, kept: number): boolean {
  return turns[c] > STABLE_ANGLE || (kWithout !== null && c < kept && c >= kWithout);
}

/** Σ over the flagged rows of wz² / Σ over all rows, of each component. */
function sharesOf(
  flagged: readonly number[],
  { scores, k, rows }: LookedScores,
  weightOf: (row: number) => number,
): number[] {
  const add = (sums: Float64Array, row: number): void => {
    for (let c = 0; c < k; c++) sums[c] += weightOf(row) * scores[row * k + c] ** 2;
  };
  const [own, all] = [new Float64Array(k), new Float64Array(k)];
  for (const row of flagged) add(own, row);
  for (let row = 0; row < rows; row++) add(all, row);
  return Array.from(own, (sum, c) => (all[c] > 0 ? Math.min(1, sum / all[c]) : 0));
}

function titleOf(row: number, { numberOf, nameOf }: RowFacts): RowTitle {
  return { row, number: numberOf(row), name: nameOf?.(row) ?? null };
}

/** The rows of the outlier map: all, or the flagged rows and an even sample of the others. */
function mapOf(
  flagged: readonly number[],
  robust: { readonly score: Float64Array; readonly orthogonal: Float64Array },
  classical: { readonly score: Float64Array; readonly orthogonal: Float64Array },
  title: (row: number) => RowTitle,
): MappedRow[] {
  const n = robust.score.length;
  const marked = new Set(flagged);
  const step = Math.max(1, Math.ceil(n / MAPPED));
  const shown = new Set(flagged.slice(0, MAPPED));
  for (let row = 0; row < n; row += step) shown.add(row);
  return [...shown]
    .sort((a, b) => a - b)
    .map((row) => ({
      ...title(row),
      robust: [robust.score[row], robust.orthogonal[row]] as const,
      classical: [classical.score[row], classical.orthogonal[row]] as const,
      flagged: marked.has(row),
    }));
}

function indices(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

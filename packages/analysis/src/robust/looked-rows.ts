import { type Model, RowMatrix, type RowSource } from '@scree/core';
import { identityScaler, matrixSource, packTile } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import { chooseEngine, deviationOf, type ProgressTracker, reconstructBlock } from '@scree/core/pipeline';
import { scatter } from '../reading/even-sample.js';
import type { RowFacts } from '../rows/row-facts.js';
import { hotellingT2 } from '../rows/row-limits.js';
import { upperChiSquared } from '../statistics/distributions.js';
import { orthogonalLimit, twoThirds } from './projection.js';
import { LEVEL } from './robust-distances.js';
import { projectionOperations } from './robust-method.js';

/** The rows of a second look. */
export interface LookedRows {
  readonly source: RowSource;
  readonly rows: number;
  /** The index in the table of a row of `source`. */
  rowOf(row: number): number;
  readonly weights: ArrayLike<number> | undefined;
  weightOf(row: number): number;
}

/** Most numbers that are looked at. Larger tables are sampled. */
const MOST_NUMBERS = 1e7;
/** Operations of the robust estimate that take less than a tenth of a second, and operations per second. */
const [OPERATIONS, PER_SECOND] = [4e7, 6e8];
/** How much longer than the fit the robust estimate may take. */
const TIMES_THE_FIT = 2;
/** Fewest rows of an estimate. */
const FEWEST = 50;

/** All rows; of a large table an even sample, and the rows that are farthest from the mean and from the components. */
export async function rowsToLookAt(
  source: RowSource,
  facts: RowFacts,
  weights: ArrayLike<number> | undefined,
  progress: ProgressTracker,
): Promise<LookedRows> {
  const { rows } = facts;
  const d = source.cols;
  if (rows * d <= MOST_NUMBERS) {
    return { source, rows, rowOf: (row) => row, weights, weightOf: (row) => (weights ? weights[row] : 1) };
  }
  const most = Math.max(FEWEST, Math.floor(MOST_NUMBERS / 4 / d));
  const chosen = new Set(evenRows(rows, most));
  for (const { row } of [...facts.farthest, ...facts.worst]) chosen.add(row);
  const places = [...chosen].sort((a, b) => a - b);
  const data = new Float64Array(places.length * d);
  const scaler = identityScaler(d);
  let [first, at] = [0, 0];
  progress.begin('sampled rows', rows);
  for await (const block of source.blocks()) {
    for (; at < places.length && places[at] < first + block.rows; at++) {
      const i = places[at] - first;
      packTile(block, scaler, { from: i, to: i + 1, left: 0, right: d }, data, { start: at * d });
    }
    first += block.rows;
    await progress.step(block.rows);
  }
  progress.end();
  const own = weights && Float64Array.from(places, (row) => weights[row]);
  return {
    source: matrixSource(new RowMatrix(places.length, d, data, source.columnNames)),
    rows: places.length,
    rowOf: (row) => places[row],
    weights: own,
    weightOf: (row) => (own ? own[row] : 1),
  };
}

/** One row of each of `count` stretches of equal length, at a pseudo-random place in it. */
function evenRows(rows: number, count: number): number[] {
  if (count >= rows) return Array.from({ length: rows }, (_, i) => i);
  const length = rows / count;
  return Array.from({ length: count }, (_, i) => Math.min(rows - 1, Math.floor((i + scatter(i)) * length)));
}

/** The rows that the robust estimate is computed from: as many as the predicted work allows. All rows get distances from it. */
export function rowsToEstimate({ rows, weightOf }: LookedRows, { d, plan }: Model): Uint32Array {
  const weighted = Array.from({ length: rows }, (_, i) => i).filter((row) => weightOf(row) > 0);
  const seconds = plan.solver === 'given' ? 0 : (plan.costs[plan.solver] ?? 0);
  const budget = Math.max(OPERATIONS, TIMES_THE_FIT * seconds * PER_SECOND);
  let [low, high] = [Math.min(weighted.length, FEWEST), weighted.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (projectionOperations(middle, d) <= budget) low = middle;
    else high = middle - 1;
  }
  return Uint32Array.from(new Set(evenRows(weighted.length, low)), (at) => weighted[at]);
}

/** Scores of rows on all components of a model, and their squared distances from the space of these. */
export interface LookedScores {
  readonly rows: number;
  readonly k: number;
  /** In units of the deviations of the model, rows × k. */
  readonly scores: Float64Array;
  readonly errors: Float64Array;
}

/** Reads all rows once. */
export async function scoresOf(source: RowSource, model: Model, progress: ProgressTracker): Promise<LookedScores> {
  const { k, components, mean, scale } = model;
  const unit = powerOfTwo(deviationOf(model, 0)) || 1;
  const measured = { components, mean, scale: scale.map((value) => value * unit) };
  const rows = source.rows ?? model.n;
  const scores = new Float64Array(rows * k);
  const errors = new Float64Array(rows);
  let first = 0;
  progress.begin('scores', rows);
  for await (const block of source.blocks()) {
    const engine = await chooseEngine({}, block.data.length);
    const found = await reconstructBlock(measured, block, engine, progress.onStep);
    scores.set(
      found.scores.map((score) => score * unit),
      first * k,
    );
    errors.set(
      found.errors.map((error) => error * unit * unit),
      first,
    );
    first += block.rows;
  }
  progress.end();
  return { rows, k, scores, errors };
}

/** Score and orthogonal distances from the first k classical components, and their usual 97.5 % limits. */
export function classicalDistances(
  { rows, k: width, scores, errors }: LookedScores,
  model: Model,
  k: number,
): {
  score: Float64Array;
  orthogonal: Float64Array;
  limits: { score: number; orthogonal: number | null };
} {
  const first = model.first(Math.min(k, width));
  const score = new Float64Array(rows);
  const orthogonal = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    score[i] = Math.sqrt(hotellingT2(first, scores, i * width));
    let left = errors[i];
    for (let c = first.k; c < width; c++) left += scores[i * width + c] ** 2;
    orthogonal[i] = Math.sqrt(left);
  }
  const powers = orthogonal.map(twoThirds);
  const center = powers.reduce((sum, value) => sum + value, 0) / rows;
  const variance = powers.reduce((sum, value) => sum + (value - center) ** 2, 0) / (rows - 1);
  const whole = first.k >= Math.min(model.d, model.n - 1);
  return {
    score,
    orthogonal,
    limits: {
      score: Math.sqrt(upperChiSquared(1 - LEVEL, first.k)),
      orthogonal: whole ? null : orthogonalLimit({ center, scale: Math.sqrt(variance) }, LEVEL),
    },
  };
}

/** A copy of the other rows. */
export async function otherRows(
  source: RowSource,
  leftOut: readonly number[],
  progress: ProgressTracker,
): Promise<RowMatrix<Float64Array>> {
  const d = source.cols;
  const out = new Set(leftOut);
  const parts: Float64Array[] = [];
  const scaler = identityScaler(d);
  let [first, rows] = [0, 0];
  for await (const block of source.blocks()) {
    const kept = Array.from({ length: block.rows }, (_, i) => i).filter((i) => !out.has(first + i));
    const data = new Float64Array(kept.length * d);
    kept.forEach((i, at) => {
      packTile(block, scaler, { from: i, to: i + 1, left: 0, right: d }, data, { start: at * d });
    });
    parts.push(data);
    rows += kept.length;
    first += block.rows;
    await progress.step(0);
  }
  const data = new Float64Array(rows * d);
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return new RowMatrix(rows, d, data, source.columnNames);
}

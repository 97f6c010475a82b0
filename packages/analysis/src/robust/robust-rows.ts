import type { RowSource } from '@scree/core';
import { checkFinite, identityScaler, packTile } from '@scree/core/data';
import { dot, powerOfTwo } from '@scree/core/linalg';
import { chooseEngine, type ProgressTracker } from '@scree/core/pipeline';
import type { PackedRows } from './dense-subset.js';
import { median, medianDeviation } from './robust-order.js';
import { multiplied } from './subset-moments.js';

/**
 * Rows in memory for a robust estimate: (x − origin)/(scale·unit), in coordinates of at most n dimensions. The origin is the median of
 * each column, because the mean of rows with a few values of 10¹² would cost the other rows their digits.
 */
export interface RobustRows {
  readonly rows: PackedRows;
  /** Median of each column, in the user's units. */
  readonly origin: Float64Array;
  /** Divisor of each column, with the unit. */
  readonly divisor: Float64Array;
  /** A power of two near the spread of the scaled rows. */
  readonly unit: number;
  /** r × d: the directions of the coordinates, if rows have more columns than there are rows. */
  readonly basis: Float64Array | undefined;
  /** Columns of the source. */
  readonly d: number;
}

/** Eigenvalues of the products of normalised rows below this share of the largest are rounding. */
const DEPENDENT = 1e-13;

/** Reads the chosen rows, in rising order. All rows have finite values, because a fit has checked them. */
export async function readRobustRows(
  source: RowSource,
  scale: Float64Array,
  chosen: ArrayLike<number>,
  progress: ProgressTracker,
): Promise<RobustRows> {
  const d = source.cols;
  const data = await chosenRows(source, chosen, progress);
  const n = chosen.length;
  const origin = new Float64Array(d);
  const column = new Float64Array(n);
  let spread = 0;
  let largest = 0;
  for (let j = 0; j < d; j++) {
    for (let i = 0; i < n; i++) column[i] = data[i * d + j];
    origin[j] = median(column);
    spread = Math.max(spread, medianDeviation(column, origin[j]) / scale[j]);
    for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(column[i] - origin[j]) / scale[j]);
    await progress.step(n);
  }
  const unit = powerOfTwo(spread > 0 ? spread : largest);
  const divisor = scale.map((value) => value * unit);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) data[i * d + j] = clamped((data[i * d + j] - origin[j]) / divisor[j]);
  }
  const whole = { data, n, p: d };
  const { rows, basis } = d > n ? await inSpan(whole, progress) : { rows: whole, basis: undefined };
  return { rows, origin, divisor, unit, basis, d };
}

/** Values beyond this are moved to it, so that their squares are finite. They are outlying anyway. */
const FARTHEST = 1e100;

function clamped(value: number): number {
  return Math.max(-FARTHEST, Math.min(FARTHEST, value));
}

async function chosenRows(
  source: RowSource,
  chosen: ArrayLike<number>,
  progress: ProgressTracker,
): Promise<Float64Array> {
  const d = source.cols;
  const out = new Float64Array(chosen.length * d);
  const scaler = identityScaler(d);
  let [first, at] = [0, 0];
  for await (const block of source.blocks()) {
    await progress.follow(checkFinite(block, first, source.columnNames));
    for (; at < chosen.length && chosen[at] < first + block.rows; at++) {
      const i = chosen[at] - first;
      packTile(block, scaler, { from: i, to: i + 1, left: 0, right: d }, out, { start: at * d });
      if (at % 256 === 0) await progress.step(0);
    }
    first += block.rows;
  }
  return out;
}

/**
 * Coordinates of n < d rows in an orthonormal basis of their span: with rows u of length 1, K = UUᵀ = QΛQᵀ, the basis is Λ^−½QᵀU. Rows are
 * normalised, because squares of a row of 10¹² would hide the others.
 */
async function inSpan(
  { data, n, p: d }: PackedRows,
  progress: ProgressTracker,
): Promise<{ rows: PackedRows; basis: Float64Array }> {
  const unit = data.slice();
  for (let i = 0; i < n; i++) {
    const length = Math.sqrt(dot(data, i * d, data, i * d, d));
    if (length > 0) for (let j = 0; j < d; j++) unit[i * d + j] /= length;
  }
  const engine = await chooseEngine({}, unit.length);
  const scaler = identityScaler(d);
  const loaded = await engine.load({ kind: 'dense', rows: n, cols: d, stride: d, data: unit });
  const products = new Float64Array(n * n);
  await loaded.dual(scaler, loaded, scaler, { products, size: n, row: 0, column: 0 }, progress.onStep);
  const { values, vectors } = await engine.symmetricEigen(products, n, n, () => progress.yieldToEventLoop());
  let rank = 0;
  while (rank < n && values[rank] > DEPENDENT * values[0] && values[rank] > 0) rank++;
  const combinations = new Float64Array(n * rank);
  for (let c = 0; c < rank; c++) {
    for (let i = 0; i < n; i++) combinations[i * rank + c] = vectors[c * n + i] / Math.sqrt(values[c]);
  }
  const basis = new Float64Array(rank * d);
  await loaded.multiplyTransposed(scaler, combinations, rank, basis, progress.onStep);
  loaded.release();
  const whole = await engine.load({ kind: 'dense', rows: n, cols: d, stride: d, data });
  const coordinates = new Float64Array(n * rank);
  await whole.multiply(scaler, basis, rank, coordinates, progress.onStep);
  whole.release();
  return { rows: { data: coordinates, n, p: rank }, basis };
}

/** A subspace in the units of the model: its centre in the user's units, and k × d components of the scaled columns. */
export interface SubspaceOfColumns {
  readonly mean: Float64Array;
  readonly components: Float64Array;
  readonly variances: Float64Array;
  readonly totalVariance: number;
}

/** The subspace of coordinates as one of the columns. */
export function inColumns(
  { origin, divisor, unit, basis, rows, d }: RobustRows,
  found: {
    readonly center: Float64Array;
    readonly vectors: Float64Array;
    readonly variances: Float64Array;
    readonly totalVariance: number;
  },
): SubspaceOfColumns {
  const { p } = rows;
  const k = found.variances.length;
  const turn = (vectors: Float64Array, count: number): Float64Array =>
    basis ? multiplied(vectors, basis, count, p, d) : vectors.slice(0, count * d);
  const center = turn(found.center, 1);
  return {
    mean: origin.map((value, j) => value + center[j] * divisor[j]),
    components: turn(found.vectors, k),
    variances: found.variances.map((value) => value * unit * unit),
    totalVariance: found.totalVariance * unit * unit,
  };
}

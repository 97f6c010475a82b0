import type { ProgressTracker } from '@scree/core/pipeline';
import { chooseEngine } from '@scree/core/pipeline';
import { gathered, momentsOf, type PackedRows } from './dense-subset.js';

/** The leading eigenpairs of the covariance of some rows. */
export interface LeadingMoments {
  readonly center: Float64Array;
  /** Up to k variances, largest first, without those that are rounding. */
  readonly values: Float64Array;
  /** Their directions, one per row. */
  readonly vectors: Float64Array;
  /** Number of directions, of all p, along which the rows vary. */
  readonly rank: number;
  /** The sum of all variances. */
  readonly trace: number;
}

/** Variances below this share of the largest are rounding. */
const ROUNDING = 1e-13;
/** Products from which a pass of an engine is worth its start. */
const WORTH_A_PASS = 1e6;

/** Mean, variance and the k leading directions of some rows. A large covariance is computed by a pass of the engine. */
export async function leadingMoments(
  rows: PackedRows,
  subset: Uint32Array,
  k: number,
  progress: ProgressTracker,
): Promise<LeadingMoments> {
  const { p } = rows;
  const { center, covariance } =
    subset.length * p * p < WORTH_A_PASS ? momentsOf(rows, subset) : await momentsByEngine(rows, subset, progress);
  let trace = 0;
  for (let j = 0; j < p; j++) trace += covariance[j * p + j];
  const found = await leadingAxes(covariance, p, k, progress);
  return { center, trace, ...found };
}

async function momentsByEngine(
  rows: PackedRows,
  subset: Uint32Array,
  progress: ProgressTracker,
): Promise<{ center: Float64Array; covariance: Float64Array }> {
  const { p } = rows;
  const { data, n } = gathered(rows, subset);
  const center = new Float64Array(p);
  for (let i = 0; i < n; i++) for (let j = 0; j < p; j++) center[j] += data[i * p + j] / n;
  const engine = await chooseEngine({}, data.length);
  const loaded = await engine.load({ kind: 'dense', rows: n, cols: p, stride: p, data });
  const covariance = new Float64Array(p * p);
  await loaded.gram({ shift: center, factor: new Float64Array(p).fill(1) }, covariance, progress.onStep);
  loaded.release();
  for (let at = 0; at < covariance.length; at++) covariance[at] /= n - 1;
  return { center, covariance };
}

/** The leading eigenpairs of a covariance, given by its upper triangle. */
export async function leadingAxes(
  covariance: Float64Array,
  p: number,
  k: number,
  progress: ProgressTracker,
): Promise<{ values: Float64Array; vectors: Float64Array; rank: number }> {
  const engine = await chooseEngine({}, p * p);
  const { values, vectors } = await engine.symmetricEigen(covariance.slice(), p, Math.min(k, p), () =>
    progress.yieldToEventLoop(),
  );
  let rank = 0;
  while (rank < p && values[rank] > ROUNDING * values[0] && values[rank] > 0) rank++;
  const count = Math.min(k, rank);
  return { values: values.slice(0, count), vectors: vectors.slice(0, count * p), rank };
}

/** A·B for A (a × b) and B (b × c). */
export function multiplied(a: Float64Array, b: Float64Array, rows: number, inner: number, cols: number): Float64Array {
  const out = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let l = 0; l < inner; l++) {
      const factor = a[i * inner + l];
      for (let j = 0; j < cols; j++) out[i * cols + j] += factor * b[l * cols + j];
    }
  }
  return out;
}

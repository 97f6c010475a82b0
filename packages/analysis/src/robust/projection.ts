import { dot } from '@scree/core/linalg';
import type { ProgressTracker } from '@scree/core/pipeline';
import { upperChiSquared, upperNormal } from '../statistics/distributions.js';
import { concentrate, isEstimate, nearest } from './concentration.js';
import { coordinatesOf, type Moments2, momentsOf, type PackedRows } from './dense-subset.js';
import { mcd } from './mcd.js';
import { median } from './robust-order.js';
import { leadingAxes, leadingMoments, multiplied } from './subset-moments.js';
import { type CenterAndScale, univariateMcd } from './univariate-mcd.js';

/** How the projection method searches. */
export interface ProjectionOptions {
  readonly k: number;
  /** The number of rows that the estimate is computed from. */
  readonly h: number;
  readonly share: number;
  readonly seed: number;
}

/** A robust subspace: centre, directions, and the variances along them, largest first. */
export interface RobustSubspace {
  readonly center: Float64Array;
  /** k × p, orthonormal rows. */
  readonly vectors: Float64Array;
  readonly variances: Float64Array;
  /** The sum of the variances of all directions. */
  readonly totalVariance: number;
  /** Number of rows on the hyperplane that h rows lie on, if there is one. */
  readonly onPlane?: number | undefined;
}

/** Directions of the Stahel–Donoho outlyingness (Hubert et al. 2005, §2). */
const DIRECTIONS = 250;
/** Random starts of the covariance in the subspace, as `PcaHubert` has. */
const STARTS = 250;
/** Distances below this share of the median are 0. */
const ZERO = 1e-10;
const MOST_STEPS = 100;

/**
 * ROBPCA: Hubert, Rousseeuw & Vanden Branden (2005), ROBPCA: A New Approach to Robust Principal Component Analysis, Technometrics 47.
 *
 * 1. The outlyingness of a row is its largest robust distance |xᵀv − centre|/scale from the others along 250 directions v through two
 *    rows, with the univariate MCD of h rows as centre and scale.
 * 2. The covariance of the h least outlying rows spans a first subspace of k dimensions.
 * 3. All rows within the limit of the orthogonal distance to it span the subspace.
 * 4. The rows are projected on it, and MCD (or concentration steps, if their determinant is smaller) gives centre, axes and variances.
 *
 * Steps and factors are those of `PcaHubert` of R's rrcov with `mcd = FALSE`; directions are drawn by the seed. Orthogonally equivariant
 * up to the choice of directions, which follow the rows. Cost about 250·n·(p + log n) + 3·n·p², p ≤ n.
 */
export async function projectionPursuit(
  rows: PackedRows,
  { k: wanted, h, share, seed }: ProjectionOptions,
  progress: ProgressTracker,
): Promise<RobustSubspace> {
  const { n, p } = rows;
  const out = h < n ? await outlyingness(rows, h, seed, progress) : undefined;
  const least = out ? nearest(out.values, h) : Uint32Array.from({ length: n }, (_, i) => i);
  let found = await leadingMoments(rows, least, wanted, progress);
  const k = Math.max(1, Math.min(wanted, found.rank));
  if (h >= n) {
    return { center: found.center, vectors: found.vectors, variances: found.values, totalVariance: found.trace };
  }
  if (found.rank > 0 && k < p) {
    const distances = await orthogonalDistances(rows, found, k, progress);
    const limit = orthogonalLimit(univariateMcd(n, h)(distances.map(twoThirds)), 0.975) + ZERO * median(distances);
    const within = Uint32Array.from({ length: n }, (_, i) => i).filter((i) => distances[i] <= limit);
    if (2 * within.length > n) found = await leadingMoments(rows, within, k, progress);
  }
  const rank = Math.max(1, Math.min(k, found.rank));
  const scores = coordinatesOf(rows, found.center, found.vectors.slice(0, rank * p), rank);
  const inner = await inSubspace(scores, found.values.slice(0, rank), { h, share, seed }, progress);
  const center = found.center.slice();
  const own = inner.center;
  for (let c = 0; c < rank; c++) for (let j = 0; j < p; j++) center[j] += own[c] * found.vectors[c * p + j];
  const vectors = multiplied(inner.vectors, found.vectors, inner.variances.length, rank, p);
  const kept = found.values.slice(0, rank).reduce((sum, value) => sum + value, 0);
  const outside = Math.max(0, found.trace - kept);
  return {
    center,
    vectors,
    variances: inner.variances,
    totalVariance: inner.variances.reduce((sum, value) => sum + value, outside),
    onPlane: out?.onPlane ?? inner.onPlane,
  };
}

/**
 * The Stahel–Donoho outlyingness of every row. If along a direction h rows are equal, they lie on a hyperplane, and the other rows are
 * infinitely outlying, as long as h rows are left.
 */
async function outlyingness(
  { data, n, p }: PackedRows,
  h: number,
  seed: number,
  progress: ProgressTracker,
): Promise<{ values: Float64Array; onPlane: number | undefined }> {
  const draw = pairsOf(n, seed);
  const size = median(Float64Array.from({ length: n }, (_, i) => Math.sqrt(dot(data, i * p, data, i * p, p))));
  const estimate = univariateMcd(n, h);
  const values = new Float64Array(n);
  const projected = new Float64Array(n);
  const direction = new Float64Array(p);
  const off = new Uint8Array(n);
  let remaining = n;
  const pairs = (n * (n - 1)) / 2;
  const all = pairs <= DIRECTIONS;
  const count = all ? pairs : DIRECTIONS;
  for (let at = 0, a = 0, b = 0; at < count; at++) {
    if (all) {
      b++;
      if (b === n) b = ++a + 1;
    } else {
      [a, b] = draw();
    }
    for (let j = 0; j < p; j++) direction[j] = data[a * p + j] - data[b * p + j];
    const length = Math.sqrt(dot(direction, 0, direction, 0, p));
    await progress.step(n);
    // Equal rows have no direction.
    if (!(length > 0)) continue;
    for (let j = 0; j < p; j++) direction[j] /= length;
    for (let i = 0; i < n; i++) projected[i] = dot(data, i * p, direction, 0, p);
    const { center, scale } = estimate(projected);
    for (let i = 0; i < n; i++) projected[i] = Math.abs(projected[i] - center);
    const zero = ZERO * size;
    if (scale > zero) {
      for (let i = 0; i < n; i++) values[i] = Math.max(values[i], projected[i] / scale);
      continue;
    }
    const leaving: number[] = [];
    for (let i = 0; i < n; i++) if (off[i] === 0 && projected[i] > zero) leaving.push(i);
    if (remaining - leaving.length < h) continue;
    remaining -= leaving.length;
    for (const i of leaving) off[i] = 1;
  }
  for (let i = 0; i < n; i++) if (off[i] === 1) values[i] = Number.POSITIVE_INFINITY;
  return { values, onPlane: remaining < n ? remaining : undefined };
}

/**
 * Draws pairs of different rows with the generator of LIBRA and rrcov, s ← (5761·s + 999) mod 2¹⁶, so that the seed 0 gives their
 * directions.
 */
function pairsOf(n: number, seed: number): () => [number, number] {
  let state = ((seed % 65_536) + 65_536) % 65_536;
  const next = (): number => {
    state = (state * 5761 + 999) % 65_536;
    return Math.floor((state / 65_536) * n);
  };
  return () => {
    const a = next();
    let b = next();
    // A period has every state, so another row comes.
    while (b === a) b = next();
    return [a, b];
  };
}

async function orthogonalDistances(
  { data, n, p }: PackedRows,
  { center, vectors }: { readonly center: Float64Array; readonly vectors: Float64Array },
  k: number,
  progress: ProgressTracker,
): Promise<Float64Array> {
  const out = new Float64Array(n);
  const row = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < p; j++) row[j] = data[i * p + j] - center[j];
    for (let c = 0; c < k; c++) {
      const z = dot(row, 0, vectors, c * p, p);
      for (let j = 0; j < p; j++) row[j] -= z * vectors[c * p + j];
    }
    out[i] = Math.sqrt(dot(row, 0, row, 0, p));
    await progress.step(1);
  }
  return out;
}

/** d^(2/3) is nearly normal (Wilson & Hilferty). */
export function twoThirds(distance: number): number {
  return Math.cbrt(distance) ** 2;
}

/** (μ + σ·z)^(3/2): the limit of the orthogonal distance for the centre and scale of d^(2/3). */
export function orthogonalLimit({ center, scale }: CenterAndScale, level: number): number {
  return Math.max(0, center + scale * upperNormal(1 - level)) ** 1.5;
}

/** Centre, axes and variances within the subspace (`projectMCD` of rrcov). */
async function inSubspace(
  scores: PackedRows,
  values: Float64Array,
  { h, share, seed }: Omit<ProjectionOptions, 'k'>,
  progress: ProgressTracker,
): Promise<{ center: Float64Array; vectors: Float64Array; variances: Float64Array; onPlane: number | undefined }> {
  const { p: k } = scores;
  const start = { center: new Float64Array(k), inverse: inverseDeviations(values) };
  const stepped = concentrate(scores, start, h, MOST_STEPS);
  const robust = await progress.follow(mcd(scores, { share, h, seed, starts: STARTS }));
  const smaller = isEstimate(stepped) && stepped.logDeterminant < robust.logDeterminant - 1e-9;
  const { center, covariance } = smaller ? reweightedByMedian(scores, stepped.distances) : robust;
  const found = await leadingAxes(covariance, k, k, progress);
  return { center, vectors: found.vectors, variances: found.values, onPlane: robust.onPlane };
}

/** The diagonal matrix of 1/√value. */
function inverseDeviations(values: Float64Array): Float64Array {
  const { length: k } = values;
  const out = new Float64Array(k * k);
  for (let c = 0; c < k; c++) out[c * k + c] = 1 / Math.sqrt(values[c]);
  return out;
}

/** Mean and covariance (maximum likelihood) of the rows within 97.5 % of χ²_k, if the median distance is that of normal rows. */
function reweightedByMedian(scores: PackedRows, distances: Float64Array): Moments2 {
  const factor = median(distances) / upperChiSquared(0.5, scores.p);
  const bound = factor * upperChiSquared(0.025, scores.p);
  const near: number[] = [];
  distances.forEach((distance, i) => {
    if (distance <= bound) near.push(i);
  });
  return momentsOf(scores, near, 0);
}

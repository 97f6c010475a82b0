import { dot, type Random, random } from '@scree/core/linalg';
import type { Task } from '@scree/core/pipeline';
import { upperChiSquared } from '../statistics/distributions.js';
import {
  concentrate,
  type Estimate,
  estimateOf,
  fillDistances,
  isEstimate,
  type Whitened,
  whiten,
} from './concentration.js';
import { coordinatesOf, gathered, momentsOf, type PackedRows, spectrumOf } from './dense-subset.js';
import { consistencyFactor, smallSampleFactor } from './mcd-factors.js';
import { ascending, median, medianOfSorted } from './robust-order.js';
import { bestWindow } from './univariate-mcd.js';

/** How the minimum covariance determinant is searched. */
export interface McdOptions {
  /** Share of the rows from 0.5 to 1 that the estimate is computed from. */
  readonly share: number;
  /** The number of these rows. */
  readonly h: number;
  readonly seed: number;
  /** Random starts. */
  readonly starts: number;
}

/** A robust centre and covariance. */
export interface McdEstimate {
  readonly center: Float64Array;
  /** p × p. Singular if the rows lie on a hyperplane. */
  readonly covariance: Float64Array;
  /** Squared robust distances of all rows; infinite for rows off the hyperplane. */
  readonly distances: Float64Array;
  /** ln det of the covariance of the h rows; −∞ if they lie on a hyperplane. */
  readonly logDeterminant: number;
  /** Number of dimensions in which the h rows vary. */
  readonly rank: number;
  /** Number of rows on the hyperplane of the h rows, if there is one. */
  readonly onPlane: number | undefined;
}

/** Estimates that are kept between stages, rows of a group, and most groups (Rousseeuw & Van Driessen 1999, §3.3). */
const [KEPT, GROUP_ROWS, MOST_GROUPS] = [10, 300, 5];
/** Full concentration steps: they converge in fewer. */
const MOST_STEPS = 100;
/** A row lies on a hyperplane if its distance, in deviations of the columns, is below the first, or below its own rounding. */
const [ON_PLANE, ROUNDING] = [1e-9, 1e-14];

/**
 * The minimum covariance determinant: mean and covariance of the h of n rows whose covariance has the smallest determinant, made
 * consistent for normal rows, and reweighted once by the rows within the 97.5 % quantile of χ²_p. FAST-MCD: Rousseeuw & Van Driessen
 * (1999), A Fast Algorithm for the Minimum Covariance Determinant Estimator. Affine equivariant up to rounding, for the same seed. With
 * h = n it is the classical mean and covariance.
 *
 * If h rows lie on a hyperplane, the determinant is 0. The estimate is then that of the rows on the hyperplane, within it, and all other
 * rows are infinitely far away. Needs h > p rows. Cost about starts·2·n·p² for n up to 600, and 10·n·p² beyond. Weak for p above 10:
 * a random start rarely has good rows alone.
 */
export function* mcd(rows: PackedRows, options: McdOptions): Task<McdEstimate> {
  const { data, n, p } = rows;
  // Columns are measured in their own deviations, so that units do not decide which subsets are singular.
  const scales = columnScales(rows);
  const scaled = { data: data.map((value, at) => value / scales[at % p]), n, p };
  const { center, covariance, logDeterminant, ...found } = yield* mcdOfScaled(scaled, options);
  return {
    ...found,
    center: center.map((value, j) => value * scales[j]),
    covariance: covariance.map((value, at) => value * scales[Math.floor(at / p)] * scales[at % p]),
    logDeterminant: scales.reduce((sum, scale) => sum + 2 * Math.log(scale), logDeterminant),
  };
}

/** The median absolute deviation of each column; if it is 0, the largest deviation from the median, and 1 for a constant column. */
function columnScales({ data, n, p }: PackedRows): Float64Array {
  return Float64Array.from({ length: p }, (_, j) => {
    const column = Float64Array.from({ length: n }, (_, i) => data[i * p + j]);
    const center = median(column);
    const deviations = column.map((value) => Math.abs(value - center)).sort();
    return medianOfSorted(deviations) || deviations[n - 1] || 1;
  });
}

function* mcdOfScaled(rows: PackedRows, options: McdOptions): Task<McdEstimate> {
  const { n, p } = rows;
  const { h } = options;
  if (h >= n) return classical(rows);
  const best = p === 1 ? univariate(rows, h) : yield* search(rows, options);
  if (!('logDeterminant' in best)) return yield* within(rows, best, options);
  return reweighted(rows, best, options);
}

/** The subset of a line is found exactly: h neighbours in order. */
function univariate(rows: PackedRows, h: number): Estimate | Plane {
  const order = ascending(rows.data);
  const sorted = Float64Array.from(order, (at) => rows.data[at]);
  const { start } = bestWindow(
    sorted.map((value) => value - sorted[sorted.length >> 1]),
    h,
  );
  const subset = order.slice(start, start + h);
  return estimateOf(rows, subset) ?? planeOf(rows, subset);
}

/** A hyperplane with at least h rows. */
interface Plane {
  readonly center: Float64Array;
  /** Orthonormal directions of the plane, one per row. */
  readonly vectors: Float64Array;
  readonly rank: number;
  /** The rows on it. */
  readonly on: Uint32Array;
}

function* search(rows: PackedRows, { h, seed, starts }: McdOptions): Task<Estimate | Plane> {
  const { n } = rows;
  const rng = random(seed);
  const groups = n <= 2 * GROUP_ROWS ? 1 : Math.min(MOST_GROUPS, Math.floor(n / GROUP_ROWS));
  const all = Uint32Array.from({ length: n }, (_, i) => i);
  const chosen = groups === 1 ? all : sampled(n, Math.min(n, groups * GROUP_ROWS), rng);
  const own = (count: number): number => Math.min(count, Math.ceil((count * h) / n));
  let found: Estimate[] = [];
  /** The hyperplane of a singular subset, if at least h rows lie on it. */
  const planeThrough = (subset: Uint32Array): Plane | undefined => {
    const plane = planeOf(rows, subset);
    return plane.on.length >= h ? plane : undefined;
  };
  for (let g = 0; g < groups; g++) {
    const from = Math.floor((g * chosen.length) / groups);
    const to = Math.floor(((g + 1) * chosen.length) / groups);
    const group = groups === 1 ? rows : gathered(rows, chosen.subarray(from, to));
    const ofGroup: Estimate[] = [];
    for (let s = 0; s < Math.ceil(starts / groups); s++) {
      const start = randomStart(group, own(group.n), rng);
      const step = 'inverse' in start ? concentrate(group, start, own(group.n), 2) : start;
      yield 2 * group.n;
      if (isEstimate(step)) {
        keep(ofGroup, step);
        continue;
      }
      const plane = planeThrough(step.map((i) => chosen[from + i]));
      if (plane) return plane;
    }
    found.push(...ofGroup);
  }
  const stages = [
    ...(groups > 1 ? [{ of: gathered(rows, chosen), steps: 2, most: found.length }] : []),
    { of: rows, steps: 2, most: KEPT },
    // After two steps on all rows, the best two are followed to the end if rows are many.
    { of: rows, steps: MOST_STEPS, most: groups === 1 ? KEPT : 2 },
  ];
  for (const { of, steps, most } of stages) {
    const next: Estimate[] = [];
    for (const each of found.slice(0, most)) {
      const step = concentrate(of, each, of === rows ? h : own(of.n), steps);
      yield steps * of.n;
      if (isEstimate(step)) keep(next, step);
      else {
        const plane = planeThrough(of === rows ? step : step.map((i) => chosen[i]));
        if (plane) return plane;
      }
    }
    found = next;
  }
  const [best] = found;
  if (best) return best;
  const subset = singularSubset(rows, h);
  const plane = planeOf(rows, subset);
  return plane.on.length >= h ? plane : { ...plane, on: subset };
}

/** Keeps the candidates with the smallest determinants. */
function keep(list: Estimate[], found: Estimate): void {
  // The same subset is found from many starts.
  if (list.some(({ logDeterminant }) => Math.abs(logDeterminant - found.logDeterminant) < 1e-9)) return;
  list.push(found);
  list.sort((a, b) => a.logDeterminant - b.logDeterminant);
  if (list.length > KEPT) list.length = KEPT;
}

/** `count` different indexes below n. */
function sampled(n: number, count: number, { uniform }: Random): Uint32Array {
  const all = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(uniform() * (n - i));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, count);
}

/** Mean and covariance of p + 1 random rows, and of more if these are singular; the rows if h of them are singular still. */
function randomStart(rows: PackedRows, h: number, rng: Random): Whitened | Uint32Array {
  const { n, p } = rows;
  const order = sampled(n, h, rng);
  for (let count = p + 1; count <= h; count++) {
    const { center, covariance } = momentsOf(rows, order.subarray(0, count));
    const inverse = whiten(covariance, p);
    if (inverse) return { center, inverse };
    // Rows may repeat, so more are added faster than one by one.
    if (count < h) count = Math.min(h - 1, count + Math.floor(count / 2));
  }
  return order;
}

/** The h rows nearest to the coordinatewise median: the last resort if every subset was singular. */
function singularSubset({ data, n, p }: PackedRows, h: number): Uint32Array {
  const center = Float64Array.from({ length: p }, (_, j) =>
    median(Float64Array.from({ length: n }, (_, i) => data[i * p + j])),
  );
  const squares = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < p; j++) squares[i] += (data[i * p + j] - center[j]) ** 2;
  return ascending(squares).slice(0, h);
}

/** The hyperplane through some rows, and all rows on it. */
function planeOf(rows: PackedRows, subset: Uint32Array): Plane {
  const { data, n, p } = rows;
  const { center, covariance } = momentsOf(rows, subset);
  const { vectors, rank: varying } = spectrumOf(covariance, p, 1e-13);
  // The rows depend on one another, even if no eigenvalue is exactly 0.
  const rank = Math.min(varying, p - 1);
  const squares = new Float64Array(n);
  const off = new Float64Array(n);
  const row = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < p; j++) row[j] = data[i * p + j] - center[j];
    squares[i] = dot(row, 0, row, 0, p);
    for (let c = 0; c < rank; c++) {
      const z = dot(row, 0, vectors, c * p, p);
      for (let j = 0; j < p; j++) row[j] -= z * vectors[c * p + j];
    }
    off[i] = dot(row, 0, row, 0, p);
  }
  const on: number[] = [];
  for (let i = 0; i < n; i++) if (off[i] <= ON_PLANE ** 2 + ROUNDING ** 2 * squares[i]) on.push(i);
  return { center, vectors, rank, on: Uint32Array.from(on) };
}

/** The estimate of the rows on a hyperplane, within it. */
function* within(rows: PackedRows, plane: Plane, options: McdOptions): Task<McdEstimate> {
  const { n, p } = rows;
  const { center, vectors, rank, on } = plane;
  const distances = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const onPlane = on.length;
  const base = { logDeterminant: Number.NEGATIVE_INFINITY, rank, onPlane };
  if (rank === 0) {
    for (const i of on) distances[i] = 0;
    return { ...base, center, covariance: new Float64Array(p * p), distances };
  }
  const coordinates = coordinatesOf(gathered(rows, on), center, vectors, rank);
  const own = yield* mcdOfScaled(coordinates, { ...options, h: Math.min(on.length, Math.max(options.h, rank + 1)) });
  const moved = center.slice();
  for (let c = 0; c < rank; c++) for (let j = 0; j < p; j++) moved[j] += own.center[c] * vectors[c * p + j];
  const covariance = new Float64Array(p * p);
  for (let a = 0; a < rank; a++) {
    for (let b = 0; b < rank; b++) {
      const value = own.covariance[a * rank + b];
      for (let j = 0; j < p; j++) {
        for (let l = 0; l < p; l++) covariance[j * p + l] += value * vectors[a * p + j] * vectors[b * p + l];
      }
    }
  }
  on.forEach((i, at) => {
    distances[i] = own.distances[at];
  });
  return { ...base, rank: own.rank, onPlane: own.onPlane ?? onPlane, center: moved, covariance, distances };
}

function classical(rows: PackedRows): McdEstimate {
  const { n, p } = rows;
  const { center, covariance } = momentsOf(
    rows,
    Uint32Array.from({ length: n }, (_, i) => i),
  );
  const { values, vectors, rank } = spectrumOf(covariance, p, 1e-13);
  const { data } = coordinatesOf(rows, center, vectors, rank);
  const distances = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let c = 0; c < rank; c++) distances[i] += data[i * rank + c] ** 2 / values[c];
  const logDeterminant = rank < p ? Number.NEGATIVE_INFINITY : values.reduce((sum, value) => sum + Math.log(value), 0);
  return { center, covariance, distances, logDeterminant, rank, onPlane: rank < p ? n : undefined };
}

/** Consistency and small-sample factors, and one reweighting step (robustbase's `covMcd`). */
function reweighted(rows: PackedRows, raw: Estimate, { share, h }: McdOptions): McdEstimate {
  const { n, p } = rows;
  const factor = consistencyFactor(p, h / n) * smallSampleFactor('raw', p, n, share);
  const quantile = upperChiSquared(0.025, p);
  const near: number[] = [];
  raw.distances.forEach((distance, i) => {
    if (distance < factor * quantile) near.push(i);
  });
  const { center, covariance } = momentsOf(rows, near);
  const scale =
    near.length === n ? 1 : consistencyFactor(p, near.length / n) * smallSampleFactor('reweighted', p, n, share);
  for (let at = 0; at < covariance.length; at++) covariance[at] *= scale;
  const inverse = whiten(covariance, p);
  const distances = raw.distances.map((distance) => distance / factor);
  if (inverse) fillDistances(rows, { center, inverse }, distances);
  return { center, covariance, distances, logDeterminant: raw.logDeterminant, rank: p, onPlane: undefined };
}

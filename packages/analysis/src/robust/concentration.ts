import { cholesky, invertLower } from '@scree/core/linalg';
import { momentsOf, type PackedRows } from './dense-subset.js';

/** A centre, and the L⁻¹ (p × p, lower) for which L⁻¹(x − c) has covariance I. */
export interface Whitened {
  readonly center: Float64Array;
  readonly inverse: Float64Array;
}

/** Mean and covariance of a subset of rows, and the distances of all rows. */
export interface Estimate extends Whitened {
  /** Squared distances of all rows. */
  readonly distances: Float64Array;
  /** ln det of the covariance of the subset. */
  readonly logDeterminant: number;
  readonly subset: Uint32Array;
}

/** A row of the covariance that keeps less than this share of its diagonal depends on the others. */
const DEPENDENT = 1e-13;

/** L⁻¹ of a covariance LLᵀ; undefined if it is singular. Columns are scaled to variance 1 first, so that units do not matter. */
export function whiten(covariance: Float64Array, p: number): Float64Array | undefined {
  const deviations = new Float64Array(p);
  for (let j = 0; j < p; j++) {
    deviations[j] = Math.sqrt(covariance[j * p + j]);
    if (!(deviations[j] > 0 && Number.isFinite(1 / deviations[j]))) return undefined;
  }
  const scaled = covariance.map((value, at) => value / (deviations[Math.floor(at / p)] * deviations[at % p]));
  const lower = cholesky(scaled, p, DEPENDENT);
  if (!lower) return undefined;
  const inverse = invertLower(lower, p);
  for (let j = 0; j < p; j++) for (let l = 0; l <= j; l++) inverse[j * p + l] /= deviations[l];
  return inverse;
}

/** The estimate of a subset; undefined if its covariance is singular. */
export function estimateOf(rows: PackedRows, subset: Uint32Array): Estimate | undefined {
  const { n, p } = rows;
  const { center, covariance } = momentsOf(rows, subset);
  const inverse = whiten(covariance, p);
  if (!inverse) return undefined;
  const distances = new Float64Array(n);
  fillDistances(rows, { center, inverse }, distances);
  return { center, inverse, distances, logDeterminant: logDeterminant(inverse, p), subset };
}

/** ln det of a covariance from its L⁻¹. */
function logDeterminant(inverse: Float64Array, p: number): number {
  let sum = 0;
  for (let j = 0; j < p; j++) sum -= 2 * Math.log(inverse[j * p + j]);
  return sum;
}

/**
 * Up to `steps` concentration steps: the h rows nearest to the estimate, and their mean and covariance, whose determinant is not larger
 * (Rousseeuw & Van Driessen 1999, Theorem 1). Stops when the subset stays the same. Returns the subset if its covariance is singular.
 */
export function concentrate(rows: PackedRows, start: Whitened, h: number, steps: number): Estimate | Uint32Array {
  const distances = new Float64Array(rows.n);
  fillDistances(rows, start, distances);
  let subset = nearest(distances, h);
  let found = estimateOf(rows, subset);
  for (let step = 1; found && step < steps; step++) {
    subset = nearest(found.distances, h);
    const next = estimateOf(rows, subset);
    const done = next !== undefined && next.logDeterminant >= found.logDeterminant - 1e-12;
    found = next;
    if (done) break;
  }
  return found ?? subset;
}

/** Returns true for an estimate, and false for a subset whose covariance is singular. */
export function isEstimate(found: Estimate | Uint32Array): found is Estimate {
  return 'logDeterminant' in found;
}

/** Indexes of the h smallest values, in order of the rows. If values are equal, the first rows are taken. */
export function nearest(values: Float64Array, h: number): Uint32Array {
  const bound = kthSmallest(values, h);
  const out = new Uint32Array(h);
  let below = 0;
  for (let i = 0; i < values.length; i++) if (values[i] < bound) below++;
  let equal = h - below;
  for (let i = 0, at = 0; i < values.length && at < h; i++) {
    if (values[i] < bound) out[at++] = i;
    else if (values[i] === bound && equal > 0) {
      out[at++] = i;
      equal--;
    }
  }
  return out;
}

/** The k-th smallest value, k from 1, by selection (Hoare 1961). O(n). */
function kthSmallest(values: Float64Array, k: number): number {
  const a = values.slice();
  let [left, right] = [0, a.length - 1];
  const wanted = k - 1;
  while (left < right) {
    const pivot = a[(left + right) >> 1];
    let [i, j] = [left, right];
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) {
        const swap = a[i];
        a[i] = a[j];
        a[j] = swap;
        i++;
        j--;
      }
    }
    if (wanted <= j) right = j;
    else if (wanted >= i) left = i;
    else break;
  }
  return a[wanted];
}

/** Writes ‖L⁻¹(x − c)‖² of every row. Values beyond float64 become infinite. */
export function fillDistances({ data, n, p }: PackedRows, { center, inverse }: Whitened, out: Float64Array): void {
  const row = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < p; j++) row[j] = data[i * p + j] - center[j];
    let sum = 0;
    for (let j = 0; j < p; j++) {
      let z = 0;
      for (let l = 0, at = j * p; l <= j; l++) z += inverse[at + l] * row[l];
      sum += z * z;
    }
    out[i] = sum;
  }
}

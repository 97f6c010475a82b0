import { cholesky } from '../linalg/cholesky.js';
import { rotatedOnto } from '../linalg/procrustes.js';
import { axpy, dot, norm } from '../linalg/vector.js';
import { ConditionalMeans } from '../model/conditional.js';
import type { Predictor } from './gappy-block.js';

/**
 * Fixed points of a map from predictor to predictor, by Anderson acceleration (Walker & Ni 2011): with residuals f = g(x) − x, the next x
 * is the combination of the last g(x) whose residual is smallest. A step that makes the objective, or the residual, worse is undone, and
 * the next step is the plain one. So the objective never falls if it never falls under the plain map.
 */

/** One application of the map. */
export interface MapStep {
  readonly next: Predictor;
  /** The objective at the predictor that was given, if the method has one: it must not fall. */
  readonly objective?: number | undefined;
}

export interface FixedPoint {
  /** The predictor of the last accepted step: its image differs from it by `change`. */
  readonly predictor: Predictor;
  readonly iterations: number;
  readonly converged: boolean;
  /** The last relative change. */
  readonly change: number;
  /** The objective at every accepted iteration, if the method has one. */
  readonly objectives: readonly number[];
}

/** Earlier steps that are combined. */
const MEMORY = 6;
/** A residual may grow by this factor before a combined step is undone. */
const MOST_GROWTH = 1.5;
/** Rounding of an objective, relative to its size. */
const OBJECTIVE_ROUNDING = 1e-12;

export interface FixedPointOptions {
  readonly tolerance: number;
  readonly iterations: number;
}

export async function fixedPoint(
  start: Predictor,
  map: (predictor: Predictor) => Promise<MapStep>,
  { tolerance, iterations }: FixedPointOptions,
): Promise<FixedPoint> {
  const space = new PredictorSpace(start);
  const steps: { readonly x: Float64Array; readonly f: Float64Array }[] = [];
  const objectives: number[] = [];
  let [x, predictor] = [space.vectorOf(start), start];
  let plain: { readonly x: Float64Array; readonly predictor: Predictor } | undefined;
  let [accelerated, last, change] = [false, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const { next, objective } = await map(predictor);
    const image = space.vectorOf(next, x);
    const f = image.map((value, i) => value - x[i]);
    change = space.size(f) / space.length(image);
    const best = objectives.at(-1) ?? Number.NEGATIVE_INFINITY;
    const worse =
      objective === undefined ? change > MOST_GROWTH * last : objective < best - OBJECTIVE_ROUNDING * Math.abs(best);
    if (accelerated && worse && plain) {
      ({ x, predictor } = plain);
      steps.length = 0;
      accelerated = false;
      continue;
    }
    if (objective !== undefined) objectives.push(objective);
    if (change <= tolerance) return { predictor, iterations: iteration, converged: true, change, objectives };
    last = change;
    plain = { x: image, predictor: next };
    steps.push({ x, f });
    if (steps.length > MEMORY) steps.shift();
    const combined = combine(steps, image);
    accelerated = combined !== undefined;
    if (combined) [x, predictor] = [combined, space.predictorOf(combined)];
    else [x, predictor] = [image, next];
  }
  return { predictor: plain?.predictor ?? predictor, iterations, converged: false, change, objectives };
}

/** g(x) − Σγ(Δx + Δf) with γ = argmin ‖f − ΣγΔf‖; undefined for the first step. */
function combine(
  steps: readonly { readonly x: Float64Array; readonly f: Float64Array }[],
  image: Float64Array,
): Float64Array | undefined {
  const count = steps.length - 1;
  if (count === 0) return undefined;
  const { f, x } = steps[count];
  const size = f.length;
  const falls = steps.slice(0, count).map((step) => f.map((value, i) => value - step.f[i]));
  const gram = new Float64Array(count * count);
  for (let a = 0; a < count; a++)
    for (let b = a; b < count; b++) gram[a * count + b] = dot(falls[a], 0, falls[b], 0, size);
  let trace = 0;
  for (let a = 0; a < count; a++) trace += gram[a * count + a];
  for (let a = 0; a < count; a++) gram[a * count + a] += 1e-12 * trace;
  const l = cholesky(gram, count, 1e-14);
  if (!l) return undefined;
  const gamma = falls.map((fall) => dot(fall, 0, f, 0, size));
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) gamma[a] -= l[a * count + b] * gamma[b];
    gamma[a] /= l[a * count + a];
  }
  for (let a = count - 1; a >= 0; a--) {
    for (let b = a + 1; b < count; b++) gamma[a] -= l[b * count + a] * gamma[b];
    gamma[a] /= l[a * count + a];
  }
  const next = image.slice();
  falls.forEach((fall, a) => {
    const moved = x.map((value, i) => value - steps[a].x[i]);
    axpy(-gamma[a], fall, 0, next, 0, size);
    axpy(-gamma[a], moved, 0, next, 0, size);
  });
  return next.every(Number.isFinite) ? next : undefined;
}

/**
 * Predictors as vectors: means, loadings in the units of the columns, log scales, and σ. Loadings are rotated onto those of an earlier
 * vector, because W and WQ are the same model.
 */
class PredictorSpace {
  readonly #d: number;
  readonly #k: number;
  /** Scale of each column at the start, and the size of a scaled value. */
  readonly #unit: Float64Array;
  readonly #size: number;

  constructor({ scale, means }: Predictor) {
    this.#d = means.d;
    this.#k = means.k;
    this.#unit = scale;
    const square = dot(means.loadings, 0, means.loadings, 0, means.loadings.length) / means.d + means.noise;
    this.#size = Math.sqrt(square) || 1;
  }

  vectorOf({ mean, scale, means }: Predictor, near?: Float64Array): Float64Array {
    const [d, k, unit, size] = [this.#d, this.#k, this.#unit, this.#size];
    const vector = new Float64Array(d * (k + 2) + 1);
    const loadings = means.loadings.map((w, at) => (w * scale[Math.floor(at / k)]) / (unit[Math.floor(at / k)] * size));
    vector.set(near ? rotatedOnto(loadings, near.slice(0, d * k), d, k) : loadings);
    for (let j = 0; j < d; j++) {
      vector[d * k + j] = mean[j] / (unit[j] * size);
      vector[d * (k + 1) + j] = Math.log(scale[j] / unit[j]);
    }
    vector[d * (k + 2)] = (Math.sqrt(means.noise) / size) * Math.sqrt(d);
    return vector;
  }

  predictorOf(vector: Float64Array): Predictor {
    const [d, k, unit, size] = [this.#d, this.#k, this.#unit, this.#size];
    const scale = unit.map((own, j) => own * Math.exp(vector[d * (k + 1) + j]));
    const mean = unit.map((own, j) => vector[d * k + j] * own * size);
    const loadings = vector.slice(0, d * k);
    for (let at = 0; at < d * k; at++) loadings[at] *= (unit[Math.floor(at / k)] * size) / scale[Math.floor(at / k)];
    const sigma = (Math.max(0, vector[d * (k + 2)]) * size) / Math.sqrt(d);
    return { mean, scale, means: new ConditionalMeans(loadings, k, sigma * sigma) };
  }

  /** The norm of a change. */
  size(change: Float64Array): number {
    return norm(change);
  }

  /** √(‖W‖² + dσ²): the size that changes are relative to. */
  length(vector: Float64Array): number {
    const [d, k] = [this.#d, this.#k];
    return Math.hypot(norm(vector, 0, d * k), vector[d * (k + 2)]) || 1;
  }
}

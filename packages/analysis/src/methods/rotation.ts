import {
  type ApplyOptions,
  type Data,
  DataError,
  type Matrix,
  type Model,
  OptionError,
  type Row,
  RowMatrix,
  type Warning,
} from '@scree/core';
import { listsOf } from '@scree/core/data';
import { combineRows, dot, random, randomRows, rowProducts, transpose } from '@scree/core/linalg';
import {
  CONTROL_OPTIONS,
  type ControlOptions,
  checkObject,
  checkOption,
  describeValue,
  deviationOf,
  keepAlive,
  type OptionCheck,
  ProgressTracker,
  type Task,
} from '@scree/core/pipeline';
import type { Filled } from '../fields.js';
import { inverse } from './inverse.js';
import { oblimin, orthomax, promax, type Turn } from './rotate-loadings.js';

/** The name of a rotation. */
export type RotationMethod = 'varimax' | 'quartimax' | 'promax' | 'oblimin';

/** Options of `rotate`. */
export interface RotateOptions extends ControlOptions {
  readonly method: RotationMethod;
  /** The number of first components that are rotated together. Default: all with variance. */
  readonly k?: number | undefined;
  /**
   * Kaiser's normalisation: every column counts the same, for any communality. Default true for `varimax` and `promax`, false for
   * `quartimax` and `oblimin`, as in R's psych.
   */
  readonly normalize?: boolean | undefined;
  /** The power of `promax`. Default 4. */
  readonly power?: number | undefined;
  /** γ of `oblimin`, 0 or less: the smaller, the less correlated are the components. Default 0. */
  readonly gamma?: number | undefined;
  /** The number of starts of the search: the unrotated components, and random rotations of them. The best result is kept. Default 10. */
  readonly starts?: number | undefined;
  readonly seed?: number | undefined;
  /**
   * The search stops when the criterion (`varimax`, `quartimax`) rises by less than this share, or its gradient (`oblimin`, for columns
   * of variance 1) is smaller than this, or than this share of the criterion. Default 1e-5, and 1e-14 for `quartimax`, to agree with
   * R's varimax and GPArotation. With 1e-5 the third digit of a varimax loading may still change. 1e-14 (`oblimin`: 1e-10) is the limit
   * of float64.
   */
  readonly tolerance?: number | undefined;
}

const METHODS: readonly RotationMethod[] = ['varimax', 'quartimax', 'promax', 'oblimin'];
const whole = (least: number): ((value: unknown) => boolean) => {
  return (value) => Number.isSafeInteger(value) && (value as number) >= least;
};
const OPTIONS: Record<keyof RotateOptions, OptionCheck> = {
  ...CONTROL_OPTIONS,
  method: { must: "'varimax', 'quartimax', 'promax' or 'oblimin'", test: (v) => METHODS.some((name) => name === v) },
  k: { must: 'a whole number from 1 up', test: whole(1) },
  normalize: { must: 'true or false', test: (v) => typeof v === 'boolean' },
  power: { must: 'a number above 1', test: (v) => typeof v === 'number' && v > 1 && v <= 100 },
  gamma: { must: 'a number from 0 down', test: (v) => typeof v === 'number' && v <= 0 && v >= -1e6 },
  starts: { must: 'a whole number from 1 up', test: whole(1) },
  seed: { must: 'a whole number from 0 up', test: whole(0) },
  tolerance: { must: 'a number between 0 and 1', test: (v) => typeof v === 'number' && v > 0 && v < 1 },
};

/** A result is better than that of an earlier start if its criterion is better by this many tolerances. */
const BETTER = 100;

/**
 * Rotates the components of a model to simple structure, so that each column has large loadings on few components. The rotated
 * components span the same subspace and give the same reconstruction, but they are no longer directions of most variance.
 *
 * With A the model's loadings (k × d) and Z its whitened scores: loadings L = T⁻¹A, scores F = ZT, correlations of the scores Φ = TᵀT.
 * `varimax` and `quartimax` are orthogonal (Φ = I), `promax` and `oblimin` oblique. As `principal` of R's psych, in the same defaults.
 */
export function rotate(model: Model, options: RotateOptions): Promise<Rotation> {
  return keepAlive(async () => {
    checkRotateOptions(options);
    const { rank } = model.uniqueness;
    const { method, k = rank, normalize = method === 'varimax' || method === 'promax' } = options;
    const { starts = 10, seed = 0, gamma = 0, power = 4, tolerance = method === 'quartimax' ? 1e-14 : 1e-5 } = options;
    if (k > rank || rank === 0) {
      throw new OptionError(
        'K_OUT_OF_RANGE',
        rank === 0
          ? 'None of the components has variance, so there is nothing to rotate.'
          : `k is ${k}, but the model has ${rank} ${rank === 1 ? 'component' : 'components'} with variance to rotate.`,
        { option: 'k', value: k, expected: rank },
      );
    }
    const progress = new ProgressTracker(options);
    progress.begin('rotation');
    const d = model.d;
    const a = model.loadings.data.slice(0, k * d);
    // Columns of mean variance 1, or of communality 1 each.
    const size = Math.sqrt(model.totalVariance / d);
    const weights = Float64Array.from(
      { length: d },
      (_, j) => (normalize && Math.sqrt(communality(a, k, d, j))) || size,
    );
    const weighted = a.map((entry, at) => entry / weights[at % d]);
    const settings = { method, starts: k === 1 ? 1 : starts, seed, gamma, tolerance };
    const { turn, agreeing } = await progress.follow(bestTurn(weighted, k, d, settings));
    progress.end();
    const found =
      (method === 'promax' &&
        k > 1 &&
        promax(
          turn.t,
          a.map((entry) => entry / size),
          k,
          d,
          power,
        )) ||
      turn.t;
    const t = ordered(found, a, k, d);
    return new Rotation(model, { method, normalize, k, starts: settings.starts, agreeing, turn, t, a });
  });
}

function checkRotateOptions(options: RotateOptions): void {
  checkObject(options);
  for (const [option, value] of Object.entries(options)) {
    const check = OPTIONS[option as keyof RotateOptions];
    if (!check) {
      throw new OptionError(
        'UNKNOWN_OPTION',
        `rotate has no option ${describeValue(option)}; it has ${Object.keys(OPTIONS).join(', ')}.`,
        {
          option,
        },
      );
    }
    if (value !== undefined || option === 'method') checkOption(option, value, check);
  }
  if (options.method === undefined) checkOption('method', undefined, OPTIONS.method);
}

/** The best result of all starts, the first one of equal results, and the number of starts that agree with it. */
function* bestTurn(
  a: Float64Array,
  k: number,
  d: number,
  {
    method,
    starts,
    seed,
    gamma,
    tolerance,
  }: Filled<Pick<RotateOptions, 'method' | 'starts' | 'seed' | 'gamma' | 'tolerance'>>,
): Task<{ turn: Turn; agreeing: number }> {
  const rng = random(seed);
  const ends: Turn[] = [];
  for (let start = 0; start < starts; start++) {
    const t = start === 0 ? identity(k) : randomRows(k, k, rng);
    ends.push(
      yield* method === 'oblimin'
        ? oblimin(a, k, d, gamma, t, tolerance)
        : orthomax(a, k, d, method === 'quartimax' ? 0 : 1, t, tolerance),
    );
  }
  // Oblimin is minimised, the other criteria are maximised.
  const value = ({ after }: Turn): number => (method === 'oblimin' ? -after : after);
  const margin = Math.max(BETTER * tolerance, 1e-9) * Math.max(...ends.map((end) => Math.abs(end.after)));
  const best = ends.reduce((kept, end) => (value(end) > value(kept) + margin ? end : kept));
  const agreeing = ends.filter((end) => value(end) >= value(best) - margin).length;
  return { turn: { ...best, before: ends[0].before }, agreeing };
}

/**
 * Orders the columns of T by their sums of squared loadings, largest first, with signs such that the largest loading of each is
 * positive.
 */
function ordered(t: Float64Array, a: Float64Array, k: number, d: number): Float64Array {
  const loadings = combineRows(inverted(t, k), k, a, k, d);
  const sums = sumsOfSquares(loadings, transpose(t, k, k), a, k, d);
  const order = Array.from(sums.keys()).sort((p, q) => sums[q] - sums[p]);
  const out = new Float64Array(k * k);
  order.forEach((from, to) => {
    const row = loadings.subarray(from * d, (from + 1) * d);
    const largest = row.reduce((most, entry) => (Math.abs(entry) > Math.abs(most) * (1 + 1e-6) ? entry : most), 0);
    for (let i = 0; i < k; i++) out[i * k + to] = largest < 0 ? -t[i * k + from] : t[i * k + from];
  });
  return out;
}

/** The variance that each rotated component accounts for: the diagonal of ΦLLᵀ = (TᵀA)Lᵀ. They add up to the variance of the components. */
function sumsOfSquares(
  loadings: Float64Array,
  turned: Float64Array,
  a: Float64Array,
  k: number,
  d: number,
): Float64Array {
  const structure = combineRows(turned, k, a, k, d);
  return Float64Array.from({ length: k }, (_, i) => dot(structure, i * d, loadings, i * d, d));
}

interface Parts {
  readonly method: RotationMethod;
  readonly normalize: boolean;
  readonly k: number;
  readonly starts: number;
  readonly agreeing: number;
  readonly turn: Turn;
  readonly t: Float64Array;
  readonly a: Float64Array;
}

/** Rotated components of a model. */
export class Rotation {
  readonly method: RotationMethod;
  readonly normalize: boolean;
  readonly k: number;
  /** True if scores are uncorrelated. */
  readonly orthogonal: boolean;
  /** L = T⁻¹A, k × d: weights of the rotated components in each column ("pattern"). */
  readonly loadings: RowMatrix<Float64Array>;
  /**
   * ΦL, k × d: covariances of the columns with the rotated scores; correlations for columns of variance 1. Equal to `loadings` if
   * orthogonal.
   */
  readonly structure: RowMatrix<Float64Array>;
  /** T, k × k: rotated scores are whitened scores times T. */
  readonly scoreRotation: RowMatrix<Float64Array>;
  /** T⁻ᵀ, k × k: with one column per component, rotated loadings are loadings times this. Equal to T if orthogonal. */
  readonly rotation: RowMatrix<Float64Array>;
  /** Φ, k × k: correlations of the rotated scores. */
  readonly phi: RowMatrix<Float64Array>;
  /** Variance of each column that the k components explain, in scaled units. No rotation changes it. */
  readonly communalities: Float64Array;
  /**
   * Variance that each rotated component accounts for, largest first. They add up to the variance of the k components, but are not
   * eigenvalues.
   */
  readonly sumsOfSquares: Float64Array;
  /** The same as shares of the total variance. */
  readonly varianceRatios: Float64Array;
  /** Always false: rotated components are not eigenvectors. For programs that handle both. */
  readonly eigenvalues = false;
  /**
   * The criterion of the unrotated and of the rotated loadings (that of varimax for `promax`). `oblimin` is better if smaller, the
   * others if larger.
   */
  readonly criterion: { readonly before: number; readonly after: number };
  /** The number of starts of the search, and the number of starts that reached the best criterion. */
  readonly starts: { readonly count: number; readonly best: number };
  readonly warnings: readonly Warning[];
  readonly #model: Model;
  readonly #deviations: Float64Array;

  constructor(model: Model, { method, normalize, k, starts, agreeing, turn, t, a }: Parts) {
    const { d } = model;
    const matrix = (data: Float64Array, cols: number): RowMatrix<Float64Array> => new RowMatrix(k, cols, data);
    const back = inverted(t, k);
    const columns = transpose(t, k, k);
    const loadings = combineRows(back, k, a, k, d);
    this.method = method;
    this.normalize = normalize;
    this.k = k;
    this.orthogonal = method === 'varimax' || method === 'quartimax';
    this.loadings = matrix(loadings, d);
    this.structure = matrix(combineRows(columns, k, a, k, d), d);
    this.scoreRotation = matrix(t, k);
    this.rotation = matrix(transpose(back, k, k), k);
    this.phi = matrix(rowProducts(columns, k, columns, k, k), k);
    this.communalities = Float64Array.from({ length: d }, (_, j) => communality(a, k, d, j));
    this.sumsOfSquares = sumsOfSquares(loadings, columns, a, k, d);
    this.varianceRatios = this.sumsOfSquares.map((sum) => sum / model.totalVariance);
    this.criterion = { before: turn.before, after: turn.after };
    this.starts = { count: starts, best: agreeing };
    this.warnings = warningsOf(this, turn.converged);
    this.#model = model;
    this.#deviations = model.singularValues.slice(0, k).map((_, i) => deviationOf(model, i));
    Object.freeze(this);
  }

  /** Rotated scores of rows, F = ZT (n × k): each has variance 1 over the rows of the fit, and Φ are their correlations. */
  async transform(data: Data | Row, options: ApplyOptions = {}): Promise<RowMatrix<Float64Array>> {
    const { k } = this;
    const { rows, cols, data: scores } = await this.#model.transform(data, options);
    const { components, whiten } = this.#model;
    // ZCA scores are in the space of the columns. This projects them onto the components.
    const whitened = whiten === 'zca' ? rowProducts(floats(scores), rows, components.data, k, cols) : floats(scores);
    const width = whiten === 'zca' ? k : cols;
    const z = new Float64Array(rows * k);
    for (let i = 0; i < rows; i++) {
      for (let c = 0; c < k; c++) z[i * k + c] = whitened[i * width + c] / (whiten ? 1 : this.#deviations[c]);
    }
    return new RowMatrix(rows, k, combineRows(z, rows, this.scoreRotation.data, k, k), rotatedNames(k));
  }

  /** Rows from rotated scores, in the user's own units: what the k components reconstruct. */
  async inverseTransform(scores: Matrix, options: ApplyOptions = {}): Promise<RowMatrix> {
    const { k } = this;
    const { rows, stride = scores.cols } = scores;
    if (scores.cols !== k) {
      throw new DataError('WIDTH_MISMATCH', `These scores have ${scores.cols} columns; ${k} components were rotated.`, {
        value: scores.cols,
        expected: k,
      });
    }
    const packed = new Float64Array(rows * k);
    for (let i = 0; i < rows; i++) packed.set(scores.data.subarray(i * stride, i * stride + k), i * k);
    const z = combineRows(packed, rows, inverted(this.scoreRotation.data, k), k, k);
    const { whiten, components, k: all, d } = this.#model;
    if (whiten === 'zca') {
      return this.#model.inverseTransform(
        { rows, cols: d, data: combineRows(z, rows, components.data, k, d) },
        options,
      );
    }
    const data = new Float64Array(rows * all);
    for (let i = 0; i < rows; i++) {
      for (let c = 0; c < k; c++) data[i * all + c] = z[i * k + c] * (whiten ? 1 : this.#deviations[c]);
    }
    return this.#model.inverseTransform({ rows, cols: all, data }, options);
  }

  /** For `JSON.stringify`: matrices as rows, typed arrays as lists. */
  toJSON(): object {
    return listsOf(this);
  }
}

/** Names of rotated scores: RC1, RC2, … */
function rotatedNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `RC${i + 1}`);
}

function warningsOf({ k, method, varianceRatios }: Rotation, converged: boolean): Warning[] {
  const warnings: Warning[] = [];
  if (k > 1) {
    const share = (100 * varianceRatios.reduce((sum, ratio) => sum + ratio, 0)).toPrecision(3);
    warnings.push({
      code: 'ROTATED',
      message: `The ${k} rotated components share the ${share} % of the variance that the unrotated ones explain together, but their sums of squared loadings are not eigenvalues: no rotated component has to be the direction of most variance, and those that are left when one is left out do not have to span the best subspace.`,
      details: { method, k },
    });
  }
  if (!converged) {
    warnings.push({
      code: 'NOT_CONVERGED',
      message: `The search for the ${method} rotation stopped before its criterion was at rest. Use more starts, or fewer components.`,
      details: { method },
    });
  }
  return warnings;
}

function communality(a: Float64Array, k: number, d: number, j: number): number {
  let sum = 0;
  for (let i = 0; i < k; i++) sum += a[i * d + j] ** 2;
  return sum;
}

function identity(k: number): Float64Array {
  return Float64Array.from({ length: k * k }, (_, at) => (at % (k + 1) === 0 ? 1 : 0));
}

/** The inverse of T, which is never singular: its columns have length 1, and the search avoids dependent ones. */
function inverted(t: Float64Array, k: number): Float64Array {
  const back = inverse(t, k);
  if (!back) throw new RangeError('a rotation is singular');
  return back;
}

function floats(data: Matrix['data']): Float64Array {
  return data instanceof Float64Array ? data : Float64Array.from(data);
}

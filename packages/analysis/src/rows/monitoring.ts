import type { ApplyOptions, Model, Row, TableData } from '@scree/core';
import { withJson } from '@scree/core/data';
import { checkObject, checkOption, deviationOf, keepAlive } from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { readBlocks } from '../reading/read-blocks.js';
import { upperBeta, upperChiSquared, upperF, upperNormal } from '../statistics/distributions.js';
import type { ComparedModel } from './compared-model.js';

/**
 * Finds rows that are unusual for a model: Hotelling's T² measures how far a row lies from the mean within the components, Q (also
 * called SPE) how far it lies from its reconstruction. Limits are those of normally distributed rows. Jackson & Mudholkar (1979),
 * Control Procedures for Residuals Associated With Principal Component Analysis; Tracy, Young & Mason (1992), Multivariate Control
 * Charts for Individual Observations.
 */

/** `'fit'` for rows to which the model was fitted, `'new'` for other rows. */
export type RowsOf = 'fit' | 'new';

/** Options of the limits of unusual rows. */
export interface LimitOptions {
  /** Share of normal rows within each limit. Default 0.95: one good row in twenty is beyond it. */
  readonly level?: number | undefined;
  /** Default `'new'`. Rows of the fit have pulled the components towards them. */
  readonly rows?: RowsOf | undefined;
  /**
   * Set to true to widen the limit of Q for new rows by the error of a fit of few rows. Default false: the limits of the literature.
   * `unusualLimits` are corrected, so that no good row is called unusual because the fit had few rows.
   */
  readonly corrected?: boolean | undefined;
  /** All eigenvalues, largest first. Default: `model.spectrum`. */
  readonly spectrum?: ArrayLike<number> | undefined;
  /** Mean and variance of the reconstruction errors of the rows of the fit, used if eigenvalues are not known. */
  readonly errors?: { readonly mean: number; readonly variance: number } | undefined;
}

/** Limits of T² and Q, in the units of the model's variances. A limit is null if it cannot be computed. */
export interface RowLimits {
  readonly level: number;
  readonly rows: RowsOf;
  /** `beta` for rows of a fit without weights, else `f`. */
  readonly t2: number | null;
  /** The first of `jacksonMudholkar`, `box` and `matched` that is known. */
  readonly q: number | null;
  readonly methods: {
    /** k(n² − 1)/(n(n − k))·F: exact for a new row, if all rows are normal. */
    readonly f: number | null;
    /** (n − 1)²/n·Beta(k/2, (n − k − 1)/2): exact for a row of the fit. */
    readonly beta: number | null;
    /** From power sums θ₁, θ₂, θ₃ of the eigenvalues left out. */
    readonly jacksonMudholkar: number | null;
    /** θ₂/θ₁·χ² with θ₁²/θ₂ degrees of freedom (Box 1954). */
    readonly box: number | null;
    /** The same with mean and variance of `errors`. */
    readonly matched: number | null;
  };
}

/** Statistics of rows, and the limits beyond which they are unusual. */
export interface MonitoredRows {
  /** Hotelling's T² of every row: Σ zᵢ²/λᵢ over the components with variance. */
  readonly t2: Float64Array;
  /** Squared distance of every row from its reconstruction, as `model.reconstructionError` has it. */
  readonly q: Float64Array;
  readonly limits: RowLimits;
  /** Limits at level 1 − (1 − level)/(2·rows): all good rows together have a chance of 1 − level to pass one of them (Bonferroni). */
  readonly unusualLimits: RowLimits;
  /** Indexes of the rows beyond a limit of `unusualLimits`, in order. */
  readonly unusual: number[];
}

/** Excluded eigenvalues whose sum is below this share of the variance are rounding. */
const ROUNDING = 1e-13;

/** Reads rows once, and computes T² and Q of each row and their limits. */
export function monitorRows(
  model: Model,
  data: TableData | Row,
  options: LimitOptions & ApplyOptions = {},
): Promise<MonitoredRows> {
  // Options are checked before anything is read.
  rowLimits(model, options);
  return keepAlive(async () => {
    const { t2, q } = await readStatistics(model, data, options);
    const limits = rowLimits(model, options);
    const unusualLimits = rowLimits(model, {
      ...options,
      level: unusualLevel(q.length, limits.level),
      corrected: true,
    });
    const unusual: number[] = [];
    for (let i = 0; i < q.length; i++) if (isBeyond(unusualLimits, t2[i], q[i])) unusual.push(i);
    return withJson({ t2, q, limits, unusualLimits, unusual });
  });
}

/** The level of each limit such that all 2 × rows comparisons are right with probability `level` (Bonferroni). */
export function unusualLevel(rows: number, level = 0.95): number {
  return 1 - (1 - level) / (2 * Math.max(1, rows));
}

export function isBeyond(limits: Pick<RowLimits, 't2' | 'q'>, t2: number, q: number): boolean {
  return (limits.t2 !== null && t2 > limits.t2) || (limits.q !== null && q > limits.q);
}

/** T² = Σ zᵢ²/λᵢ of the scores (not whitened) from index `start`, over the components with variance. */
export function hotellingT2(
  model: Pick<Model, 'singularValues' | 'variances' | 'totalWeight' | 'ddof' | 'uniqueness'>,
  scores: ArrayLike<number>,
  start = 0,
): number {
  let sum = 0;
  for (let i = 0; i < model.uniqueness.rank; i++) sum += (scores[start + i] / deviationOf(model, i)) ** 2;
  return sum;
}

/**
 * Limits of T² and Q. n is Σw, because a weight counts its row that many times. Without centring n − 1 becomes n. If the model does not
 * divide by n − 1, the limits are scaled accordingly.
 */
export function rowLimits(model: ComparedModel, options: LimitOptions = {}): RowLimits {
  checkModel(model);
  checkObject(options);
  const { level = 0.95, rows = 'new', errors } = options;
  checkOption('level', level, {
    must: 'a number between 0 and 1, such as 0.95',
    test: (v) => typeof v === 'number' && v > 0 && v < 1,
  });
  checkOption('rows', rows, { must: "'fit' or 'new'", test: (v) => v === 'fit' || v === 'new' });
  const beyond = 1 - level;
  const { totalWeight: n, centered, ddof } = model;
  const k = model.uniqueness.rank;
  /** Degrees of freedom of the covariance. */
  const m = centered ? n - 1 : n;
  const units = (n - ddof) / m;
  const known = k > 0 && m > k;
  const f = known ? units * (centered ? 1 + 1 / n : 1) * ((k * m) / (m - k + 1)) * upperF(beyond, k, m - k + 1) : null;
  const beta = known ? units * (centered ? (m * m) / n : m) * upperBeta(beyond, k / 2, (m - k) / 2) : null;
  // Without rows or the total variance, limits are not known.
  const left = Number.isNaN(n) || Number.isNaN(model.totalVariance) ? null : leftOut(model, options.spectrum);
  const jacksonMudholkar = left && residualLimit(left, beyond, units);
  const box = left && boxLimit(units * left.sum, 1 / left.second, beyond);
  const factor = options.corrected && rows === 'new' && left ? predictionFactor(model, 1 / left.second, beyond) : 1;
  const spread = errors ? 2 * (errors.mean / Math.sqrt(errors.variance)) ** 2 : 0;
  // If the components leave nothing out, errors are rounding, and so would be their limit.
  const lost = errors && errors.mean > ROUNDING * model.totalVariance;
  const matched = lost && spread > 0 && Number.isFinite(spread) ? boxLimit(errors.mean, spread, beyond) : null;
  return {
    level,
    rows,
    t2: rows === 'fit' && n === model.n ? beta : f,
    q: scaled(jacksonMudholkar ?? box ?? matched, factor),
    methods: { f, beta, jacksonMudholkar, box, matched },
  };
}

/** θ₁, θ₂/θ₁² and θ₃/θ₁³: cubes of large eigenvalues would overflow. */
interface PowerSums {
  readonly sum: number;
  readonly second: number;
  readonly third: number;
}

/** Power sums of the excluded eigenvalues; null if they are not known, or zero within rounding. */
function leftOut(model: ComparedModel, given?: ArrayLike<number>): PowerSums | null {
  const { k, d, totalVariance, noiseVariance, spectrum } = model;
  // A single excluded direction has all remaining variance.
  const all = given ?? spectrum ?? (d - k === 1 ? [...model.variances, noiseVariance] : []);
  const values = Array.from(all, (value) => Math.max(0, value)).slice(k);
  const sum = values.reduce((a, value) => a + value, 0);
  if (!(sum > ROUNDING * totalVariance)) return null;
  const second = values.reduce((a, value) => a + (value / sum) ** 2, 0);
  return { sum, second, third: values.reduce((a, value) => a + (value / sum) ** 3, 0) };
}

/**
 * Jackson & Mudholkar: (Q/θ₁)^h is nearly normal with h = 1 − 2θ₁θ₃/(3θ₂²), mean 1 + θ₂h(h − 1)/θ₁² and standard deviation
 * |h|·√(2θ₂)/θ₁. Null if the base of the power would be negative.
 */
function residualLimit({ sum, second, third }: PowerSums, beyond: number, units: number): number | null {
  const h = 1 - (2 * third) / (3 * second * second);
  const off = upperNormal(beyond) * Math.sqrt(2 * second) + second * (h - 1);
  if (!(1 + h * off > 0)) return null;
  return units * sum * (Math.abs(h) < 1e-9 ? Math.exp(off) : (1 + h * off) ** (1 / h));
}

/**
 * The factor by which the limit of Q for a new row exceeds the one of the excluded eigenvalues. The fit chose its axes to leave little
 * of its own rows, (m − k)/m of the noise on average. A new row keeps 1 + 1/n + k/m of it, because mean and axes have sampling errors
 * (first order). The noise is estimated too, so χ² with h degrees of freedom becomes F.
 */
function predictionFactor(model: ComparedModel, h: number, beyond: number): number {
  const { totalWeight: n, centered } = model;
  const k = model.uniqueness.rank;
  const m = centered ? n - 1 : n;
  if (!(m > k)) return Number.POSITIVE_INFINITY;
  const mean = ((centered ? 1 + 1 / n : 1) + k / m) * (m / (m - k));
  return (mean * h * upperF(beyond, h, h * (m - k))) / upperChiSquared(beyond, h);
}

function scaled(limit: number | null, factor: number): number | null {
  return limit === null || !Number.isFinite(factor) ? null : factor * limit;
}

/** The quantile of χ² with h degrees of freedom, scaled to this mean; its variance is 2·mean²/h. */
function boxLimit(mean: number, h: number, beyond: number): number {
  return (mean / h) * upperChiSquared(beyond, h);
}

async function readStatistics(
  model: Model,
  data: TableData | Row,
  options: ApplyOptions,
): Promise<{ t2: Float64Array; q: Float64Array }> {
  const [t2, q]: [number[], number[]] = [[], []];
  await readBlocks(model, 'T² and Q', data, options, ({ scores, errors }) => {
    errors.forEach((error, i) => {
      t2.push(hotellingT2(model, scores, i * model.k));
      q.push(error);
    });
  });
  return { t2: Float64Array.from(t2), q: Float64Array.from(q) };
}

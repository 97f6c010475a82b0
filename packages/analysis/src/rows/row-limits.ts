import type { Model } from '@scree/core';
import { checkObject, checkOption, deviationOf } from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { upperBeta, upperChiSquared, upperF } from '../statistics/distributions.js';
import type { ComparedModel } from './compared-model.js';
import { boxLimit, jacksonMudholkarLimit, type PowerSums, powerSums, residualLimitOf } from './residual-limit.js';
import { type NewRowRatios, simulateNewRows, WIDEST_SIMULATED } from './simulated-fits.js';

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
  /** All eigenvalues, largest first. Default: `model.spectrum`. */
  readonly spectrum?: ArrayLike<number> | undefined;
  /** Mean and variance of the reconstruction errors of the rows of the fit, used if eigenvalues are not known. */
  readonly errors?: { readonly mean: number; readonly variance: number } | undefined;
}

/** Limits of T² and Q, in the units of the model's variances. A limit is null if it cannot be computed. */
export interface RowLimits {
  readonly level: number;
  readonly rows: RowsOf;
  /** For new rows, what `calibration` says; `beta` for rows of a fit without weights. */
  readonly t2: number | null;
  /** For new rows, what `calibration` says; for rows of the fit the first of `jacksonMudholkar`, `box` and `matched` that is known. */
  readonly q: number | null;
  /**
   * How the limits of new rows allow for what the fit gets wrong: `'simulated'`, by fits of normal rows of the same kind; `'formula'`, by a
   * first-order correction of Q, if the table is wide, or large for its width; `'rows'`, measured on rows of a calibration. Null for rows of the fit.
   */
  readonly calibration: 'simulated' | 'formula' | 'rows' | null;
  /** The limit of the combined index T²/limit + Q/limit (Yue & Qin 2001); null if one of the limits is not known. */
  readonly combined: number | null;
  /** What is known from formulas that take the fit for the truth. */
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

/** Excluded eigenvalues whose sum is below this share of the variance are rounding. */
const ROUNDING = 1e-13;

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
  checkLevel(level);
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
  const jacksonMudholkar = left && scaled(jacksonMudholkarLimit(left, beyond), units);
  const box = left && boxLimit(units * left.sum, 1 / left.second, beyond);
  const spread = errors ? 2 * (errors.mean / Math.sqrt(errors.variance)) ** 2 : 0;
  // If the components leave nothing out, errors are rounding, and so would be their limit.
  const lost = errors && errors.mean > ROUNDING * model.totalVariance;
  const matched = lost && spread > 0 && Number.isFinite(spread) ? boxLimit(errors.mean, spread, beyond) : null;
  const methods = { f, beta, jacksonMudholkar, box, matched };
  const q = jacksonMudholkar ?? box ?? matched;
  if (rows === 'fit') {
    const t2 = n === model.n ? beta : f;
    return { level, rows, t2, q, calibration: null, combined: combinedFormula(left, k, beyond, t2, q, units), methods };
  }
  const simulated = ratiosOf(model, options.spectrum, left);
  if (!simulated) {
    const factor = left ? predictionFactor(model, 1 / left.second, beyond) : 1;
    const limit = scaled(q, factor);
    const combined = combinedFormula(left, k, beyond, f, limit, units);
    return { level, rows, t2: f, q: limit, calibration: 'formula', combined, methods };
  }
  const base = left && residualLimitOf(left.values, 0.05);
  const t2 = k > 0 ? units * quantileAt(simulated.t2, level, (tail) => upperF(tail, k, m - k + 1)) : null;
  const h = left ? 1 / left.second : 1;
  const ratio = quantileAt(simulated.q, level, (tail) => upperF(tail, h, h * (m - k)));
  const limit = base === null ? null : units * base * ratio;
  const combined = t2 === null || limit === null ? null : combinedLimit(simulated, level, t2 / units, ratio);
  return { level, rows, t2, q: limit, calibration: 'simulated', combined, methods };
}

export function checkLevel(level: unknown): void {
  checkOption('level', level, {
    must: 'a number between 0 and 1, such as 0.95',
    test: (v) => typeof v === 'number' && v > 0 && v < 1,
  });
}

/** Levels up to this one are quantiles of simulated rows. */
const HIGHEST_SIMULATED = 0.99;

/** The quantile of sorted values. Beyond the highest simulated level, the distribution `upper` of the tail continues them. */
function quantileAt(sorted: Float64Array, level: number, upper: (beyond: number) => number): number {
  const inside = Math.min(level, HIGHEST_SIMULATED);
  const at = Math.min(sorted.length - 1, Math.ceil(inside * sorted.length));
  return level > inside ? sorted[at] * (upper(1 - level) / upper(1 - inside)) : sorted[at];
}

/** The quantile of T²/limit + Q/limit of simulated rows. */
function combinedLimit({ pairs }: NewRowRatios, level: number, t2: number, ratio: number): number {
  const sums = pairs.t2.map((value, i) => value / t2 + pairs.q[i] / ratio).sort();
  return quantileAt(sums, level, (tail) => upperChiSquared(tail, 4));
}

/** Yue & Qin (2001): g·χ² with h degrees of freedom, g and h from the mean and variance of T²/limit + Q/limit. */
function combinedFormula(
  left: PowerSums | null,
  k: number,
  beyond: number,
  t2: number | null,
  q: number | null,
  units: number,
): number | null {
  if (!left || t2 === null || q === null) return null;
  const [distance, residual] = [t2 / units, q / units];
  const mean = k / distance + left.sum / residual;
  const square = k / distance ** 2 + left.second * (left.sum / residual) ** 2;
  return boxLimit(mean, mean ** 2 / square, beyond);
}

/** Simulated rows of models that were asked before, by the eigenvalues. */
const simulations = new WeakMap<ComparedModel, Map<string, NewRowRatios | undefined>>();
/** From this many rows per column on, the corrections are smaller than what a simulation resolves. */
const MANY_ROWS = 100;

/** New rows of fits of this kind; undefined if the eigenvalues are not known, or the table is too wide or too large to need them. */
function ratiosOf(
  model: ComparedModel,
  given: ArrayLike<number> | undefined,
  left: LeftOut | null,
): NewRowRatios | undefined {
  const { totalWeight: n, d, centered, ddof } = model;
  const k = model.uniqueness.rank;
  const m = centered ? n - 1 : n;
  const all = given ?? model.spectrum ?? (left && d - model.k === 1 ? [...model.variances, left.sum] : undefined);
  const few = Number.isFinite(n) && m > k + 2 && n < MANY_ROWS * d;
  if (!all || !few || d > WIDEST_SIMULATED || !left || k !== model.k || k >= d) return undefined;
  const units = (n - ddof) / m;
  const values = Float64Array.from(all, (value) => Math.max(0, value) * units).subarray(0, Math.min(d, Math.floor(m)));
  const known = simulations.get(model) ?? new Map<string, NewRowRatios>();
  simulations.set(model, known);
  const key = given ? values.join() : '';
  if (!known.has(key)) {
    // Relative to the largest, so that squares of any data can be added up.
    const shares = values.map((value) => value / values[0]);
    const inflation = centered ? 1 + 1 / n : 1;
    known.set(key, simulateNewRows({ values: shares, d, k, m: Math.floor(m), inflation }));
  }
  return known.get(key);
}

/** The eigenvalues left out, and their power sums. */
interface LeftOut extends PowerSums {
  readonly values: readonly number[];
}

/** The excluded eigenvalues; null if they are not known, or zero within rounding. */
function leftOut(model: ComparedModel, given?: ArrayLike<number>): LeftOut | null {
  const { k, d, totalVariance, noiseVariance, spectrum } = model;
  // A single excluded direction has all remaining variance.
  const all = given ?? spectrum ?? (d - k === 1 ? [...model.variances, noiseVariance] : []);
  const values = Array.from(all, (value) => Math.max(0, value)).slice(k);
  const sums = powerSums(values);
  return sums.sum > ROUNDING * totalVariance ? { ...sums, values } : null;
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

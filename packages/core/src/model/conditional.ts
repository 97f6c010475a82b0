import { axpy, dot } from '../linalg/vector.js';
import type { ModelRecord } from './record.js';

/**
 * Missing values given the values that are there, under the model of probabilistic PCA (Tipping & Bishop 1999): a scaled row
 * b = (x − mean)/scale is normal with covariance C = WWᵀ + σ²I, where W = V(Λ − σ²)^½ (d × k) and σ² is the noise variance.
 *
 * With o the observed columns and m the missing ones, M = σ²I + W_oᵀW_o (k × k) and u = M⁻¹W_oᵀb_o:
 *
 *   E[b_m | b_o] = W_m u,   Cov[b_m | b_o] = σ²(I + W_m M⁻¹W_mᵀ).
 *
 * This is least squares on the observed columns, regularised by the noise. A row costs O(mk² + k³): `WᵀW` is computed once, and the
 * missing columns are subtracted from it.
 */

/** The numbers of a model that predict missing values. */
export type ConditionalModel = Pick<ModelRecord, 'components' | 'variances' | 'noiseVariance'>;

/**
 * Smallest noise variance, as a share of the largest variance. Without noise, M is singular if fewer than k columns are observed. Half
 * of the digits of float64 are then left for u.
 */
const LEAST_NOISE = 1e-9;

/** Predicts missing values of scaled rows. It has memory for one row, so it is not shared by concurrent loops. */
export class ConditionalMeans {
  readonly k: number;
  readonly d: number;
  /** σ², at least `LEAST_NOISE` of the largest variance. */
  readonly noise: number;
  /** W (d × k): the row of a column is contiguous. */
  readonly loadings: Float64Array;
  /** u of the last row. */
  readonly latent: Float64Array;
  /** The lower triangle L of M = LLᵀ, of the last row. */
  readonly factor: Float64Array;
  readonly #gram: Float64Array;

  /** `loadings` is W (d × k) in the units of the scaled rows. */
  constructor(loadings: Float64Array, k: number, noise: number) {
    this.k = k;
    this.d = loadings.length / k;
    this.loadings = loadings;
    this.latent = new Float64Array(k);
    this.factor = new Float64Array(k * k);
    this.#gram = new Float64Array(k * k);
    for (let j = 0; j < this.d; j++) this.#addOuter(this.#gram, j, 1);
    let largest = 0;
    for (let c = 0; c < k; c++) largest = Math.max(largest, this.#gram[c * k + c]);
    this.noise = Math.max(noise, LEAST_NOISE * largest) || Number.MIN_VALUE / Number.EPSILON;
  }

  /** The predictor of a model. Unknown noise counts as none. */
  static of({ components, variances, noiseVariance }: ConditionalModel): ConditionalMeans {
    const { rows: k, cols: d, data } = components;
    const noise = noiseVariance > 0 ? noiseVariance : 0;
    const loadings = new Float64Array(d * k);
    for (let c = 0; c < k; c++) {
      const length = Math.sqrt(Math.max(0, variances[c] - noise));
      for (let j = 0; j < d; j++) loadings[j * k + c] = length * data[c * d + j];
    }
    return new ConditionalMeans(loadings, k, noise);
  }

  /**
   * Fills the gaps of the scaled row at `start` of `rows` with their conditional means, and leaves `latent` and `factor` for it. `gaps` are
   * its missing columns, in ascending order; the numbers there are ignored.
   */
  fill(rows: Float64Array, start: number, gaps: ArrayLike<number>): void {
    this.solve(rows, start, gaps);
    const { k, loadings, latent } = this;
    for (let g = 0; g < gaps.length; g++) rows[start + gaps[g]] = dot(loadings, gaps[g] * k, latent, 0, k);
  }

  /** Computes `latent` and `factor` of a row. Returns b_oᵀW_o u, the part of ‖b_o‖² that the latent variables explain. */
  solve(rows: Float64Array, start: number, gaps: ArrayLike<number>): number {
    const { k, d, loadings, latent, factor } = this;
    const few = gaps.length <= d / 2;
    if (few) factor.set(this.#gram);
    else factor.fill(0);
    latent.fill(0);
    for (let j = 0, g = 0; j < d; j++) {
      if (g < gaps.length && gaps[g] === j) {
        g++;
        if (few) this.#addOuter(factor, j, -1);
        continue;
      }
      if (!few) this.#addOuter(factor, j, 1);
      axpy(rows[start + j], loadings, j * k, latent, 0, k);
    }
    return this.#factorise();
  }

  /**
   * `solve`, if y = Wᵀb was computed with the missing entries taken as they stand in the row `b`: only the missing columns are visited,
   * `gaps[from]`, …, `gaps[to − 1]`. y begins at `at`. Returns the explained part of ‖b_o‖².
   */
  solveFrom(y: Float64Array, at: number, b: Float64Array, gaps: Int32Array, from: number, to: number): number {
    const { k, loadings, latent, factor } = this;
    const gram = this.#gram;
    for (let e = 0; e < k * k; e++) factor[e] = gram[e];
    for (let c = 0; c < k; c++) latent[c] = y[at + c];
    for (let g = from; g < to; g++) {
      const row = gaps[g] * k;
      const value = b[gaps[g]];
      for (let a = 0; a < k; a++) {
        const w = loadings[row + a];
        latent[a] -= value * w;
        for (let c = 0; c <= a; c++) factor[a * k + c] -= w * loadings[row + c];
      }
    }
    return this.#factorise();
  }

  /** M = LLᵀ in `factor`, and u = M⁻¹y in `latent`, which held y. Returns yᵀu. */
  #factorise(): number {
    const { k, noise, latent, factor: l } = this;
    for (let j = 0; j < k; j++) {
      for (let i = 0; i <= j; i++) {
        let sum = l[j * k + i];
        for (let c = 0; c < i; c++) sum -= l[i * k + c] * l[j * k + c];
        // The sum is at least the noise. Rounding may make it smaller.
        if (i === j) l[j * k + j] = Math.sqrt(Math.max(noise, sum + noise));
        else l[j * k + i] = sum / l[i * k + i];
      }
    }
    let explained = 0;
    for (let i = 0; i < k; i++) {
      let sum = latent[i];
      for (let c = 0; c < i; c++) sum -= l[i * k + c] * latent[c];
      latent[i] = sum / l[i * k + i];
      explained += latent[i] * latent[i];
    }
    for (let i = k - 1; i >= 0; i--) {
      let sum = latent[i];
      for (let c = i + 1; c < k; c++) sum -= l[c * k + i] * latent[c];
      latent[i] = sum / l[i * k + i];
    }
    return explained;
  }

  /** x ← L⁻¹x for the `factor` of the last row: σ²‖L⁻¹q‖² is the posterior variance of the latent variables along q. */
  whiten(x: Float64Array, start = 0): void {
    const { k, factor: l } = this;
    for (let i = 0; i < k; i++) {
      let sum = x[start + i];
      for (let c = 0; c < i; c++) sum -= l[i * k + c] * x[start + c];
      x[start + i] = sum / l[i * k + i];
    }
  }

  /** log det M of the last row. */
  get logDeterminant(): number {
    let sum = 0;
    for (let c = 0; c < this.k; c++) sum += 2 * Math.log(this.factor[c * this.k + c]);
    return sum;
  }

  /** out += sign·wwᵀ, lower triangle, for the loadings w of column j. */
  #addOuter(out: Float64Array, j: number, sign: number): void {
    const { k, loadings } = this;
    for (let a = 0; a < k; a++) {
      const value = sign * loadings[j * k + a];
      for (let b = 0; b <= a; b++) out[a * k + b] += value * loadings[j * k + b];
    }
  }
}

/** What a model knows about a row with missing values. */
export interface ConditionalScores {
  /** Expected scores z = Vb of the complete row, not whitened. Of a row without gaps these are its scores. */
  readonly scores: Float64Array;
  /** Standard error of each score; 0 for a row without gaps. */
  readonly errors: Float64Array;
  /** The row in the user's units, with its gaps filled by their conditional means. */
  readonly completed: Float64Array;
  /** Standard error of each value: 0 where it was observed. */
  readonly valueErrors: Float64Array;
  /** Number of values that were observed. */
  readonly observed: number;
}

/**
 * The expected scores of a row whose missing values are NaN, with standard errors: the conditional mean given the observed values. Throws
 * nothing: a row without any value has the scores of the mean and the errors of the model.
 *
 * ```ts
 * const { scores, errors } = conditionalScores(model, [5.1, Number.NaN, 1.4, 0.2]);
 * ```
 */
export function conditionalScores(
  model: ConditionalModel & Pick<ModelRecord, 'mean' | 'scale'>,
  row: ArrayLike<number>,
  means = ConditionalMeans.of(model),
): ConditionalScores {
  const { components, mean, scale } = model;
  const { rows: k, cols: d, data } = components;
  const gaps: number[] = [];
  const scaled = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    if (Number.isNaN(row[j])) gaps.push(j);
    else scaled[j] = (row[j] - mean[j]) / scale[j];
  }
  const errors = new Float64Array(k);
  const valueErrors = new Float64Array(d);
  if (gaps.length > 0) {
    means.fill(scaled, 0, gaps);
    const q = new Float64Array(k);
    for (let c = 0; c < k; c++) errors[c] = Math.sqrt(scoreVariance(means, data.subarray(c * d, (c + 1) * d), gaps, q));
    for (const j of gaps) {
      q.set(means.loadings.subarray(j * k, (j + 1) * k));
      means.whiten(q);
      valueErrors[j] = scale[j] * Math.sqrt(means.noise * (1 + dot(q, 0, q, 0, k)));
    }
  }
  const scores = new Float64Array(k);
  for (let c = 0; c < k; c++) scores[c] = dot(scaled, 0, data, c * d, d);
  const completed = new Float64Array(d);
  for (let j = 0; j < d; j++) completed[j] = Number.isNaN(row[j]) ? mean[j] + scale[j] * scaled[j] : row[j];
  return { scores, errors, completed, valueErrors, observed: d - gaps.length };
}

/** Variance of vᵀb given the observed columns: σ²(‖v_m‖² + ‖L⁻¹W_mᵀv_m‖²). `q` is memory for k numbers. */
function scoreVariance(means: ConditionalMeans, v: Float64Array, gaps: readonly number[], q: Float64Array): number {
  const { k, loadings, noise } = means;
  let square = 0;
  q.fill(0);
  for (const j of gaps) {
    square += v[j] * v[j];
    axpy(v[j], loadings, j * k, q, 0, k);
  }
  means.whiten(q);
  return noise * (square + dot(q, 0, q, 0, k));
}

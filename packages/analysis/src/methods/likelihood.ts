import { type ApplyOptions, type Data, type Model, ModelError, OptionError, type Row, RowMatrix } from '@scree/core';
import { decodeNumbers, hasCategories, reversible, scoreNames, withJson } from '@scree/core/data';
import { axpy, type Random, random } from '@scree/core/linalg';
import {
  type ControlOptions,
  checkControl,
  checkObject,
  checkOption,
  keepAlive,
  ProgressTracker,
  type Task,
} from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { readBlocks } from '../reading/read-blocks.js';

/** Options of `probabilistic`. */
export interface ProbabilisticOptions {
  /**
   * How the noise variance σ² follows from the variance outside the components. `'columns'` divides it by d − k, which maximises the
   * likelihood (Tipping & Bishop 1999) and gives `model.noiseVariance`. `'rank'` divides it by min(n, d) − k, as scikit-learn does.
   * They differ if there are fewer rows than columns. Default `'columns'`.
   */
  readonly noise?: 'columns' | 'rank' | undefined;
}

/** Options of sampling. */
export interface SampleOptions extends ControlOptions {
  /** Default 0. */
  readonly seed?: number | undefined;
}

/** Share of the total variance below which the variance outside the components is rounding. */
const ROUNDING = 1e-13;

/**
 * Probabilistic PCA: the model as a normal distribution (Tipping & Bishop 1999). With b = (x − mean)/scale, latent scores t ~ N(0, I):
 *
 *   b = Vᵀ(Λ − σ²I)^½ t + ε,  ε ~ N(0, σ²I),  so b ~ N(0, C),  C = Vᵀ(Λ − σ²I)V + σ²I.
 *
 * Λ are the model's variances, so ddof is the model's: 1 by default, as in scikit-learn; 0 gives the largest likelihood. Densities
 * are those of the rows in their own units, so models of the same rows can be compared, however each of them scales the columns. A
 * model that keeps every component is the normal distribution with the covariance of the data.
 */
export function probabilistic(model: Model, options: ProbabilisticOptions = {}): ProbabilisticPca {
  checkModel(model);
  return new ProbabilisticPca(model, options);
}

/** A model as a distribution of rows: likelihoods, and samples. */
export class ProbabilisticPca {
  readonly model: Model;
  /** σ², in the scaled units of the model's variances. */
  readonly noiseVariance: number;

  constructor(model: Model, options: ProbabilisticOptions = {}) {
    checkObject(options);
    const { noise = 'columns' } = options;
    checkOption('noise', noise, { must: "'columns' or 'rank'", test: (v) => v === 'columns' || v === 'rank' });
    const { k, d, n } = model;
    const outside = model.noiseVariance * (d - k);
    const dimensions = noise === 'columns' ? d - k : Math.min(n, d) - k;
    this.model = model;
    const noisy = outside > ROUNDING * model.totalVariance && dimensions > 0;
    this.noiseVariance = noisy ? model.noiseVariance * ((d - k) / dimensions) : 0;
    Object.freeze(this);
  }

  /**
   * Log-likelihood of every row, in one reading: −½[d·ln 2π + ln|C| + bᵀC⁻¹b] − Σ ln scale. By Woodbury's identity
   * bᵀC⁻¹b = Σ zᵢ²/λᵢ + ‖b − VᵀVb‖²/σ² and ln|C| = Σ ln λᵢ + (d − k)·ln σ², so no d × d matrix is formed.
   */
  async scoreSamples(data: Data | Row, options: ApplyOptions = {}): Promise<Float64Array> {
    const parts: Float64Array[] = [];
    await this.#eachBlock(data, options, (values) => parts.push(values));
    return withJson(joined(parts));
  }

  /** Mean log-likelihood of the rows. */
  async score(data: Data | Row, options: ApplyOptions = {}): Promise<number> {
    let sum = 0;
    let rows = 0;
    await this.#eachBlock(data, options, (values) => {
      sum += values.reduce((total, value) => total + value, 0);
      rows += values.length;
    });
    return sum / rows;
  }

  /**
   * The posterior of the latent scores t of a row: normal with mean (Λ − σ²I)^½Λ⁻¹z, and variances σ²/λᵢ, the same for every row. The
   * prior has variance 1, so the means are whitened scores, drawn towards 0.
   */
  async posterior(
    data: Data | Row,
    options: ApplyOptions = {},
  ): Promise<{ readonly mean: RowMatrix<Float64Array>; readonly variances: Float64Array }> {
    this.#demandDensity();
    const { k, variances } = this.model;
    const factors = this.#excess().map((excess, i) => excess / variances[i]);
    const parts: Float64Array[] = [];
    await readBlocks(this.model, 'posterior scores', data, options, ({ scores }) => {
      parts.push(scores.map((score, at) => score * factors[at % k]));
    });
    const mean = joined(parts);
    return withJson({
      mean: new RowMatrix(mean.length / k, k, mean, scoreNames(k)),
      variances: variances.map((variance) => this.noiseVariance / variance),
    });
  }

  /**
   * Draws new rows from the distribution, in the user's own units (count × d); the same for the same seed. Transforms of columns are
   * undone. If covariates were regressed out, the rows are residuals. A model with categories is refused, because its distribution is
   * not one of levels.
   */
  sample(count: number, options: SampleOptions = {}): Promise<RowMatrix<Float64Array>> {
    return keepAlive(async () => {
      checkControl(options);
      const whole = {
        must: 'a whole number from 1 up',
        test: (v: unknown) => Number.isSafeInteger(v) && Number(v) >= 1,
      };
      checkOption('count', count, whole);
      const { seed = 0 } = options;
      checkOption('seed', seed, { must: 'a whole number', test: Number.isSafeInteger });
      const { d } = this.model;
      const encoding = reversible(this.model.coding);
      if (encoding && hasCategories(encoding)) {
        throw new ModelError(
          'BAD_MODEL',
          'Rows cannot be drawn from a model with categories: its normal distribution is one of zeros and ones, not of levels.',
        );
      }
      const data = new Float64Array(count * d);
      await new ProgressTracker(options).run('sampling', count, this.#draw(data, random(seed)));
      const rows = new RowMatrix(count, d, data, this.model.columnNames);
      return encoding ? decodeNumbers(encoding, rows) : rows;
    });
  }

  *#draw(data: Float64Array, { normal }: Random): Task<void> {
    const { k, d, components, mean, scale } = this.model;
    const deviations = this.#excess();
    const noise = Math.sqrt(this.noiseVariance);
    for (let start = 0; start < data.length; start += d) {
      for (let c = 0; c < k; c++) axpy(deviations[c] * normal(), components.data, c * d, data, start, d);
      for (let j = 0; j < d; j++) {
        const b = data[start + j] + (noise > 0 ? noise * normal() : 0);
        data[start + j] = mean[j] + scale[j] * b;
      }
      yield 1;
    }
  }

  /** C in the user's own units, d × d. */
  covariance(): RowMatrix<Float64Array> {
    const { variances, scale } = this.model;
    const sigma2 = this.noiseVariance;
    return this.#fill((i) => variances[i] - sigma2, sigma2, scale);
  }

  /** C⁻¹ in the user's own units, d × d: by Woodbury's identity Vᵀ(Λ⁻¹ − σ⁻²I)V + σ⁻²I, without inverting. */
  precision(): RowMatrix<Float64Array> {
    this.#demandDensity();
    const { k, d, variances, scale } = this.model;
    const inverse = k < d ? 1 / this.noiseVariance : 0;
    return this.#fill(
      (i) => 1 / variances[i] - inverse,
      inverse,
      scale.map((s) => 1 / s),
    );
  }

  /** Σ weight(i)·vᵢvᵢᵀ + diagonal·I, entry (i, j) times factorᵢ·factorⱼ. */
  #fill(weight: (i: number) => number, diagonal: number, factor: Float64Array): RowMatrix<Float64Array> {
    const { k, d } = this.model;
    const { data: v } = this.model.components;
    const data = new Float64Array(d * d);
    for (let c = 0; c < k; c++) {
      for (let i = 0; i < d; i++) axpy(weight(c) * v[c * d + i], v, c * d, data, i * d, d);
    }
    for (let i = 0; i < d; i++) {
      data[i * d + i] += diagonal;
      for (let j = 0; j < d; j++) data[i * d + j] *= factor[i] * factor[j];
    }
    return new RowMatrix(d, d, data, this.model.columnNames);
  }

  async #eachBlock(data: Data | Row, options: ApplyOptions, visit: (values: Float64Array) => void): Promise<void> {
    this.#demandDensity();
    const { k, d, variances, scale } = this.model;
    const sigma2 = this.noiseVariance;
    let constant = d * Math.log(2 * Math.PI);
    for (const variance of variances) constant += Math.log(variance);
    for (const s of scale) constant += 2 * Math.log(s);
    if (k < d) constant += (d - k) * Math.log(sigma2);
    await readBlocks(this.model, 'log-likelihood', data, options, ({ scores, errors }) => {
      visit(
        errors.map((error, i) => {
          let distance = k < d ? error / sigma2 : 0;
          for (let c = 0; c < k; c++) distance += scores[i * k + c] ** 2 / variances[c];
          return -0.5 * (constant + distance);
        }),
      );
    });
  }

  /** (Λ − σ²I)^½. */
  #excess(): Float64Array {
    return this.model.variances.map((variance) => Math.sqrt(Math.max(0, variance - this.noiseVariance)));
  }

  #demandDensity(): void {
    const { k, d, uniqueness } = this.model;
    if (uniqueness.rank === k && (k === d || this.noiseVariance > 0)) return;
    const { rank } = uniqueness;
    const remedy = rank > 1 ? `Fit with k below ${rank}` : 'Use rows that vary in more directions';
    throw new OptionError(
      'K_OUT_OF_RANGE',
      `The model has no variance outside its ${rank === 1 ? 'component' : `first ${rank} components`}, so rows have no density. ${remedy}.`,
      { option: 'k', value: k, expected: Math.max(1, rank - 1) },
    );
  }
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

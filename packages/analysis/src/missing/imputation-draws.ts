import type { Model, PcaOptions, RowSource } from '@scree/core';
import { type Block, mapAsync, mapSource } from '@scree/core/data';
import type { Random } from '@scree/core/linalg';
import {
  checkOptions,
  completeRows,
  type FillOptions,
  nestedModels,
  type Predictor,
  ProgressTracker,
} from '@scree/core/pipeline';
import { generatorOf } from '../bootstrap/draws.js';
import { observedResidual, predicted } from './choose-fill-k.js';

/**
 * Multiple imputation by the parametric bootstrap (MIPCA: Josse, Pagès & Husson 2011, "Multiple imputation in principal component
 * analysis"). Every draw b
 *
 * 1. adds normal residuals to the fitted values of the observed cells, and fits the method again: the model of draw b differs from the model
 *    as that of another sample of cells would;
 * 2. draws the missing values from their conditional distribution, given the observed values, under the model of draw b;
 * 3. fits PCA to the completed rows.
 *
 * The models of the draws differ only because values are missing. Cost: a fit with gaps per draw.
 */
export interface DrawOptions {
  readonly draws: number;
  readonly fill: FillOptions;
  readonly seed: number;
  /** Options of the fits, with the number of components. */
  readonly options: Pick<
    PcaOptions,
    'scale' | 'center' | 'ddof' | 'weights' | 'columnWeights' | 'threads' | 'engine'
  > & {
    readonly k: number;
  };
  readonly signal?: AbortSignal | undefined;
}

/** The models of the draws. `given` has NaN for missing values, and `predictor` is the fitted model. */
export async function imputationDraws(given: RowSource, predictor: Predictor, how: DrawOptions): Promise<Model[]> {
  const { draws, fill, seed, options, signal } = how;
  const progress = new ProgressTracker({ signal });
  const settings = checkOptions({ ...options, k: { atMost: fill.k ?? 1 } });
  const deviation = await residualDeviation(given, predictor);
  const models: Model[] = [];
  for (let b = 1; b <= draws; b++) {
    const noisy = mapRows(given, () => withNoise(predictor, deviation, generatorOf(seed, b, 1)));
    const { filling } = await completeRows(noisy, { ...settings, missing: fill }, progress);
    const own = filling?.predictor;
    if (!own) throw new TypeError('a draw has no model');
    const imputed = mapRows(given, () => withDraws(own, generatorOf(seed, b, 2)));
    const { k, ...others } = options;
    const { model } = await nestedModels(imputed, { ...others, k: { atMost: k } });
    models.push(model);
    signal?.throwIfAborted();
  }
  return models;
}

/** Standard deviation of the scaled residuals of the observed values, by their degrees of freedom. */
async function residualDeviation(given: RowSource, predictor: Predictor): Promise<number> {
  const { square, values } = await observedResidual(given, predictor.scale, predictor);
  const { k, d, noise } = predictor.means;
  const rows = given.rows ?? 0;
  const free = values - d - k * (rows + d - k - 1);
  return Math.sqrt(free > 0 ? square / free : noise);
}

/** Changes a scaled row in place. `gaps` are its missing columns. */
type ChangeRow = (row: Float64Array, gaps: readonly number[]) => void;

/** A source of copies of rows. `begin` makes the function that changes the rows of one reading, so that every reading has the same numbers. */
function mapRows(given: RowSource, begin: () => ChangeRow): RowSource {
  const blocks = (): AsyncIterable<Block> => {
    const change = begin();
    return mapAsync(given.blocks(), (block): Block => {
      if (block.kind === 'sparse' || block.half) return block;
      const { rows, cols, stride } = block;
      const data = new Float64Array(rows * cols);
      for (let i = 0; i < rows; i++) {
        const row = data.subarray(i * cols, (i + 1) * cols);
        row.set(block.data.subarray(i * stride, i * stride + cols));
        const gaps: number[] = [];
        for (let j = 0; j < cols; j++) if (Number.isNaN(row[j])) gaps.push(j);
        change(row, gaps);
      }
      return { kind: 'dense', rows, cols, stride: cols, data };
    });
  };
  return mapSource(given, {
    blocks,
    resident: false,
    rereadable: true,
    sample: undefined,
    dtype: 'float64',
    close: () => {},
    warnings: () => [],
  });
}

/** Fitted values plus normal residuals at the observed values; gaps stay gaps. */
function withNoise({ mean, scale, means }: Predictor, deviation: number, { normal }: Random): ChangeRow {
  const b = new Float64Array(means.d);
  return (row, gaps) => {
    for (let j = 0; j < b.length; j++) b[j] = (row[j] - mean[j]) / scale[j];
    means.solve(b, 0, gaps);
    for (let j = 0; j < b.length; j++) {
      if (!Number.isNaN(row[j])) row[j] = mean[j] + scale[j] * (predicted({ means }, j) + deviation * normal());
    }
  };
}

/** Missing values drawn from N(W_m u, σ²(I + W_m M⁻¹W_mᵀ)): latent variables u + σL⁻ᵀε, then noise. */
function withDraws({ mean, scale, means }: Predictor, { normal }: Random): ChangeRow {
  const { d, k, loadings, latent, factor, noise } = means;
  const [b, z] = [new Float64Array(d), new Float64Array(k)];
  const sigma = Math.sqrt(noise);
  return (row, gaps) => {
    if (gaps.length === 0) return;
    for (let j = 0; j < d; j++) b[j] = (row[j] - mean[j]) / scale[j];
    means.solve(b, 0, gaps);
    for (let c = k - 1; c >= 0; c--) {
      let sum = sigma * normal();
      for (let a = c + 1; a < k; a++) sum -= factor[a * k + c] * z[a];
      z[c] = sum / factor[c * k + c];
    }
    for (const j of gaps) {
      let value = sigma * normal();
      for (let c = 0; c < k; c++) value += loadings[j * k + c] * (latent[c] + z[c]);
      row[j] = mean[j] + scale[j] * value;
    }
  };
}

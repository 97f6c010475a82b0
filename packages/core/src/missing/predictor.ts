import { ConditionalMeans } from '../model/conditional.js';
import type { Model } from '../model/model.js';
import type { Predictor } from './gappy-block.js';

/** Eigenvalues λ of the covariance of the scaled rows, with divisor Σw: the first k, the next one, and their sum over all directions. */
export interface Spectrum {
  readonly values: Float64Array;
  readonly next: number;
  readonly total: number;
  readonly weight: number;
  readonly d: number;
}

/** The predictor of a model of at least k components: W = V(Λ − σ²)^½. `noiseOf` estimates σ² from the eigenvalues. */
export function predictorOf(model: Model, k: number, noiseOf: (spectrum: Spectrum) => number): Predictor {
  const { d, totalWeight: weight, ddof, variances, totalVariance, components, mean, scale } = model;
  const toMaximumLikelihood = (weight - ddof) / weight;
  const values = variances.slice(0, k).map((value) => value * toMaximumLikelihood);
  const next = (variances[k] ?? 0) * toMaximumLikelihood;
  const noise = noiseOf({ values, next, total: totalVariance * toMaximumLikelihood, weight, d });
  const loadings = new Float64Array(d * k);
  for (let c = 0; c < k; c++) {
    const length = Math.sqrt(Math.max(0, values[c] - noise));
    for (let j = 0; j < d; j++) loadings[j * k + c] = length * components.data[c * d + j];
  }
  return { mean: mean.slice(), scale: scale.slice(), means: new ConditionalMeans(loadings, k, noise) };
}

/** The sum of the eigenvalues after the first k. */
export function varianceLeft({ values, total }: Spectrum): number {
  return Math.max(0, total - values.reduce((sum, value) => sum + value, 0));
}

import { fixedPoint } from './accelerate.js';
import { GappyRows } from './gappy-rows.js';
import type { FillMethod } from './method.js';
import { predictorOf, type Spectrum, varianceLeft } from './predictor.js';

/**
 * Regularised iterative PCA (Josse & Husson 2012, "Handling missing values in exploratory multivariate data analysis methods", §2.3; imputePCA
 * of missMDA). Fill the gaps, fit k components, shrink each component by the noise, predict the gaps, and repeat:
 *
 *   x̂ᵢⱼ = meanⱼ + scaleⱼ·Σ_s (λ_s − σ²)/λ_s · z_is v_sj.
 *
 * At the fixed point the filled values of a row satisfy b_m = W_m(σ²I + WᵀW)⁻¹Wᵀb, whose solution is the conditional mean given b_o. So each
 * iteration predicts the gaps by that conditional mean: the fixed points are the same, and there are fewer iterations. For given σ² and
 * scales, both steps lower the joint objective n·log|C| + tr(C⁻¹S) of the filled values, W and the mean. Means, scales and σ² are
 * estimated again in every iteration. Weakness: the variance of filled values is not counted, so the variances of the components are too
 * small.
 */
export const iterative: FillMethod = {
  title: 'regularised iterative PCA',
  async run({ source, settings, observed, k, tolerance, iterations, engine, progress, fit }) {
    const rows = new GappyRows(source, observed.means, engine, progress);
    const noiseOf = (spectrum: Spectrum): number => regularisation(spectrum, k, settings.center);
    const start = predictorOf(await fit(rows.source, settings), k, noiseOf);
    let filled = start;
    const map = async (predictor: typeof start) => {
      await rows.fill(predictor);
      filled = predictor;
      return { next: predictorOf(await fit(rows.source, settings), k, noiseOf) };
    };
    const { predictor, ...found } = await fixedPoint(start, map, { tolerance, iterations });
    if (filled !== predictor) await rows.fill(predictor);
    return { source: rows.source, complete: (block) => rows.complete(block), predictor, ...found };
  },
};

/**
 * σ² = n·d/min(d, n − 1) · Σ_{s>k} λ_s / ((n − 1)d − (n − 1)k − dk + k²), at most λ_{k+1}: the residual variance by its degrees of freedom
 * (eq. 6 of the paper, and the factor that missMDA has for wide tables). Without centring, n − 1 is n.
 */
export function regularisation(spectrum: Spectrum, k: number, centred: boolean): number {
  const { weight: n, d, next } = spectrum;
  const free = centred ? n - 1 : n;
  const degrees = free * d - free * k - d * k + k * k;
  if (!(degrees > 0)) return next;
  return Math.min(next, ((n * d) / Math.min(d, free)) * (varianceLeft(spectrum) / degrees));
}

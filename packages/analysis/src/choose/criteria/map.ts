import { type CriterionMethod, components, doesNotApply, indexOfSmallest } from './criterion.js';

/** Up to this number of columns every number of components is compared; beyond it, the first MOST. */
const ALL_UP_TO = 200;
const MOST = 100;

/**
 * Velicer's minimum average partial (1976): with m components taken out of the correlation matrix R = VΛVᵀ, C = R − Σᵢ≤ₘ λᵢvᵢvᵢᵀ, the
 * average of the squared partial correlations cⱼₗ²/(cⱼⱼcₗₗ), j ≠ l. It falls while components carry variance that columns share, and
 * rises when they carry variance of single columns. O(d³).
 */
export const map: CriterionMethod = {
  name: 'map',
  title: { long: "Velicer's MAP", short: 'Velicer’s MAP', sentence: "Velicer's MAP" },
  importance: 7,
  guide: {
    keeps: 'until partial correlations are smallest',
    appliesTo: 'correlations, more rows than columns',
    source: 'Velicer 1976',
  },
  // `values`: average squared partial correlation, for k = 0, 1, 2, ….
  needs: ['covariance'],
  requires: ['centered', 'correlation'],
  compute: async ({ n, covariance, columnVariances, engine, progress }) => {
    const d = columnVariances?.length ?? 0;
    if (!covariance || d < 3) return doesNotApply("Velicer's MAP needs at least 3 columns that vary.");
    if (n <= d)
      return doesNotApply(
        `Velicer's MAP needs more rows than columns: with ${n} rows and ${d} columns partial correlations are not determined.`,
      );
    const unit = covariance[0];
    const c = covariance.map((value) => value / unit);
    const most = d <= ALL_UP_TO ? d : MOST;
    const { eigenFlops } = await import('@scree/core/linalg');
    progress.begin('partial correlations', eigenFlops(d, most) + most * d ** 2);
    const { values: lambda, vectors } = await engine.symmetricEigen(c.slice(), d, most, (flops) =>
      progress.step(flops),
    );
    const values: number[] = [];
    for (let m = 0; m < most; m++) {
      const deviations = Float64Array.from({ length: d }, (_, i) => Math.sqrt(Math.max(0, c[i * d + i])));
      // A column whose remaining variance is rounding has no partial correlations.
      if (deviations.some((deviation) => deviation < 1e-6)) break;
      let sum = 0;
      for (let i = 0; i < d; i++) {
        for (let j = i + 1; j < d; j++) sum += (c[i * d + j] / (deviations[i] * deviations[j])) ** 2;
      }
      values.push((2 * sum) / (d * (d - 1)));
      for (let i = 0; i < d; i++) {
        const weight = lambda[m] * vectors[m * d + i];
        for (let j = i; j < d; j++) c[i * d + j] -= weight * vectors[m * d + j];
      }
      await progress.step(d * d);
    }
    progress.end();
    const k = indexOfSmallest(values);
    return {
      k,
      values,
      sentence:
        k === 0
          ? 'Taking components out does not make the partial correlations smaller on average (in squares).'
          : `The partial correlations that are left after ${components(k)} are the smallest on average (in squares).`,
    };
  },
};

import { logGamma } from '../../statistics/distributions.js';
import { type CriterionMethod, components, doesNotApply, indexOfLargest } from './criterion.js';

/** Variances below this part of the largest are zero. */
const ZERO = 1e-15;

/**
 * Minka's choice of dimension (2000): the evidence of probabilistic PCA with k components by Laplace's method,
 *
 *   ln p(k) = −k·ln 2 + Σᵢ₌₁ᵏ [ln Γ((d − i + 1)/2) − (d − i + 1)/2·ln π] − n/2·Σᵢ₌₁ᵏ ln λᵢ − n(d − k)/2·ln v
 *             + (m + k)/2·ln 2π − ½·Σᵢ₌₁ᵏ Σⱼ₌ᵢ₊₁ᵈ [ln((λᵢ − λⱼ)(1/λ̂ⱼ − 1/λ̂ᵢ)) + ln n] − k/2·ln n,
 *
 * m = dk − k(k + 1)/2, v the mean of λₖ₊₁ … λ_d, λ̂ᵢ = λᵢ up to k and v beyond. It is scikit-learn's formula, from k = 0
 * and not 1. All k in O(d²).
 */
export const mle: CriterionMethod = {
  name: 'mle',
  title: { long: "Minka's likelihood", short: 'Minka’s MLE', sentence: "Minka's likelihood" },
  importance: 1,
  guide: {
    keeps: 'by the evidence of probabilistic PCA',
    appliesTo: 'at least as many rows as columns',
    source: 'Minka 2000',
  },
  // `values`: logarithm of the evidence, for k = 0, 1, 2, ….
  needs: [],
  requires: ['centered', 'unweighted'],
  compute: ({ n, d, spectrum }) => {
    if (d > n)
      return doesNotApply(`Minka's likelihood needs as many rows as columns; there are ${n} rows and ${d} columns.`);
    if (d < 2) return doesNotApply("Minka's likelihood compares numbers of components, and one column has only one.");
    const values = logEvidence(spectrum, n, d);
    const k = indexOfLargest(values);
    const rank = spectrum.reduce((count, value) => count + (value > ZERO * spectrum[0] ? 1 : 0), 0);
    const degenerate = rank < d && k === rank;
    return {
      k,
      values,
      sentence: degenerate
        ? `The data have rank ${rank}, below their ${d} columns: a model with noise of no variance at all fits best, so Minka's likelihood keeps ${components(k)}. That says nothing about noise.`
        : `Minka's likelihood of probabilistic PCA is largest for ${components(k)}.`,
    };
  },
};

function logEvidence(spectrum: Float64Array, n: number, d: number): number[] {
  const floor = ZERO * spectrum[0];
  const lambda = Float64Array.from({ length: d }, (_, i) => spectrum[i] ?? 0);
  const apart = (i: number, j: number): number => Math.log(Math.max(lambda[i] - lambda[j], floor));
  let rest = lambda.reduce((sum, value) => sum + value, 0);
  const values: number[] = [];
  let prior = 0;
  let logs = 0;
  /** Σ of ln(λᵢ − λⱼ)(1/λⱼ − 1/λᵢ) over pairs within the first k. */
  let within = 0;
  /** Σ of ln(λᵢ − λⱼ) over i within the first k and j beyond. */
  let across = 0;
  for (let k = 0; k < d; k++) {
    const v = Math.max(floor, rest / (d - k));
    const m = d * k - (k * (k + 1)) / 2;
    let beyond = across;
    for (let i = 0; i < k; i++) {
      beyond += (d - k) * Math.log(Math.max(1 / v - 1 / lambda[i], Number.MIN_VALUE));
    }
    values.push(
      prior -
        (n / 2) * logs -
        ((n * (d - k)) / 2) * Math.log(v) +
        ((m + k) / 2) * Math.log(2 * Math.PI) -
        (within + beyond + m * Math.log(n)) / 2 -
        (k / 2) * Math.log(n),
    );
    // The next component joins the first k. Beyond the rank there are no more.
    if (lambda[k] <= floor) break;
    for (let i = 0; i < k; i++) {
      const gap = apart(i, k);
      within += 2 * gap - Math.log(lambda[i]) - Math.log(lambda[k]);
      across -= gap;
    }
    for (let j = k + 1; j < d; j++) across += apart(k, j);
    prior += logGamma((d - k) / 2) - ((d - k) / 2) * Math.log(Math.PI) - Math.LN2;
    logs += Math.log(lambda[k]);
    rest -= lambda[k];
  }
  return values;
}

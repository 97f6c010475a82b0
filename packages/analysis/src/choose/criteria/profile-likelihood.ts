import { type CriterionMethod, components, doesNotApply, indexOfLargest } from './criterion.js';

/**
 * Profile likelihood (Zhu & Ghodsi 2006). The variances λ₁ … λₚ are modelled as two normal samples, the first q and the others, with
 * two means and one variance s² = ((q − 1)s₁² + (p − q − 1)s₂²)/(p − 2). The chosen q has the largest log-likelihood.
 */
export const profileLikelihood: CriterionMethod = {
  name: 'profile-likelihood',
  title: { long: 'Profile likelihood', short: 'profile likelihood', sentence: 'profile likelihood' },
  importance: 3,
  guide: {
    keeps: 'before the largest step between two groups of variances',
    appliesTo: 'everything with 3 variances',
    source: 'Zhu & Ghodsi 2006',
  },
  // `values`: log-likelihood of two groups of variances, for k = 1, 2, ….
  needs: [],
  requires: [],
  compute: ({ spectrum }) => {
    const p = spectrum.length;
    if (p < 3)
      return doesNotApply(`Profile likelihood divides the variances into two groups, and there are only ${p}.`);
    const [sums, squares] = [[0], [0]];
    // Relative to the largest, so that squares neither overflow nor vanish.
    for (let i = 0; i < p; i++) {
      sums.push(sums[i] + spectrum[i] / spectrum[0]);
      squares.push(squares[i] + (spectrum[i] / spectrum[0]) ** 2);
    }
    const within = (from: number, to: number): number =>
      Math.max(0, squares[to] - squares[from] - (sums[to] - sums[from]) ** 2 / (to - from));
    const values: number[] = [];
    for (let q = 1; q < p; q++) {
      // Within constant groups only rounding is left, so the variance has a lower bound.
      const variance = Math.max((within(0, q) + within(q, p)) / (p - 2), 1e-30);
      const scaled = -(p / 2) * Math.log(2 * Math.PI * variance * spectrum[0] ** 2);
      values.push(scaled - (p - 2) / 2);
    }
    const k = 1 + indexOfLargest(values);
    return {
      k,
      values,
      sentence: `The variances fall into two groups best after the first ${k === 1 ? 'component' : components(k)}.`,
    };
  },
};

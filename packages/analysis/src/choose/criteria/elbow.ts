import { type CriterionMethod, components, doesNotApply, indexOfLargest } from './criterion.js';

/**
 * The elbow of the scree plot (Cattell 1966): the point farthest below the chord from the first variance to the last, as
 * "kneedle" finds it (Satopää, Albrecht, Irwin & Raghavan 2011). The components before it are kept. Values are distances
 * below the chord, as parts of λ₁ − λₚ; the farthest point is the same however the axes are scaled.
 */
export const elbow: CriterionMethod = {
  name: 'elbow',
  title: { long: 'Elbow of the scree plot', short: 'elbow', sentence: 'the elbow' },
  importance: 9,
  guide: {
    keeps: 'before the point of the scree plot that is farthest below the line from the first to the last',
    appliesTo: 'everything with 3 variances',
    source: 'Cattell 1966; Satopää et al. 2011',
  },
  // `values`: distance of each component below the chord of the scree plot.
  needs: [],
  requires: [],
  compute: ({ spectrum }) => {
    const p = spectrum.length;
    const height = spectrum[0] - spectrum[p - 1];
    if (p < 3 || !(height > 0)) return doesNotApply('A scree plot of fewer than 3 different variances has no elbow.');
    const values = Array.from(spectrum, (value, i) => (spectrum[0] - value) / height - i / (p - 1));
    const at = indexOfLargest(values);
    if (at === 0)
      return doesNotApply('The scree plot has no elbow: no variance lies below the line from the first to the last.');
    return {
      k: at,
      values,
      sentence: `The scree plot bends most at component ${at + 1}: ${components(at)} ${at === 1 ? 'comes' : 'come'} before it.`,
    };
  },
};

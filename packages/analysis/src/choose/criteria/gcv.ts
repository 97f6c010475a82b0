import { type CriterionMethod, components, doesNotApply, total } from './criterion.js';

/**
 * Generalised cross-validation (Josse & Husson 2012), the approximation of leaving out one entry at a time:
 *
 *   GCV(k) = np·RSS(k)/((n − 1)p − k(n + p − k − 1))²,  RSS(k) = Σ of squares that k components leave,
 *   GCV(0) = RSS(0)/((n − 1)p).
 *
 * The first k after which it rises is chosen, as FactoMineR's `estim_ncp` does. Columns that do not vary count as columns.
 */
export const gcv: CriterionMethod = {
  name: 'gcv',
  title: { long: 'Generalised cross-validation', short: 'GCV', sentence: 'generalised cross-validation' },
  importance: 2,
  guide: {
    keeps: 'as many as predict entries best that were left out, estimated by a formula',
    appliesTo: 'rows without weights',
    source: 'Josse & Husson 2012',
  },
  // `values`: estimated squared error per entry, for k = 0, 1, 2, ….
  needs: [],
  requires: ['centered', 'unweighted'],
  compute: ({ n, d: p, spectrum, divisor }) => {
    const most = Math.min(n - 2, p - 1);
    if (most < 1) return doesNotApply('Generalised cross-validation needs at least 3 rows and 2 columns.');
    let left = total(spectrum) * divisor;
    const values = [left / ((n - 1) * p)];
    for (let k = 1; k <= most; k++) {
      left = Math.max(0, left - spectrum[k - 1] * divisor);
      values.push((n * p * left) / ((n - 1) * p - k * (n + p - k - 1)) ** 2);
    }
    const rises = values.findIndex((value, i) => i > 0 && value > values[i - 1]);
    const k = rises < 0 ? most : rises - 1;
    return {
      k,
      values,
      sentence:
        k === 0
          ? 'The estimated error of an entry that is left out rises with the first component.'
          : rises < 0
            ? `The estimated error of an entry that is left out is smallest for ${components(k)}, the most that can be compared.`
            : `The estimated error of an entry that is left out falls up to ${components(k)}, and rises with one more.`,
    };
  },
};

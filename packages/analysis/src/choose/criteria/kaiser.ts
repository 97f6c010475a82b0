import { type CriterionMethod, firstHave, total } from './criterion.js';

/**
 * The rule of Kaiser (1960) and Guttman (1954): keep components with more variance than a column has, λⱼ > 1 of a
 * correlation matrix. It takes no account of sampling: half of the components of pure noise exceed 1.
 */
export const kaiser: CriterionMethod = {
  name: 'kaiser',
  title: { long: 'Kaiser', short: 'Kaiser’s rule', sentence: "Kaiser's rule" },
  importance: 8,
  guide: {
    keeps: 'with more variance than one column',
    appliesTo: 'correlations',
    source: 'Guttman 1954, Kaiser 1960',
  },
  // `values`: variance of each component, and the variance of one column.
  needs: [],
  requires: ['correlation'],
  compute: ({ n, spectrum, columnVariances, d }) => {
    const one = total(spectrum) / (columnVariances?.length ?? d);
    const values = Array.from(spectrum);
    // Without correlations all variances are 1 within rounding.
    const k = values.filter((value) => value > one * (1 + 1e-9)).length;
    return {
      k,
      values,
      thresholds: values.map(() => one),
      sentence: `${firstHave(k)} more variance than a single column. The rule takes no account of sampling: it keeps ${n > d ? 'about half' : 'most'} of the components of pure noise${n > d ? '' : ', where there are no more rows than columns'}.`,
    };
  },
};

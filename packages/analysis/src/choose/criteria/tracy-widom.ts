import { type CriterionMethod, doesNotApply, firstHave, leadingAbove, short } from './criterion.js';

/** The 95 % quantile of the Tracy–Widom distribution of real matrices (F₁). */
const TRACY_WIDOM_95 = 0.9793;

/**
 * The Tracy–Widom test of the largest variance (Johnstone 2001), one component after the other, each against the variances that are
 * left (Patterson, Price & Reich 2006). For p variances with x = p·λ₁/Σλ:
 *
 *   μ = (√(m − 1) + √p)²/m,  s = (√(m − 1) + √p)/m·(1/√(m − 1) + 1/√p)^⅓,  value (x − μ)/s.
 *
 * Rows are independent, so with more rows than columns m = n − 1 − (components before). With fewer rows the larger dimension is that of
 * the columns, which may depend on each other: m is then their effective number (Patterson), (p + 2)(Σλ)²/(p·Σλ² − (Σλ)²). The noise is
 * assumed to be white: columns on one scale. The sentence also counts variances above the edge of Marchenko & Pastur (1967), mean(λ)·(1
 * + √(d/n))², which noise variances do not exceed in large tables.
 */
export const tracyWidom: CriterionMethod = {
  name: 'tracy-widom',
  title: { long: 'Tracy–Widom test', short: 'Tracy–Widom', sentence: 'the Tracy–Widom test' },
  importance: 5,
  guide: {
    keeps: 'above the largest variance of white noise, one after the other',
    appliesTo: 'correlations, or columns of equal variance',
    source: 'Johnstone 2001; Patterson, Price & Reich 2006',
  },
  // `values`: Tracy–Widom statistic of each component against those after it, and its 95 % quantile.
  needs: [],
  requires: ['centered', 'unweighted', 'correlation'],
  compute: ({ n, columnVariances, d, spectrum }) => {
    const columns = columnVariances?.length ?? d;
    const p = Math.min(columns, n - 1);
    if (p < 3) return doesNotApply('The Tracy–Widom test needs at least 3 columns and 4 rows.');
    let [sum, squares] = [0, 0];
    for (let i = 0; i < p; i++) {
      sum += spectrum[i] / spectrum[0];
      squares += (spectrum[i] / spectrum[0]) ** 2;
    }
    const edge = ((sum * spectrum[0]) / columns) * (1 + Math.sqrt(columns / (n - 1))) ** 2;
    const values: number[] = [];
    for (let i = 0; i < p - 2; i++) {
      const left = p - i;
      const excess = left * squares - sum * sum;
      // Equal variances are as white as noise can be, or whiter.
      if (!(excess > 1e-12 * sum * sum)) break;
      const m = n > columns ? n - 1 - i : ((left + 2) * sum * sum) / excess;
      if (!(m > 1)) break;
      const root = Math.sqrt(m - 1) + Math.sqrt(left);
      const mean = (root * root) / m;
      const deviation = (root / m) * Math.cbrt(1 / Math.sqrt(m - 1) + 1 / Math.sqrt(left));
      const lambda = spectrum[i] / spectrum[0];
      values.push(((left * lambda) / sum - mean) / deviation);
      sum -= lambda;
      squares -= lambda * lambda;
    }
    const thresholds = values.map(() => TRACY_WIDOM_95);
    const k = leadingAbove(values, thresholds);
    const above = spectrum.reduce((count, value) => count + (value > edge ? 1 : 0), 0);
    return {
      k,
      values,
      thresholds,
      sentence: `${firstHave(k)} more variance than the first component of white noise as large as the variances after it, by the Tracy–Widom test at 5 %; ${above === 0 ? 'none lies' : above === 1 ? '1 lies' : `${above} lie`} above the Marchenko–Pastur edge ${short(edge)}.`,
    };
  },
};

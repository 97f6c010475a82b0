import { percentOf, quantiles, simulations, tables, takesTooLong } from '../computations/simulate.js';
import { type CriterionMethod, doesNotApply, firstHave, leadingAbove } from './criterion.js';

/** Above this number of variances, spectra of columns of equal variance are drawn without a matrix. */
const WITHOUT_MATRIX = 300;
/** The same for the estimate by which `quickCriteria` chooses. */
const QUICK_WITHOUT_MATRIX = 128;

/**
 * Parallel analysis (Horn 1965; quantiles: Glorfeld 1995): the first components with more variance than the 95 % quantile of the same
 * component in tables of independent normal columns of the same shape, each column with its own variance.
 *
 * A simulated table is its correlation matrix R, scaled: DRD, D the standard deviations of the columns. R comes from Bartlett's
 * decomposition of the Wishart distribution (1933): AAᵀ, A lower triangular, √χ²(n − i) on the diagonal (i from 1) and normal numbers
 * below, rows of A divided by their lengths. So it costs O(d³) for any n. For more than 300 variances of columns of equal variance,
 * only the spectrum of AAᵀ is drawn, by the bidiagonal matrix of Dumitriu & Edelman (2002), O(d²), and scaled to the total variance.
 * The columns then have their variance only on average, so the quantiles of the first components are about 1 % too large, on the safe
 * side.
 */
export const parallel: CriterionMethod = {
  name: 'parallel',
  title: { long: 'Parallel analysis (Horn)', short: 'parallel analysis', sentence: 'parallel analysis' },
  importance: 11,
  guide: {
    keeps: 'with more variance than the 95 % quantile of simulated independent normal columns with the same variances',
    appliesTo: 'rows without weights; needs only their number and the column variances',
    source: 'Horn 1965, Glorfeld 1995',
  },
  // `values`: variance of each component, and the quantile of simulated independent normal columns.
  needs: ['columnVariances'],
  requires: ['centered', 'unweighted'],
  decides: { rank: 2, noise: 'what components of independent normal columns have (95 % quantile)' },
  cost: ({ n, d, correlation }) => {
    const size = Math.min(n, d);
    return { perTable: operationsOf(d, size, correlation && size > QUICK_WITHOUT_MATRIX) };
  },
  compute: async (evidence) => {
    const { n, columnVariances, spectrum, correlation, options } = evidence;
    const d = columnVariances?.length ?? 0;
    const size = Math.min(d, n - 1);
    if (!columnVariances || size < 2)
      return doesNotApply('Parallel analysis needs at least 2 columns that vary and 3 rows.');
    const withoutMatrix = correlation && size > WITHOUT_MATRIX;
    const operations = operationsOf(d, size, withoutMatrix);
    if (takesTooLong(options, operations)) {
      return doesNotApply(
        `Simulating tables of ${d} columns of different variances takes long and was left out. Give a number of permutations to do it, or use scale: 'unit'.`,
      );
    }
    const count = simulations(options, operations);
    const { normalSpectra } = await import('../computations/normal-spectra.js');
    const simulate = normalSpectra(n, columnVariances, withoutMatrix, evidence);
    const thresholds = await quantiles(count, size, evidence, 'simulated tables', simulate);
    const values = Array.from(spectrum.subarray(0, size));
    const k = leadingAbove(values, thresholds);
    return {
      k,
      values,
      thresholds,
      sentence: `${firstHave(k)} more variance than the ${percentOf(options.quantile)} quantile of ${tables(count, 'simulated ')} of independent normal columns with the same variances.`,
    };
  },
};

/** Operations of one simulated table of d columns with `size` variances. */
function operationsOf(d: number, size: number, withoutMatrix: boolean): number {
  return withoutMatrix ? 60 * size * size : 2 * d * size * size + 4 * size ** 3 + 150 * d * size;
}

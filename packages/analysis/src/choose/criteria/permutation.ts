import { percentOf, quantiles, simulations, tables, takesTooLong } from '../computations/simulate.js';
import { type CriterionMethod, doesNotApply, firstHave, leadingAbove } from './criterion.js';

/**
 * Parallel analysis by permutation (Buja & Eyuboglu 1992): as `parallel`, but against the data with the rows of every column permuted
 * independently. Columns keep their values, so no distribution is assumed, and no column counts as structure because it varies much;
 * only relations between columns are destroyed. Weakness of both: the simulated tables give the variance of strong components to noise,
 * which can hide weak components behind strong ones.
 *
 * A permuted column that is rotated by a random number of rows is a random permutation again, with every order equally likely. So
 * columns are shuffled for every sixteenth table and rotated for the tables in between, which needs a sixteenth of the random numbers.
 * Each table takes one pass `gram` (n·d²; or `dual`, n²·d, if there are fewer rows than columns).
 */
export const permutation: CriterionMethod = {
  name: 'permutation',
  title: { long: 'Permutation test', short: 'permutation test', sentence: 'the permutation test' },
  importance: 12,
  guide: {
    keeps: 'with more variance than the 95 % quantile of tables whose columns were permuted',
    appliesTo: 'rows in memory, without weights',
    source: 'Buja & Eyuboglu 1992',
  },
  needs: ['rows', 'columnVariances'],
  requires: ['centered', 'unweighted'],
  decides: { rank: 1, noise: 'what components have in permuted tables (95 % quantile)' },
  cost: ({ n, d }) => ({ perTable: operationsOf(n, d) }),
  tooLong: (n, d, options) =>
    takesTooLong(options, operationsOf(n, d))
      ? `of ${n} × ${d} numbers takes long and was left out. Give a number of permutations to do it, or use parallel analysis.`
      : undefined,
  compute: async (evidence) => {
    const { n, rows, columns, columnVariances, spectrum, divisor, options } = evidence;
    const d = columnVariances?.length ?? 0;
    const size = Math.min(d, n - 1);
    if (!(rows || columns) || size < 2) return doesNotApply('Permuting needs at least 2 columns that vary and 3 rows.');
    const operations = operationsOf(n, d);
    const slow = permutation.tooLong?.(n, d, options);
    if (slow) return doesNotApply(`The permutation test ${slow}`);
    const count = simulations(options, operations);
    const { permutedSpectra } = await import('../computations/permuted-spectra.js');
    const thresholds = await quantiles(count, size, evidence, 'permuted tables', permutedSpectra(n, d, evidence));
    const values = Array.from(spectrum.subarray(0, size));
    const scaled = thresholds.map((value) => value / divisor);
    const k = leadingAbove(values, scaled);
    return {
      k,
      values,
      thresholds: scaled,
      sentence: `${firstHave(k)} more variance than the ${percentOf(options.quantile)} quantile of ${tables(count, '')} with the rows of every column permuted.`,
    };
  },
};

/** Operations of one permutation. */
function operationsOf(n: number, d: number): number {
  return n * d * (Math.min(n, d) + 60) + 4 * Math.min(n, d) ** 3;
}

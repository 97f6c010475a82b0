import { type CriterionMethod, components, doesNotApply } from './criterion.js';

/** How many larger numbers of components are compared with a candidate. */
const AHEAD = 3;
/** Operations beyond which wide tables are left out. */
const TOO_MANY_OPERATIONS = 2e11;
/** Groups of rows by default, as in `ChooseOptions`. */
const FOLDS = 10;

/**
 * Cross-validation of single entries, without leaks (after the "eigenvector" method of Bro, Kjeldahl, Smilde & Kiers 2008).
 *
 * The rows are divided at random into groups. For each group, mean, components V and variances λ come from the rows of the other
 * groups. Then every entry xⱼ of each row of the group is predicted from the other entries of that row, by probabilistic PCA with k
 * components (Tipping & Bishop 1999): the conditional mean under Σ = V(Λ − vI)Vᵀ + vI, v the mean of the variances left out. So an
 * entry is used neither for the components nor for its own prediction; only the scales of columns come from all rows. With weights wᵢ =
 * (λᵢ − v)/λᵢ its error has a closed form, [Σ⁻¹x]ⱼ/[Σ⁻¹]ⱼⱼ = eⱼ/(1 − hⱼ), e = x − Σᵢ≤ₖ wᵢvᵢvᵢᵀx, hⱼ = Σᵢ≤ₖ wᵢvᵢⱼ². Hence
 *
 *   error(k) = 1/(nd)·Σ_groups Σⱼ [(I − VWVᵀ)S(I − VWVᵀ)]ⱼⱼ/(1 − hⱼ)²,  S the scatter of the group about the mean of the others:
 *
 * the moments of the groups are enough, so one pass over the rows is too. If there are fewer rows than columns, V comes from the
 * products of rows (the dual problem), and the rows must be in memory.
 *
 * The choice is the smallest k such that the errors of k + 1, k + 2 and k + 3 are not lower by more than one standard error of the
 * difference over the groups (the rule of Breiman, Friedman, Olshen & Stone 1984). Three, because one of several factors of equal
 * strength may predict little alone. Weakness: if the noise is not equal in all columns, components that carry single columns predict
 * too, and more are kept.
 */
export const crossValidation: CriterionMethod = {
  name: 'cross-validation',
  title: { long: 'Cross-validation', short: 'cross-validation', sentence: 'cross-validation' },
  importance: 10,
  guide: {
    keeps: 'as many as predict entries best that were left out',
    appliesTo: 'rows without weights',
    source: 'Bro, Kjeldahl, Smilde & Kiers 2008',
  },
  // `values`: mean squared error of entries that are left out, for k = 0, 1, 2, ….
  needs: ['folds'],
  requires: ['centered', 'unweighted'],
  decides: { rank: 3 },
  cost: ({ n, d }) => ({ total: FOLDS * (n < d ? n * d * (n + 60) : 11 * d ** 3) }),
  compute: async (evidence) => {
    const { n, columnVariances, folds, rows } = evidence;
    const d = columnVariances?.length ?? 0;
    if (n < 4 || d < 2) return doesNotApply('Cross-validation needs at least 4 rows and 2 columns that vary.');
    if (!folds && evidence.options.folds * n * n * d > TOO_MANY_OPERATIONS)
      return doesNotApply(`Cross-validation of ${n} × ${d} numbers takes long and was left out. Use fewer columns.`);
    const { errorsByMoments, errorsByRows } = await import('../computations/fold-errors.js');
    const errors = folds
      ? await errorsByMoments(folds, d, evidence)
      : await errorsByRows(rows as Float64Array, n, d, evidence);
    const values = errors[0].map((_, k) => errors.reduce((sum, group) => sum + group[k], 0) / (n * d));
    let k = 0;
    for (let next = k + 1; next < values.length && next <= k + AHEAD; ) {
      if (isBetter(errors, next, k)) k = next;
      next = Math.max(next, k) + 1;
    }
    const gain = values[0] > 0 ? 1 - values[k] / values[0] : 0;
    return {
      k,
      values,
      sentence:
        k === 0
          ? 'Entries that are left out are not predicted better with components than by the means of their columns.'
          : `The mean squared error of entries that are left out is ${Number((100 * gain).toPrecision(3))} % smaller if ${components(k)} ${k === 1 ? 'predicts' : 'predict'} them than if the column means do${k === values.length - 1 ? `; no more than ${k} can be compared` : ', and more do not clearly reduce it'}.`,
    };
  },
};

/** Returns true if the error with `more` components is lower than with `k`, by more than the standard error over the groups. */
function isBetter(errors: readonly (readonly number[])[], more: number, k: number): boolean {
  const gains = errors.map((group) => group[k] - group[more]);
  const sum = gains.reduce((total, value) => total + value, 0);
  const square = gains.reduce((total, value) => total + (value - sum / gains.length) ** 2, 0);
  return sum > Math.sqrt((square * gains.length) / (gains.length - 1));
}

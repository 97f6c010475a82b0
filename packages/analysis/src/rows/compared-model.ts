import { type Model, RowMatrix } from '@scree/core';

/** What rows are compared with: the components of a model that are kept, and what is known of the directions that are left out. */
export type ComparedModel = Pick<
  Model,
  | 'k'
  | 'd'
  | 'n'
  | 'components'
  | 'singularValues'
  | 'variances'
  | 'spectrum'
  | 'totalVariance'
  | 'noiseVariance'
  | 'totalWeight'
  | 'ddof'
  | 'centered'
  | 'uniqueness'
  | 'columnNames'
>;

/** The model without any component: rows are compared with the mean alone. */
export function withoutComponents(model: Model): ComparedModel {
  const { d, n, spectrum, totalVariance, totalWeight, ddof, centered, uniqueness, columnNames } = model;
  const none = new Float64Array(0);
  return {
    k: 0,
    d,
    n,
    components: new RowMatrix(0, d, none, columnNames),
    singularValues: none,
    variances: none,
    ...(spectrum ? { spectrum } : {}),
    totalVariance,
    noiseVariance: totalVariance / d,
    totalWeight,
    ddof,
    centered,
    uniqueness: { ...uniqueness, rank: 0, axes: [] },
    ...(columnNames ? { columnNames } : {}),
  };
}

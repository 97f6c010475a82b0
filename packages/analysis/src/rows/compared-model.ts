import { type Model, RowMatrix } from '@scree/core';

/** The model with which rows are compared: its kept components, and the variances of the other directions. */
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

/** The model without components. Rows are then compared with the mean alone. */
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

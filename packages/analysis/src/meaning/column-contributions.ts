import { type Model, ModelError, OptionError } from '@scree/core';

/** How a column of the fit and the components are related; each list has one entry per component. */
export interface ColumnContribution {
  readonly name?: string;
  /** Correlation of the column with the scores; without centring, the cosine between them. NaN for a constant column. */
  readonly correlation: readonly number[];
  /** Share of the column's variance that the component explains: the square of the correlation. */
  readonly cos2: readonly number[];
  /** Percentage of the component's variance that the column contributes. A component's contributions add up to 100. */
  readonly contribution: readonly number[];
  /** Share of the column's variance that all components of the model explain together: the sum of cos2. */
  readonly communality: number;
}

/**
 * With components vᵢ of variance λᵢ and sⱼ² the variance of scaled column j:
 *
 *   correlationᵢⱼ = √λᵢ·vᵢⱼ/sⱼ,   cos2ᵢⱼ = λᵢ·vᵢⱼ²/sⱼ²,   contributionᵢⱼ = 100·vᵢⱼ²,   communalityⱼ = Σᵢ cos2ᵢⱼ.
 *
 * The model is enough; no row is read. `columnVariances` is for models of version 0.1.0, which do not store them.
 */
export function columnContributions(model: Model, columnVariances = columnVariancesOf(model)): ColumnContribution[] {
  const { k, d, components, loadings, columnNames } = model;
  if (columnVariances.length !== d) {
    throw new OptionError('BAD_OPTION', `There are ${columnVariances.length} column variances for ${d} columns.`, {
      option: 'columnVariances',
      value: columnVariances.length,
      expected: d,
    });
  }
  const perComponent = (value: (at: number) => number, j: number): number[] =>
    Array.from({ length: k }, (_, i) => value(i * d + j));
  return Array.from({ length: d }, (_, j) => {
    const deviation = Math.sqrt(columnVariances[j]);
    // Loadings of a constant column are 0 or rounding.
    const correlation = perComponent((at) => (deviation > 0 ? within1(loadings.data[at] / deviation) : Number.NaN), j);
    const cos2 = correlation.map((r) => r * r);
    return {
      ...(columnNames ? { name: columnNames[j] } : {}),
      correlation,
      cos2,
      contribution: perComponent((at) => 100 * components.data[at] ** 2, j),
      communality: Math.min(
        1,
        cos2.reduce((sum, share) => sum + share, 0),
      ),
    };
  });
}

/** The variances of the scaled columns: stored, or Σᵢ λᵢvᵢⱼ² if the components keep all variance. */
function columnVariancesOf(model: Model): Float64Array {
  if (model.columnVariances) return model.columnVariances;
  const { k, d, loadings, noiseVariance, totalVariance } = model;
  if (!(noiseVariance * (d - k) <= 1e-12 * totalVariance)) {
    throw new ModelError(
      'BAD_MODEL',
      'This model was stored by version 0.1.0, which did not keep the variances of the columns. Fit it again, or pass them: the variance of each column divided by model.scale squared.',
    );
  }
  const variances = new Float64Array(d);
  loadings.data.forEach((loading, at) => {
    variances[at % d] += loading * loading;
  });
  return variances;
}

/** Rounding can take a correlation past ±1. */
function within1(correlation: number): number {
  return correlation > 1 ? 1 : correlation < -1 ? -1 : correlation;
}

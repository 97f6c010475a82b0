import { Model, RowMatrix } from '@scree/core';
import { stabilityOfFirst } from '@scree/core/pipeline';
import { omit } from '../fields.js';

/**
 * The model of the first k components of a model, without the solver's solution, which `NestedModels` has. Bounds are those of the
 * whole model. For the subspace of the first k, sin² of the angle is at most the sum over its components.
 */
export function truncatedModel(model: Model, k: number): Model {
  if (k === model.k) return model;
  const { d, components, variances, totalVariance, certificate, uniqueness, stability } = model;
  const left = variances.subarray(0, k).reduce((sum, variance) => sum - variance, totalVariance);
  const squares = certificate.angleBounds.slice(0, k).reduce((sum, angle) => sum + Math.sin(angle) ** 2, 0);
  const last = uniqueness.axes[k - 1];
  return new Model({
    ...omit(model, 'trace'),
    components: new RowMatrix(k, d, components.data.slice(0, k * d), model.columnNames),
    variances: variances.slice(0, k),
    varianceRatios: model.varianceRatios.slice(0, k),
    singularValues: model.singularValues.slice(0, k),
    noiseVariance: Math.max(0, left) / (d - k),
    certificate: {
      ...certificate,
      residuals: certificate.residuals.slice(0, k),
      varianceBounds: certificate.varianceBounds.slice(0, k),
      angleBounds: certificate.angleBounds.slice(0, k),
      subspaceAngleBound: squares < 1 ? Math.asin(Math.sqrt(squares)) : Math.PI / 2,
    },
    uniqueness: {
      rank: Math.min(uniqueness.rank, k),
      axes: uniqueness.axes.slice(0, k),
      subspace: { ...last, gap: Math.max(0, variances[k - 1] - variances[k]) },
    },
    ...(stability ? { stability: stabilityOfFirst(stability, k, d) } : {}),
  });
}

/** `@scree/core/exchange`: models from other software, and for other software. */
import type { ControlOptions } from '../base/control.js';
import type { ModelComponents } from '../model/check-components.js';
import { recordOfComponents } from '../model/from-components.js';
import { Model } from '../model/model.js';
import { modelError } from '../model/read-record.js';
import type { ModelCovariance } from './fit-covariance.js';

export type { ModelComponents, NumberRows } from '../model/check-components.js';
export type { StoredNumbers } from '../model/transform-record.js';
export type { ModelCovariance } from './fit-covariance.js';
export { type OnnxOptions, toOnnx } from './onnx.js';

/**
 * A model without rows: of components that other software computed (scikit-learn, faiss, R), or of a covariance or correlation
 * matrix. Numbers that cannot be known are NaN, for example `n` if it is not given. Components are used as they are: they must be
 * orthonormal within 1e-6, or within 1e-4 if they are float32 numbers, and the certificate says that nothing else was checked. The
 * eigenvectors of a covariance are computed and certified here.
 *
 * @example
 * const model = await modelFrom({ components: pca.components_, mean: pca.mean_, variances: pca.explained_variance_ });
 * const correlations = await modelFrom({ covariance: [[1, 0.6], [0.6, 1]], n: 120 });
 */
export async function modelFrom(
  source: ModelComponents | ModelCovariance,
  options: ControlOptions = {},
): Promise<Model> {
  if (typeof source === 'object' && source !== null && 'covariance' in source) {
    return (await import('./fit-covariance.js')).fitCovariance(source, options);
  }
  try {
    return new Model(recordOfComponents(source));
  } catch (error) {
    throw modelError(error);
  }
}

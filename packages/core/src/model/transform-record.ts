import type { Encoding } from '../data/encoding/encoding.js';
import { ModelError } from '../errors.js';
import { checkComponents } from './check-components.js';
import { deviationsOf, type ModelRecord } from './record.js';

/** The types in which the components of a stored transform may be stored. */
export type StoredNumbers = 'float32' | 'float64';

/** What a model needs to transform rows. */
export interface TransformRecord extends Pick<ModelRecord, 'components' | 'mean' | 'scale' | 'whiten' | 'columnNames'> {
  /** √λ of each component; 0 for those without variance. */
  readonly deviations: Float64Array;
  /** True if the components may have the rounding of float32. */
  readonly float32?: boolean;
}

/** The transform of a model. Throws if the model encodes columns. */
export function transformOf(record: ModelRecord): TransformRecord {
  refuseEncoding(record.coding);
  const { components, mean, scale, whiten, columnNames } = record;
  return { components, mean, scale, whiten, columnNames, deviations: deviationsOf(record) };
}

/** The transform of components of other software. */
export function transformOfComponents(given: object): TransformRecord {
  const { components, mean, scale, whiten, columnNames, variances, rank, float32 } = checkComponents(given);
  const deviations = variances.map((variance, i) => (i < rank ? Math.sqrt(variance) : 0));
  return { components, mean, scale, whiten, columnNames, deviations, float32 };
}

function refuseEncoding(coding: Encoding | undefined): void {
  if (!coding) return;
  throw new ModelError(
    'BAD_MODEL',
    'This model codes its columns (transforms, categories or covariates). Only the whole model does this: toBinary() and loadModel of @scree/core.',
  );
}

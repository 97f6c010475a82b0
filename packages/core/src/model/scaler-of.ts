import type { Scaler } from '../data/blocks/block.js';
import { checkMean } from './check-numbers.js';

/** The scaler of a model: rows become b = (x − mean)/scale. Throws if the model does not know the mean. */
export function scalerOf({ mean, scale }: { readonly mean: Float64Array; readonly scale: Float64Array }): Scaler {
  checkMean(mean);
  return { shift: mean, factor: scale.map((s) => 1 / s) };
}

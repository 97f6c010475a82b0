import type { Scaler } from '../data/blocks/block.js';

/** The scaler of a model: rows become b = (x − mean)/scale. */
export function scalerOf({ mean, scale }: { readonly mean: Float64Array; readonly scale: Float64Array }): Scaler {
  return { shift: mean, factor: scale.map((s) => 1 / s) };
}

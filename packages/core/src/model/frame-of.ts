import type { Frame } from '../data/blocks/block.js';

/** The frame in which the rows of a block are b = (x − mean)/scale, as the components of a model see them. */
export function frameOf({ mean, scale }: { readonly mean: Float64Array; readonly scale: Float64Array }): Frame {
  return { shift: mean, factor: scale.map((s) => 1 / s) };
}

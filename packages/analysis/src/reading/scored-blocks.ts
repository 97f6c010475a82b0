import type { Model, TableData } from '@scree/core';
import type { Scaler } from '@scree/core/data';
import { empty } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import { deviationOf, scalerOf } from '@scree/core/pipeline';
import { type ReconstructedBlock, type RowOptions, reconstructedBlocks } from './read-blocks.js';

/** Rows of the data with their scores. */
export interface ScoredBlock extends Omit<ReconstructedBlock, 'part'> {
  /** The frame in which the block's rows are b/unit, b = (x − mean)/scale. */
  readonly frame: Scaler;
  /** A power of two near the deviation of the first component: what scores and squares are measured in. */
  readonly unit: number;
  /** z/unit, rows × k, not whitened. */
  readonly scores: Float64Array;
  /** ‖b‖²/unit² of every row. */
  readonly squares: Float64Array;
}

/** Reads data block by block, with the scores of the rows of each in units that neither overflow nor underflow. At least one row. */
export async function* scoredBlocks(
  model: Model,
  data: TableData,
  options: RowOptions,
): AsyncGenerator<ScoredBlock, void, void> {
  const { components, mean } = model;
  const unit = powerOfTwo(deviationOf(model, 0));
  const measured = { components, mean, scale: model.scale.map((scale) => scale * unit) };
  const frame = scalerOf(measured);
  let rows = 0;
  for await (const { part, ...each } of reconstructedBlocks(model, 'scores', data, options, measured)) {
    yield { ...each, frame, unit, scores: part.scores, squares: part.squares };
    rows += each.block.rows;
  }
  if (rows === 0) throw empty();
}

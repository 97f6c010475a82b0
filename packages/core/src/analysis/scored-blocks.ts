import { type ControlOptions, checkControl } from '../control.js';
import type { Block, Frame } from '../data/block.js';
import { refuseChanged } from '../data/changes.js';
import { openForModel } from '../data/coded-source.js';
import { checkBlockWidth } from '../data/open-source.js';
import { checkFinite } from '../data/statistics.js';
import type { TableData } from '../data/table.js';
import { empty } from '../data/to-block.js';
import { rowWeights } from '../data/weights.js';
import { chooseEngine } from '../engines/choose.js';
import { DataError } from '../errors.js';
import { powerOfTwo } from '../linalg/vector.js';
import type { Model } from '../model/model.js';
import { frameOf, reconstructBlock } from '../model/reconstruction.js';
import { ProgressTracker } from '../progress.js';

/** How the rows of a fit are read again. */
export interface RowOptions extends ControlOptions {
  /** One weight per row, the same as in the fit. */
  readonly weights?: ArrayLike<number>;
}

/** Rows of the data with their scores. */
export interface ScoredBlock {
  /** Index of the first row in the data. */
  readonly first: number;
  readonly block: Block;
  /** The frame in which the block's rows are b/unit, b = (x − mean)/scale. */
  readonly frame: Frame;
  /** A power of two near the deviation of the first component: what scores and squares are measured in. */
  readonly unit: number;
  /** z/unit, rows × k, not whitened. */
  readonly scores: Float64Array;
  /** ‖b‖²/unit² of every row. */
  readonly squares: Float64Array;
  readonly weights: Float64Array | undefined;
  readonly progress: ProgressTracker;
}

/**
 * Reads data block by block and computes the scores of each. Nothing is kept, so the data may be larger than memory. Values that
 * are not finite are refused. The source is closed at the end, after an error, and when the caller stops early.
 */
export async function* scoredBlocks(
  model: Model,
  data: TableData,
  options: RowOptions,
): AsyncGenerator<ScoredBlock, void, void> {
  const { threads, weights: given } = checkControl(options);
  const progress = new ProgressTracker(options);
  const { components, mean, columnNames } = model;
  const unit = powerOfTwo(model.singularValues[0] / Math.sqrt(model.totalWeight - model.ddof));
  const measured = { components, mean, scale: model.scale.map((scale) => scale * unit) };
  const frame = frameOf(measured);
  const source = await openForModel(data, model, progress);
  try {
    if (source.cols !== model.d) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `These rows have ${source.cols} columns, but the model was fitted to ${model.d}. Pass the same columns in the same order.`,
        { value: source.cols, expected: model.d },
      );
    }
    const weights = rowWeights(given, source.rows);
    let first = 0;
    progress.begin('scores', source.rows);
    for await (const block of source.blocks()) {
      checkBlockWidth(block, source, first);
      await progress.follow(checkFinite(block, first, columnNames));
      const engine = await chooseEngine({ threads }, block.data.length);
      const { scores, squares } = await reconstructBlock(measured, block, engine, (rows) => progress.step(rows));
      const own = weights.slice(first, block.rows);
      yield { first, block, frame, unit, scores, squares, weights: own, progress };
      first += block.rows;
    }
    if (first === 0) throw empty();
    weights.end(first);
    progress.end();
    await refuseChanged(source);
  } finally {
    await source.close?.();
  }
}

import { type ApplyOptions, DataError, type Model, type Row, type TableData } from '@scree/core';
import type { Block, Scaler } from '@scree/core/data';
import { checkBlockWidth, checkFinite, empty, openForModel, refuseChanged, rowWeights } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import {
  type ControlOptions,
  checkControl,
  chooseEngine,
  deviationOf,
  keepAlive,
  ProgressTracker,
  type Reconstruction,
  reconstructBlock,
  scalerOf,
} from '@scree/core/pipeline';

/** How rows are read. */
export interface RowOptions extends ControlOptions {
  /** One weight per row, the same as in the fit. */
  readonly weights?: ArrayLike<number> | undefined;
}

/** Rows of the data as a model sees them. */
export interface ReconstructedBlock {
  /** Index of the first row in the data. */
  readonly first: number;
  readonly block: Block;
  readonly part: Reconstruction;
  readonly weights: Float64Array | undefined;
  readonly progress: ProgressTracker;
}

/**
 * Reads data block by block, with the scores, squared lengths and reconstruction errors of the rows of each. Nothing is kept, so the data may be
 * larger than memory. Values that are not finite are refused. The source is closed at the end, after an error, and when the caller
 * stops early. `measured` is the model in other units.
 */
export async function* reconstructedBlocks(
  model: Model,
  phase: string,
  data: TableData | Row,
  options: RowOptions,
  measured: Parameters<typeof reconstructBlock>[0] = model,
): AsyncGenerator<ReconstructedBlock, void, void> {
  const { threads, weights: given } = checkControl(options);
  const progress = new ProgressTracker(options);
  const { columnNames, d } = model;
  const source = await openForModel(data, model, progress);
  try {
    if (source.cols !== d) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `These rows have ${source.cols} columns, but the model was fitted to ${d}. Pass the same columns in the same order.`,
        { value: source.cols, expected: d },
      );
    }
    const weights = rowWeights(given, source.rows);
    let first = 0;
    progress.begin(phase, source.rows, source.expectedRows);
    for await (const block of source.blocks()) {
      checkBlockWidth(block, source, first);
      await progress.follow(checkFinite(block, first, columnNames));
      const engine = await chooseEngine({ threads }, block.data.length);
      const part = await reconstructBlock(measured, block, engine, (rows) => progress.step(rows));
      yield { first, block, part, weights: weights.slice(first, block.rows), progress };
      first += block.rows;
    }
    weights.end(first);
    progress.end();
    await refuseChanged(source);
  } finally {
    await source.close?.();
  }
}

/** Calls `visit` with every block of the data, in one reading. */
export function readBlocks(
  model: Model,
  phase: string,
  data: TableData | Row,
  options: ApplyOptions,
  visit: (part: Reconstruction, block: Block) => void,
): Promise<void> {
  return keepAlive(async () => {
    for await (const { part, block } of reconstructedBlocks(model, phase, data, options)) visit(part, block);
  });
}

/** Rows of the data with their scores. */
export interface ScoredBlock extends Omit<ReconstructedBlock, 'part'> {
  /** Scaler with which the rows of the block become b/unit, b = (x − mean)/scale. */
  readonly scaler: Scaler;
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
  data: TableData | Row,
  options: RowOptions,
): AsyncGenerator<ScoredBlock, void, void> {
  const { components, mean } = model;
  const unit = powerOfTwo(deviationOf(model, 0));
  const measured = { components, mean, scale: model.scale.map((scale) => scale * unit) };
  const scaler = scalerOf(measured);
  let rows = 0;
  for await (const { part, ...each } of reconstructedBlocks(model, 'scores', data, options, measured)) {
    yield { ...each, scaler, unit, scores: part.scores, squares: part.squares };
    rows += each.block.rows;
  }
  if (rows === 0) throw empty();
}

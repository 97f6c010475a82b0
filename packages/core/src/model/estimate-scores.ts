import type { Task } from '../base/progress.js';
import type { DenseBlock } from '../data/blocks/block.js';
import { decoded } from '../data/blocks/float16.js';
import { notFinite } from '../data/statistics/not-finite.js';
import { ConditionalMeans, type ConditionalModel, conditionalScores } from './conditional.js';
import type { ModelRecord } from './record.js';
import { emptyRow } from './score-errors.js';

/** Rows between two yields to the event loop. */
const ROWS_PER_STEP = 64;

/** Scores of the rows of a block (rows × k), and their standard errors if they are wanted. k is at most that of the model. */
export interface EstimatedScores {
  readonly k: number;
  readonly scores: Float64Array;
  readonly errors?: Float64Array | undefined;
}

/**
 * Replaces the scores of rows with missing values by their conditional means. Throws if a value is infinite, or if a row has no value
 * at all. `first` is the index of the first row, for messages.
 */
export function* estimateScores(
  model: ConditionalModel & Pick<ModelRecord, 'mean' | 'scale'>,
  given: DenseBlock,
  first: number,
  into: EstimatedScores,
  names?: readonly string[],
): Task<void> {
  const { rows, cols, stride, data } = decoded(given);
  const { k, scores, errors } = into;
  let means: ConditionalMeans | undefined;
  for (let i = 0; i < rows; i++) {
    if (i % ROWS_PER_STEP === 0) yield 0;
    let missing = 0;
    for (let j = 0, at = i * stride; j < cols; j++, at++) {
      const x = data[at];
      if (x - x === 0) continue;
      if (!Number.isNaN(x)) throw notFinite(x, first + i, j, names);
      missing++;
    }
    if (missing === 0) continue;
    if (missing === cols) throw emptyRow(first + i);
    means ??= ConditionalMeans.of(model);
    const found = conditionalScores(model, data.subarray(i * stride, i * stride + cols), means);
    scores.set(found.scores.subarray(0, k), i * k);
    errors?.set(found.errors.subarray(0, k), i * k);
  }
}

import { contributionsOf, joinContributions, type RowContributions } from './analysis/row-contributions.js';
import type { ControlOptions } from './control.js';
import type { TableData } from './data/table.js';
import { keepAlive } from './keep-alive.js';
import type { Model } from './model/model.js';
import { type RowOptions, scoredBlocks } from './scored-blocks.js';

/**
 * Contribution, cos2, score and distance of every row of the fit. Pass the rows, and the weights, that the model was fitted
 * to: contributions of other rows do not add up to 100.
 */
export async function rowContributions(
  model: Model,
  data: TableData,
  options: RowOptions = {},
): Promise<RowContributions> {
  const parts: RowContributions[] = [];
  for await (const part of rowContributionBlocks(model, data, options)) parts.push(part);
  return joinContributions(parts);
}

/** The same block by block, for data larger than memory. */
export async function* rowContributionBlocks(
  model: Model,
  data: TableData,
  options: RowOptions = {},
): AsyncGenerator<RowContributions, void, void> {
  const blocks = scoredBlocks(model, data, options);
  try {
    for (;;) {
      const next = await keepAlive(() => blocks.next());
      if (next.done) return;
      const { first, scores, squares, unit, weights } = next.value;
      yield contributionsOf(model, { scores, squares }, unit, first, weights);
    }
  } finally {
    await blocks.return();
  }
}

/** Rows that had no part in the fit: where they are, and how well the components show them. */
export type SupplementaryRows = Omit<RowContributions, 'contributions'>;

/** Scores, cos2 and distances of rows that had no part in the fit. */
export async function supplementaryRows(
  model: Model,
  data: TableData,
  options: ControlOptions = {},
): Promise<SupplementaryRows> {
  const { contributions: _, ...rest } = await rowContributions(model, data, options);
  return rest;
}

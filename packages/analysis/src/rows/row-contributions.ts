import { type Model, type Row, RowMatrix, type TableData } from '@scree/core';
import { scoreNames, withJson } from '@scree/core/data';
import { type ControlOptions, checkObject, keepAlive, type Reconstruction } from '@scree/core/pipeline';
import { checkModel } from '../check-model.js';
import { omit } from '../fields.js';
import type { RowOptions } from '../reading/read-blocks.js';
import { scoredBlocks } from '../reading/read-blocks.js';

/** How rows and components are related: n × k matrices. */
export interface RowContributions {
  /** Index of the first of these rows in the data. */
  readonly first: number;
  /** Coordinates on the components, not whitened. */
  readonly scores: RowMatrix<Float64Array>;
  /** Share of the row's squared distance that each component explains. NaN for a row at the mean. */
  readonly cos2: RowMatrix<Float64Array>;
  /** Percentage of the component's variance that the row contributes. NaN for a component without variance. */
  readonly contributions: RowMatrix<Float64Array>;
  /** Squared distance of the row from the mean in scaled units, ‖b‖² with b = (x − mean)/scale. */
  readonly squaredDistances: Float64Array;
}

/**
 * With z = Vb the scores of a row of weight w, and σᵢ the singular values:
 *
 *   cos2ᵢ = zᵢ²/‖b‖²,   contributionᵢ = 100·w·zᵢ²/σᵢ².
 *
 * Over all components of the data, cos2 adds up to 1; over the rows of the fit, a component's contributions add up to 100.
 *
 * Scores and squares are given in units of `unit` and `unit`², a power of two, so that they can be squared.
 */
export function contributionsOf(
  model: Model,
  { scores, squares }: Pick<Reconstruction, 'scores' | 'squares'>,
  unit: number,
  first: number,
  weights?: Float64Array,
): RowContributions {
  const { k, singularValues, uniqueness } = model;
  const rows = squares.length;
  const cos2 = new Float64Array(rows * k);
  const contributions = new Float64Array(rows * k);
  // The square of 10/σ gives percentages.
  const tens = singularValues.map((value, c) => (c < uniqueness.rank ? 10 / (value / unit) : Number.NaN));
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let c = 0; c < k; c++) {
      const score = scores[i * k + c];
      cos2[i * k + c] = Math.min(1, (score * score) / squares[i]);
      contributions[i * k + c] = weight * (score * tens[c]) ** 2;
    }
  }
  const matrix = (data: Float64Array): RowMatrix<Float64Array> => new RowMatrix(rows, k, data, scoreNames(k));
  return withJson({
    first,
    scores: matrix(scores.map((score) => score * unit)),
    cos2: matrix(cos2),
    contributions: matrix(contributions),
    squaredDistances: squares.map((square) => square * unit * unit),
  });
}

/** Joins consecutive parts of a table. */
export function joinContributions(parts: readonly RowContributions[]): RowContributions {
  const joined = (part: (each: RowContributions) => Float64Array): Float64Array => {
    const whole = new Float64Array(parts.reduce((length, each) => length + part(each).length, 0));
    let at = 0;
    for (const each of parts) {
      whole.set(part(each), at);
      at += part(each).length;
    }
    return whole;
  };
  const matrix = (name: 'scores' | 'cos2' | 'contributions'): RowMatrix<Float64Array> => {
    const data = joined((each) => each[name].data);
    const { cols } = parts[0][name];
    return new RowMatrix(data.length / cols, cols, data, scoreNames(cols));
  };
  return withJson({
    first: parts[0].first,
    scores: matrix('scores'),
    cos2: matrix('cos2'),
    contributions: matrix('contributions'),
    squaredDistances: joined((each) => each.squaredDistances),
  });
}

/**
 * Contribution, cos2, score and distance of every row of the fit. Pass the rows, and the weights, that the model was fitted
 * to: contributions of other rows do not add up to 100.
 */
export async function rowContributions(
  model: Model,
  data: TableData | Row,
  options: RowOptions = {},
): Promise<RowContributions> {
  checkModel(model);
  checkObject(options);
  const parts: RowContributions[] = [];
  for await (const part of rowContributionBlocks(model, data, options)) parts.push(part);
  return joinContributions(parts);
}

/** The same block by block, for data larger than memory. */
export async function* rowContributionBlocks(
  model: Model,
  data: TableData | Row,
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

/** Rows that were not fitted: their scores, cos2 and distances. */
export type SupplementaryRows = Omit<RowContributions, 'contributions'>;

/** Computes scores, cos2 and distances of rows that were not fitted. */
export async function supplementaryRows(
  model: Model,
  data: TableData | Row,
  options: ControlOptions = {},
): Promise<SupplementaryRows> {
  return withJson(omit(await rowContributions(model, data, options), 'contributions'));
}

import type { Matrix, Model, NumberArray, PcaOptions } from '@scree/core';
import { deviationOf } from '@scree/core/pipeline';
import { rowContributionBlocks } from './row-contributions.js';

/** How rows are related to some components together. */
export interface RowShares {
  /** Share of the squared distance of the row from the mean that the components show. */
  readonly cos2: Float64Array;
  /** Percentage of the variance of the components that the row contributes. */
  readonly contribution: Float64Array;
}

/**
 * How well some components together represent each row, and how much each row contributes to them. With cos2ᵢ and contributionᵢ from
 * `rowContributions` and the variances λᵢ:
 *
 *   cos2 = Σᵢ cos2ᵢ,   contribution = Σᵢ λᵢ·contributionᵢ / Σᵢ λᵢ.
 *
 * cos2 is NaN for a row at the mean, and contribution is NaN if no component has variance.
 */
export async function rowShares(
  model: Model,
  matrix: Matrix<NumberArray>,
  components: readonly number[],
  control: Pick<PcaOptions, 'signal' | 'onProgress'> = {},
): Promise<RowShares> {
  const weights = weightsOf(model, components);
  const cos2 = new Float64Array(matrix.rows);
  const contribution = new Float64Array(matrix.rows);
  for await (const part of rowContributionBlocks(model, matrix, control)) {
    const { cols: k } = part.cos2;
    part.squaredDistances.forEach((_, i) => {
      components.forEach((c, at) => {
        cos2[part.first + i] += part.cos2.data[i * k + c];
        if (weights[at] !== 0) contribution[part.first + i] += weights[at] * part.contributions.data[i * k + c];
      });
    });
  }
  return { cos2: cos2.map((share) => Math.min(1, share)), contribution };
}

/** Shares of the components' variances in their sum; 0 for a component without variance, NaN if none has any. */
function weightsOf(model: Model, components: readonly number[]): number[] {
  // Relative to the largest: the squares of values of 1e-200 would be 0.
  const { rank } = model.uniqueness;
  const squares = components.map((c) => (c < rank ? (deviationOf(model, c) / deviationOf(model, 0)) ** 2 : 0));
  const sum = squares.reduce((total, square) => total + square, 0);
  return squares.map((square) => square / sum);
}

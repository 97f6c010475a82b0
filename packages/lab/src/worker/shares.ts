import { columnContributions, rowContributionBlocks } from '@scree/analysis';
import type { Matrix, NumberArray } from '@scree/core';
import type { NestedModels } from '@scree/core/pipeline';
import type { Control } from './loaded-table.js';
import type { ColumnShares, Shares } from './messages.js';

/**
 * How well some components together show each row, and how much each row contributes to them. With the values of each
 * component i from core's `rowContributions`, and λᵢ its variance:
 *
 *   cos2 = Σᵢ cos2ᵢ,   contribution = Σᵢ λᵢ·contributionᵢ / Σᵢ λᵢ.
 *
 * NaN for a row at the mean (cos2), and where no component has variance (contribution).
 */
export async function rowShares(
  models: NestedModels,
  matrix: Matrix<NumberArray>,
  components: readonly number[],
  control: Control,
): Promise<Shares> {
  const model = models.first(Math.max(...components) + 1);
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
function weightsOf({ singularValues, uniqueness }: NestedModels['model'], components: readonly number[]): number[] {
  // Relative to the largest: the squares of values of 1e-200 would be 0.
  const squares = components.map((c) => (c < uniqueness.rank ? (singularValues[c] / singularValues[0]) ** 2 : 0));
  const sum = squares.reduce((total, square) => total + square, 0);
  return squares.map((square) => square / sum);
}

/** Correlations, cos² and contributions of the columns: one line of d numbers per component. */
export function columnShares({ first }: NestedModels, components: readonly number[]): ColumnShares {
  const columns = columnContributions(first(Math.max(...components) + 1));
  const lines = (values: 'correlation' | 'cos2' | 'contribution'): Float64Array =>
    Float64Array.from(components.flatMap((c) => columns.map((column) => column[values][c])));
  return { correlation: lines('correlation'), cos2: lines('cos2'), contribution: lines('contribution') };
}

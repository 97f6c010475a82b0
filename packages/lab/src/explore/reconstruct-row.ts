import type { Model } from '@scree/core';

/** Scores of one row: z = V(x − mean)/scale. `transform` of core is not used, because it is asynchronous and would load an engine into the page. */
export function scoresOfRow({ components: { data, rows, cols }, mean, scale }: Model, row: Float64Array): Float64Array {
  const scores = new Float64Array(rows);
  for (let c = 0; c < rows; c++) {
    for (let j = 0; j < cols; j++) scores[c] += (data[c * cols + j] * (row[j] - mean[j])) / scale[j];
  }
  return scores;
}

/** The row reconstructed from its first k scores: mean + scale·Vᵀz. Synchronous, because it is called at every step of a slider. */
export function reconstructRow(
  { components: { data, cols }, mean, scale }: Model,
  scores: Float64Array,
  k: number,
): Float64Array {
  const row = new Float64Array(cols);
  for (let c = 0; c < k; c++) {
    for (let j = 0; j < cols; j++) row[j] += scores[c] * data[c * cols + j];
  }
  return row.map((value, j) => mean[j] + scale[j] * value);
}

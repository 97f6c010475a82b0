import type { Model } from '@scree/core';

/** The numbers of columns, components and bars that fit on a screen and stay readable. */
export const MAX_COLUMNS = 40;
export const MAX_COMPONENTS = 10;
export const MAX_BARS = 20;

/** The columns with the largest squared weights, at most `MAX_COLUMNS` of them, in the order of the table. */
export function columnsWithLargestWeights({ components: { data, cols: d } }: Model, shown: number): number[] {
  const weight = (j: number): number => {
    let sum = 0;
    for (let c = 0; c < shown; c++) sum += data[c * d + j] ** 2;
    return sum;
  };
  const weights = Array.from({ length: d }, (_, j) => weight(j));
  return weights
    .map((_, j) => j)
    .sort((a, b) => weights[b] - weights[a])
    .slice(0, MAX_COLUMNS)
    .sort((a, b) => a - b);
}

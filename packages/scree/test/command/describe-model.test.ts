import { pca } from '@scree/core';
import { expect, it } from 'vitest';
import { describeAccuracy, describeModel } from '../../src/command/describe-model.js';

const certificate = { residuals: [], subspaceAngleBound: 0, orthonormality: 0 };
const accuracy = (variances: number[], varianceBounds: number[], angleBounds: number[]): string =>
  describeAccuracy({
    k: variances.length,
    variances: Float64Array.from(variances),
    certificate: { ...certificate, varianceBounds, angleBounds },
  });

it('the accuracy of a model is one sentence about variances and directions', () => {
  expect(accuracy([4, 1], [1e-13, 1e-13], [1e-14, 1e-12])).toBe(
    'Rounding: all variances are exact to 13 digits, directions to 6e-11°.',
  );
  expect(accuracy([4], [1e-13], [1])).toBe('Rounding: the variance is exact to 13 digits, its direction to 60°.');
  expect(accuracy([4, 1e-20, 0], [1e-15, 1e-15, 1e-15], [1e-14, 1.6, 1.6])).toBe(
    'Rounding: the variance of component 1 is exact to 15 digits, its direction to 6e-13°; components 2–3 are zero within rounding.',
  );
  expect(accuracy([4, 3], [3.9, 3.9], [1.6, 1.6])).toBe(
    'Rounding: the variance of component 1 is exact in the order of magnitude; component 2 is not certain.',
  );
  expect(accuracy([0, 0], [0, 0], [1.6, 1.6])).toBe('Rounding: the variances are zero within rounding.');
  expect(accuracy([1], [Number.POSITIVE_INFINITY], [1.6])).toBe('Rounding: the variance is not certain.');
});

it('a model is described with its plot, what it keeps and its warnings', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => [Math.sin(i), 2 * Math.sin(i), Math.cos(3 * i)]);
  expect(describeModel(await pca(rows, { k: 2 }))).toContain(
    '2 components keep 100\u00a0% of the variance of 3 columns.',
  );
  const lines = describeModel(await pca(rows, { k: 3 }));
  // For any data, all components together keep all variance.
  expect(lines.join(' ')).not.toMatch(/keep/);
  expect(lines.at(-2)).toMatch(/^Rounding: the variances of components 1–2 are exact to 1\d digits/);
  expect(lines.at(-1)).toMatch(/^Warning: Only 2 of the 3 components have variance/);
});

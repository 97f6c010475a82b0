import { pca } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { describeSpreads, describeVariances, hasAllComponents, knownRatios } from '../../src/describe/index.js';

/** n normal rows of d columns. If `dependent`, the last column is the sum of the others. */
function table(n: number, d: number, dependent = false): number[][] {
  const { normal } = random(n + d);
  return Array.from({ length: n }, () => {
    const row = Array.from({ length: dependent ? d - 1 : d }, (_, j) => (d - j) * normal());
    return dependent ? [...row, row.reduce((sum, value) => sum + value, 0)] : row;
  });
}

describe('sentences about variances', () => {
  it('say how much is kept only if it could be less', async () => {
    const kept = async (rows: number[][], k: number | 'all'): Promise<string[]> =>
      describeVariances(await pca(rows, { k }));
    expect((await kept(table(50, 4), 2))[0]).toMatch(/^2 components keep [\d.]+\s% of the variance of 4 columns\.$/);
    // All columns, all that few rows allow, and one column.
    expect((await kept(table(50, 4), 'all')).join(' ')).toMatch(/^It takes \d components? for \d+\s%/);
    expect((await kept(table(5, 9), 'all')).join(' ')).not.toMatch(/keep/);
    expect(await kept(table(50, 1), 1)).toEqual([]);
    // Fewer components that keep everything are a finding.
    expect((await kept(table(50, 5, true), 4))[0]).toMatch(/^4 components keep 100\s% of the variance of 5 columns\.$/);
  });

  it('count the components that rows and columns allow, with and without centring', async () => {
    expect(hasAllComponents(await pca(table(6, 9), { k: 5 }))).toBe(true);
    expect(hasAllComponents(await pca(table(6, 9), { k: 5, center: false }))).toBe(false);
    expect(hasAllComponents(await pca(table(50, 4), { k: 3 }))).toBe(false);
  });

  it.each(['svd', 'covariance'] as const)('show no digits of variances that are rounding: %s', async (solver) => {
    const all = await pca(table(50, 5, true), { k: 5, solver });
    expect(all.uniqueness.rank).toBe(4);
    expect(describeSpreads(all)[0]).toMatch(
      /, the last one with variance, PC4, [\d.]+ \([\d.]+\s%\)\. 1 more component has none, apart from rounding\.$/,
    );
    expect(knownRatios(all)[4]).toBe(0);
    expect(knownRatios(all)[3]).toBe(all.varianceRatios[3]);
    const four = await pca(table(50, 5, true), { k: 4, solver });
    expect(describeSpreads(four)[0]).toMatch(
      /the last one kept [\d.]+ .*\. The direction left out has none, apart from rounding\.$/,
    );
    expect(knownRatios(four)[4]).toBe(0);
    expect(describeSpreads(await pca(table(50, 4), { k: 2, solver }))[0]).toMatch(
      /The 2 directions left out have [\d.]+ each, on average\.$/,
    );
  });
});

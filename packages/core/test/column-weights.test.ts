import { type BootstrapOptions, bootstrap, chooseComponents } from '@scree/analysis';
import {
  loadModel,
  Model,
  Moments,
  OptionError,
  type PcaOptions,
  pca,
  type Stability,
  stream,
  toRows,
} from '@scree/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzed } from '../../analysis/test/support/analyzed.js';
import { SOLVER_NAMES, type SolverName } from '../src/solvers/names.js';
import { solverNames, tables, toCsr, toMatrix, withSpectrum } from './support/data.js';
import { readTable } from './support/table.js';

/** Every column as many times as it weighs. */
const repeated = (rows: readonly (readonly number[])[], weights: readonly number[]): number[][] =>
  rows.map((row) => row.flatMap((value, j) => new Array<number>(weights[j]).fill(value)));

const close = (values: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void => {
  expect(values).toHaveLength(expected.length);
  const size = Math.max(...Array.from(expected, Math.abs));
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(values[i] - expected[i])).toBeLessThanOrEqual(tolerance * size);
  }
};

describe('column weights', () => {
  it('with row weights give the eigenvalues of FactoMineR: PCA(row.w = 1:23, col.w = c(1, 2, 1, …))', async () => {
    const { rows } = readTable('decathlon2');
    const columnWeights = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1];
    const weights = rows.map((_, i) => i + 1);
    const model = await pca(rows, { scale: 'unit', ddof: 0, weights, columnWeights, k: 'all' });
    const expected = [4.979175581, 1.946186091, 1.2451170055, 0.8906648233, 0.6410943205];
    close(model.variances.subarray(0, 5), expected, 1e-9);
    expect(model.totalVariance).toBeCloseTo(11, 12);
    close(model.columnVariances ?? [], columnWeights, 1e-12);
    expect(Array.from(model.columnWeights ?? [])).toEqual(columnWeights);
  });

  it.each(solverNames)('of 1, 2 and 3 are the same as one, two and three copies of the column, %s', async (solver) => {
    const rows = withSpectrum(40, 6, (i) => 10 * 0.7 ** i, { offset: (j) => 5 * j, scale: (j) => 1 + j });
    const columnWeights = [1, 2, 3, 1, 2, 1];
    for (const scale of ['none', 'unit', 'pareto', 'range'] as const) {
      const weighted = await pca(rows, { k: 3, scale, columnWeights, solver });
      const copies = await pca(repeated(rows, columnWeights), { k: 3, scale, solver });
      close(weighted.variances, copies.variances, 1e-9);
      close(weighted.varianceRatios, copies.varianceRatios, 1e-9);
      const scores = await weighted.transform(rows);
      const others = await copies.transform(repeated(rows, columnWeights));
      // Signs follow the largest entry of a component, which copies change.
      close(scores.data.map(Math.abs), others.data.map(Math.abs), 1e-7);
      // A column's entry is √weight times that of each copy.
      const first = columnWeights.map((_, j) => columnWeights.slice(0, j).reduce((sum, count) => sum + count, 0));
      const entries = Float64Array.from(columnWeights, (weight, j) =>
        Math.abs(Math.sqrt(weight) * copies.components.data[first[j]]),
      );
      close(weighted.components.data.subarray(0, 6).map(Math.abs), entries, 1e-7);
    }
  });

  it('are undone by inverseTransform, counted in reconstruction errors and not in the covariance', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 9 }), async (rows, seed) => {
        const d = rows[0].length;
        const columnWeights = Array.from({ length: d }, (_, j) => 0.25 + ((seed * (j + 1)) % 7));
        const all = await pca(rows, { k: Math.min(rows.length, d), columnWeights, scale: 'unit' });
        const back = await all.inverseTransform(await all.transform(rows));
        close(back.data, rows.flat(), 1e-9);
        const one = await pca(rows, { k: 1, columnWeights });
        const plain = toRows(await one.inverseTransform(await one.transform(rows)));
        const errors = await one.reconstructionError(rows);
        const size = Math.max(...errors, one.totalVariance);
        rows.forEach((row, i) => {
          const error = row.reduce((sum, x, j) => sum + columnWeights[j] * (x - plain[i][j]) ** 2, 0);
          // Rows far from the origin are rounded before they are subtracted.
          const rounding = Math.max(...row.map(Math.abs)) ** 2 * 1e-28 * d * 100;
          expect(Math.abs(error - errors[i])).toBeLessThanOrEqual(1e-9 * size + rounding);
        });
        if (rows.length <= d) return;
        const weighted = await pca(rows, { k: d, columnWeights });
        close(weighted.covariance().data, (await pca(rows, { k: d })).covariance().data, 1e-9);
      }),
      { numRuns: 30 },
    );
  });

  it('mean the same for sparse rows, moments, streams and every solver that reads rows once', async () => {
    const rows = withSpectrum(200, 8, (i) => 10 * 0.5 ** i).map((row) => row.map((x) => (Math.abs(x) < 0.2 ? 0 : x)));
    const options: PcaOptions = { k: 2, scale: 'unit', columnWeights: [1, 2, 3, 4, 5, 6, 7, 8] };
    const { variances, columnVariances = [] } = await pca(rows, options);
    const moments = new Moments(8);
    await moments.add(rows);
    const added = await stream(options).add(rows);
    const sketched = await stream({ ...options, rule: 'incremental', size: 8 }).add(rows);
    const others = [
      await pca(toCsr(rows), options),
      await pca(moments, options),
      await added.model(),
      await sketched.model(),
      await pca(toMatrix(rows), { ...options, solver: 'streaming', sketch: { size: 8 } }),
    ];
    for (const model of others) {
      close(model.variances, variances, 1e-9);
      close(model.columnVariances ?? [], columnVariances, 1e-9);
    }
    const learned: readonly SolverName[] = SOLVER_NAMES.filter((name) =>
      ['points', 'autoencoder', 'hebbian'].includes(name),
    );
    for (const solver of learned) close((await pca(rows, { ...options, solver })).variances, variances, 1e-5);
    // One reading of many rows; the step, and so the result, is rough.
    const many = withSpectrum(4000, 8, (i) => 10 * 0.5 ** i);
    const first = { ...options, k: 1 };
    const once = await pca(many, { ...first, solver: 'hebbian', learn: { epochs: 1 } });
    close(once.variances, (await pca(many, first)).variances, 0.01);
  });

  it('are stored with the model, and absent where there were none', async () => {
    const rows = withSpectrum(20, 3, (i) => 3 - i);
    const model = await pca(rows, { columnWeights: new Float32Array([1, 0.5, 2]), scale: 'unit' });
    for (const loaded of [loadModel(JSON.stringify(model)), loadModel(model.toBinary())]) {
      expect(loaded.columnWeights).toEqual(Float64Array.of(1, 0.5, 2));
      expect(loaded.columnVariances).toEqual(model.columnVariances);
      expect((await loaded.transform(rows)).data).toEqual((await model.transform(rows)).data);
    }
    expect((await pca(rows)).columnWeights).toBeUndefined();
    expect(JSON.stringify(await pca(rows))).not.toContain('columnWeights');
  });

  it.each([
    [[1, 2], 'There are 2 column weights for 3 columns.'],
    [[1, 0, 1], 'columnWeights[1] is 0.'],
    [[1, 1, Number.NaN], 'columnWeights[2] is NaN.'],
    [[1, -1, 1], 'columnWeights[1] is -1.'],
    ['heavy', 'columnWeights is "heavy"'],
  ])('that are %j are refused', async (columnWeights, message) => {
    const fit = pca(
      withSpectrum(5, 3, () => 1),
      { columnWeights: columnWeights as number[] },
    );
    await expect(fit).rejects.toThrow(message);
    await expect(fit).rejects.toBeInstanceOf(OptionError);
  });

  it.each([
    ['scatter', 30, 5, 'rows'],
    ['dual', 12, 40, 'rows'],
    ['parametric', 30, 5, 'parametric'],
  ] as const)('are counted by the bootstrap as copies of the column are (%s)', async (method, n, d, kind) => {
    const rows = withSpectrum(n, d, (i) => 10 * 0.6 ** i, { offset: (j) => j });
    const columnWeights = rows[0].map((_, j) => 1 + (j % 3));
    const copies = repeated(rows, columnWeights);
    const angles = (stability: Stability): number[] => stability.angles.map(({ q95 }) => q95);
    if (method === 'parametric') {
      // Other numbers are drawn for more columns; the same for columns that were scaled by hand.
      const options: BootstrapOptions = { k: 2, replicates: 40, kind };
      const weighted = await bootstrap(rows, { ...options, columnWeights });
      const scaled = await bootstrap(rows, { ...options, scale: columnWeights.map((weight) => 1 / Math.sqrt(weight)) });
      expect(weighted.method).toBe(method);
      close(weighted.variances.flat(), scaled.variances.flat(), 1e-9);
      close(angles(weighted), angles(scaled), 1e-6);
      return;
    }
    for (const scale of ['none', 'unit', 'pareto'] as const) {
      const options: BootstrapOptions = { k: 2, scale, replicates: 40, kind };
      const weighted = await bootstrap(rows, { ...options, columnWeights });
      const expected = await bootstrap(copies, options);
      expect(weighted.method).toBe(method);
      close(weighted.variances.flat(), expected.variances.flat(), 1e-9);
      close(weighted.ratios.flat(), expected.ratios.flat(), 1e-9);
      close(angles(weighted), angles(expected), 1e-6);
      // Correlations are those of the first copy; signs follow the largest entry, which copies change.
      const first = columnWeights.map((_, j) => columnWeights.slice(0, j).reduce((sum, count) => sum + count, 0));
      const middle = ({ low, high }: Stability['correlations'], at: number): number => Math.abs(low[at] + high[at]);
      const copyOf = (at: number): number => Math.floor(at / d) * copies[0].length + first[at % d];
      const all = Array.from({ length: 2 * d }, (_, at) => at);
      close(
        all.map((at) => middle(weighted.correlations, at)),
        all.map((at) => middle(expected.correlations, copyOf(at))),
        1e-6,
      );
    }
  });

  it('are counted by every criterion for the number of components, as columns multiplied by their roots are', async () => {
    const rows = withSpectrum(40, 6, (i) => 10 * 0.5 ** i, { offset: (j) => j });
    const columnWeights = [0.5, 1.5, 1, 1, 0.5, 1.5];
    const multiplied = rows.map((row) => row.map((x, j) => x * Math.sqrt(columnWeights[j])));
    const options = { permutations: 60 } as const;
    const weighted = await chooseComponents(rows, { ...options, columnWeights });
    const expected = await chooseComponents(multiplied, options);
    expect(weighted.criteria.map(({ name, k }) => [name, k])).toEqual(
      expected.criteria.map(({ name, k }) => [name, k]),
    );
    weighted.criteria.forEach(({ values }, i) => {
      close(values, expected.criteria[i].values, 1e-6);
    });
    // Their mean is 1, but these are not correlations: Kaiser's rule does not apply, from the data, wide data or a model.
    const model = await pca(rows, { scale: 'unit', columnWeights, k: 2, solver: 'covariance' });
    const wide = withSpectrum(5, 6, (i) => 5 - i);
    const weights = [1, 2, 1, 2, 1];
    for (const choice of [
      await chooseComponents(rows, { ...options, scale: 'unit', columnWeights }),
      await chooseComponents(model, options),
      await chooseComponents(wide, { ...options, scale: 'unit', columnWeights, weights }),
    ]) {
      expect(choice.criteria.find(({ name }) => name === 'kaiser')?.k).toBeNull();
    }
    const plain = await pca(rows, { scale: 'unit', k: 2, solver: 'covariance' });
    const kaiser = (await chooseComponents(plain, options)).criteria.find(({ name }) => name === 'kaiser');
    expect(kaiser?.k).toBeGreaterThan(0);
    expect((await analyzed(rows, { k: 'auto', columnWeights })).choice?.k).toBe(weighted.k);
  });

  it.each([
    [Float64Array.of(1, Number.NaN, 1), 'columnVariances holds a value that is negative or not finite'],
    [Float64Array.of(1, -1, 1), 'columnVariances holds a value that is negative or not finite'],
    [Float64Array.of(1, 1), 'columnVariances is not 3 numbers'],
    ['1, 1, 1', 'columnVariances is not 3 numbers'],
  ])('and variances that no model can have are refused: %s', async (columnVariances, message) => {
    const model = await pca(withSpectrum(5, 3, () => 1));
    expect(() => new Model({ ...model, columnVariances: columnVariances as Float64Array })).toThrow(message);
  });
});

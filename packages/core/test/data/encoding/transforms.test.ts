import { chooseComponents, probabilistic, rowContributions, withinGroups } from '@scree/analysis';
import { loadModel, Moments, pca, stream, type Transform, toRows } from '@scree/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { random } from '../../../src/linalg/random.js';
import { toCsr, toMatrix, withSpectrum } from '../../support/data.js';
import { jacobi } from '../../support/mixed.js';
import { readTable } from '../../support/table.js';

const close = (values: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void => {
  expect(values).toHaveLength(expected.length);
  const size = Math.max(...Array.from(expected, Math.abs));
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(values[i] - expected[i])).toBeLessThanOrEqual(tolerance * size);
  }
};

const { rows: arrests, columns } = readTable('usarrests');

/** Positive rows: parts of a composition. */
const positive = (n: number, d: number, seed = 1): number[][] => {
  const { normal } = random(seed);
  return Array.from({ length: n }, () => Array.from({ length: d }, () => Math.exp(normal())));
};

describe('transform', () => {
  it.each<[Transform, number[]]>([
    ['log1p', [0.6950297342377, 0.0821994839602, 0.0575326278862, 0.030915966519]],
    ['asinh', [0.8223361727772, 0.0909988714772, 0.0640812245778, 0.0340673467313]],
    ['sqrt', [12.116566797318, 0.873538790585, 0.41450132386, 0.16968340737]],
    ['clr', [0.243677601785, 0.0658135102695, 0.0507555277248]],
    ['ilr', [0.243677601785, 0.0658135102695, 0.0507555277248]],
  ])('%s has the eigenvalues of R: eigen(cov(f(USArrests)))', async (transform, expected) => {
    const model = await pca(arrests, { k: expected.length, columnTransform: transform });
    close(model.variances, expected, 1e-11);
  });

  it('rank with unit variance has the eigenvalues of R: eigen(cor(USArrests, method = "spearman"))', async () => {
    const model = await pca(arrests, { k: 4, columnTransform: 'rank', scale: 'unit' });
    close(model.variances, [2.613935862895, 0.951170683607, 0.271945724134, 0.162947729363], 1e-11);
  });

  it('is per column where columns have names, and is in the names of the model', async () => {
    const model = await pca(arrests, {
      k: 2,
      columnNames: columns,
      columnTransform: { Murder: 'log1p', Rape: 'sqrt' },
    });
    const before = arrests.map(([a, b, c, d]) => [Math.log1p(a), b, c, Math.sqrt(d)]);
    close(model.variances, (await pca(before, { k: 2 })).variances, 1e-13);
    expect(model.columnNames).toEqual(['log1p(Murder)', 'Assault', 'UrbanPop', 'sqrt(Rape)']);
    const records = arrests.map((row) => Object.fromEntries(row.map((value, j) => [columns[j], value]).reverse()));
    close((await model.transform(records)).data, (await model.transform(arrests)).data, 1e-13);
    await expect(pca(arrests, { columnTransform: { Murder: 'log1p' } })).rejects.toThrow(
      /"Murder", which the data do not have/,
    );
    // Without names, columns are called by their numbers.
    close(
      (await pca(arrests, { k: 1, columnTransform: { 0: 'log1p', 3: 'sqrt' } })).variances,
      model.variances.subarray(0, 1),
      1e-13,
    );
  });

  it('is undone by inverseTransform, on random tables', async () => {
    const transforms = fc.array(fc.constantFrom<Transform>('none', 'log1p', 'sqrt', 'asinh', 'rank'), {
      minLength: 2,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(transforms, fc.integer({ min: 6, max: 40 }), fc.nat(1e6), async (kinds, n, seed) => {
        const rows = positive(n, kinds.length, seed);
        const transform = Object.fromEntries(kinds.map((kind, j) => [j, kind]));
        const model = await pca(rows, { k: 'all', columnTransform: transform });
        fc.pre(model.k === kinds.length);
        const back = await model.inverseTransform(await model.transform(rows));
        close(back.data, rows.flat(), 1e-9);
        const [first] = await model.reconstruct(await model.transform(rows));
        expect(first).toMatchObject({ kind: 'number', name: '0' });
      }),
      { numRuns: 40 },
    );
  });

  it('gives the same for rows, matrices, sparse rows and streams, which are read once', async () => {
    const rows = withSpectrum(60, 5, (i) => 5 - i).map((row) => row.map((x) => (Math.abs(x) < 0.3 ? 0 : Math.abs(x))));
    const model = await pca(rows, { k: 3, columnTransform: 'log1p' });
    async function* one(): AsyncGenerator<number[]> {
      yield* rows;
    }
    for (const data of [toMatrix(rows), toCsr(rows), one()]) {
      const other = await pca(data, { k: 3, columnTransform: 'log1p' });
      close(other.variances, model.variances, 1e-11);
    }
    close((await model.transform(toCsr(rows))).data, (await model.transform(rows)).data, 1e-11);
    // If zeros do not stay zeros, sparse rows become dense.
    const shifted = rows.map((row) => row.map((x) => x + 1));
    close(
      (await pca(toCsr(shifted), { k: 2, columnTransform: 'clr' })).variances,
      (await pca(shifted, { k: 2, columnTransform: 'clr' })).variances,
      1e-10,
    );
    const { contributions } = await rowContributions(model, rows);
    expect(contributions.data.reduce((sum, value) => sum + value, 0)).toBeCloseTo(300, 7);
  });

  it('is known to chooseComponents and to samples of probabilistic PCA, and refused where it would be half applied', async () => {
    const rows = positive(80, 4, 3);
    const logs = rows.map((row) => row.map(Math.log1p));
    const choice = await chooseComponents(rows, { columnTransform: 'log1p', scale: 'median', permutations: 50 });
    const expected = await chooseComponents(logs, { scale: 'median', permutations: 50 });
    expect(choice.k).toBe(expected.k);
    close(choice.spectrum, expected.spectrum, 1e-12);
    const sample = await probabilistic(await pca(rows, { k: 2, columnTransform: 'log1p' })).sample(50);
    const other = await probabilistic(await pca(logs, { k: 2 })).sample(50);
    close(sample.data, other.data.map(Math.expm1), 1e-9);
    const labels = rows.map((_, i) => `${i % 2}`);
    await expect(withinGroups(rows, labels, { columnTransform: 'log1p' } as never)).rejects.toThrow(
      /no option "columnTransform"/,
    );
    await expect(withinGroups(rows, labels, { scale: 'median' })).rejects.toThrow(/'median' is computed from rows/);
    expect(() => stream({ columnTransform: 'sqrt' } as never)).toThrow(/no option "columnTransform"/);
  });

  it('is kept in JSON and bytes, in a version that older programs refuse', async () => {
    const model = await pca(arrests, { k: 2, columnTransform: 'rank', columnNames: columns });
    expect(model.toJSON()).toMatchObject({ version: 2 });
    expect((await pca(arrests, { k: 2 })).toJSON()).toMatchObject({ version: 1 });
    for (const loaded of [loadModel(JSON.stringify(model)), loadModel(model.toBinary())]) {
      expect(Array.from((await loaded.transform(arrests)).data)).toEqual(
        Array.from((await model.transform(arrests)).data),
      );
      expect(Object.isFrozen(loaded.coding)).toBe(true);
    }
  });

  it('refuses values that a function does not take, with row and column', async () => {
    const rows = [
      [1, 2],
      [3, -4],
      [5, 6],
    ];
    await expect(pca(rows, { columnTransform: 'log1p' })).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
      details: { row: 1, column: 1, value: -4 },
      message: expect.stringMatching(/^Row 2, column 2 holds -4\. log1p\(x\) = ln\(1 \+ x\) needs numbers above −1\.$/),
    });
    await expect(pca(rows, { columnTransform: 'sqrt' })).rejects.toThrow(/needs numbers from 0 up/);
    await expect(
      pca(
        [
          [1, 0],
          [3, 4],
          [5, 6],
        ],
        { columnTransform: 'clr' },
      ),
    ).rejects.toThrow(/Row 1, column 2 holds 0\. .* replace zeros/);
    await expect(pca(toCsr(rows), { columnTransform: 'sqrt' })).rejects.toMatchObject({ code: 'OUT_OF_RANGE' });
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const transform of ['log1p', 'rank', 'asinh', 'clr'] as const) {
        await expect(
          pca(
            [
              [1, 2],
              [value, 4],
              [5, 6],
            ],
            { columnTransform: transform },
          ),
        ).rejects.toMatchObject({ code: 'NOT_FINITE', details: { row: 1 } });
      }
    }
    const moments = new Moments(2);
    await moments.add(rows);
    await expect(pca(moments, { columnTransform: 'asinh' })).rejects.toThrow(
      /columnTransform cannot be chosen for moments/,
    );
    await expect(pca(rows, { columnTransform: 'log2' as never })).rejects.toThrow(
      /columnTransform is "log2"; it must be 'none', 'log1p'/,
    );
  });
});

describe('rank', () => {
  it('averages ties, counts weights, and interpolates new values up to the first and last', async () => {
    const rows = [10, 20, 20, 40, 80].map((x) => [x, 1 / x]);
    const model = await pca(rows, { k: 1, columnTransform: { 0: 'rank' }, center: false });
    const [column] = model.coding?.columns ?? [];
    expect(column).toMatchObject({ values: [10, 20, 40, 80], ranks: [1, 2.5, 4, 5] });
    const all = await pca(
      [10, 20, 20, 40, 80].map((x, i) => [x, i === 2 ? 1 : 0]),
      { k: 2, columnTransform: { 0: 'rank' } },
    );
    const back = toRows(
      await all.inverseTransform(
        await all.transform([
          [15, 0],
          [60, 0],
          [-5, 0],
          [500, 0],
        ]),
      ),
    );
    close(
      back.map(([x]) => x),
      [15, 60, 10, 80],
      1e-12,
    );
    const weighted = await pca(rows.slice(1), { k: 1, columnTransform: 'rank', weights: [2, 0, 1, 1] });
    expect(weighted.coding?.columns[0]).toMatchObject({ values: [20, 40, 80], ranks: [1.5, 3, 4] });
  });

  it('is the same for any rising function of the columns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 50 }), fc.nat(1e6), async (n, seed) => {
        const rows = positive(n, 3, seed);
        const model = await pca(rows, { k: 1, columnTransform: 'rank' });
        const risen = await pca(
          rows.map(([a, b, c]) => [a ** 3, Math.log(b), Math.round(1e6 * c)]),
          { k: 1, columnTransform: 'rank' },
        );
        close(risen.variances, model.variances, 1e-12);
      }),
      { numRuns: 20 },
    );
  });

  it('works for a stream, and refuses to keep more than a million values', async () => {
    async function* one(): AsyncGenerator<number[]> {
      yield* arrests;
    }
    const model = await pca(one(), { k: 2, columnTransform: 'rank' });
    close(model.variances, (await pca(arrests, { k: 2, columnTransform: 'rank' })).variances, 1e-12);
    const data = Float64Array.from({ length: 1_000_001 }, (_, i) => i);
    await expect(pca({ rows: 1_000_001, cols: 1, data }, { columnTransform: 'rank' })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });
});

describe('compositions', () => {
  it('have clr rows that add up to 0 and ilr rows at the same distances, whatever the totals and the order of the parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 20 }),
        fc.integer({ min: 2, max: 6 }),
        fc.nat(1e6),
        async (n, d, seed) => {
          const rows = positive(n, d, seed);
          const logs = rows.map((row) => {
            const mean = row.reduce((sum, x) => sum + Math.log(x), 0) / d;
            return row.map((x) => Math.log(x) - mean);
          });
          // zca of all components and no whitening would be the rows themselves: scores of k = all are their isometry.
          const clr = await pca(rows, { k: Math.min(n - 1, d - 1), columnTransform: 'clr' });
          const ilr = await pca(rows, { k: Math.min(n - 1, d - 1), columnTransform: 'ilr' });
          close(ilr.variances, clr.variances, 1e-9);
          expect(ilr.d).toBe(d - 1);
          expect(clr.mean.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 10);
          const [a, b] = [toRows(await ilr.transform(rows)), logs];
          for (let i = 1; i < n; i++) {
            const [x, y] = [a, b].map((list) => list[0].reduce((sum, value, j) => sum + (value - list[i][j]) ** 2, 0));
            expect(Math.abs(x - y)).toBeLessThan(1e-9 * (1 + y));
          }
          const totals = await pca(
            rows.map((row, i) => row.map((x) => x * (1 + i))),
            { k: 1, columnTransform: 'ilr' },
          );
          close(totals.variances, ilr.variances.subarray(0, 1), 1e-9);
          const turned = await pca(
            rows.map((row) => [...row].reverse()),
            { k: 1, columnTransform: 'ilr' },
          );
          close(turned.variances, ilr.variances.subarray(0, 1), 1e-9);
          // Independent of the model: eigenvalues of the covariance of the logarithms.
          const means = logs[0].map((_, j) => logs.reduce((sum, row) => sum + row[j], 0) / n);
          const covariance = means.map((m, p) =>
            means.map((o, q) => logs.reduce((sum, row) => sum + (row[p] - m) * (row[q] - o), 0) / (n - 1)),
          );
          close(clr.variances, jacobi(covariance).slice(0, clr.k), 1e-9);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each(['clr', 'ilr'] as const)(
    'come back from %s as shares, beside columns that are no parts',
    async (transform) => {
      const rows = positive(30, 4, 9);
      const model = await pca(rows, {
        k: 'all',
        columnNames: ['sand', 'silt', 'clay', 'depth'],
        columnTransform: { sand: transform, silt: transform, clay: transform, depth: 'log1p' },
      });
      expect(model.columnNames).toEqual(
        transform === 'clr'
          ? ['clr(sand)', 'clr(silt)', 'clr(clay)', 'log1p(depth)']
          : ['ilr1', 'ilr2', 'log1p(depth)'],
      );
      const back = await model.inverseTransform(await model.transform(rows));
      expect(back.cols).toBe(4);
      const shares = rows.flatMap(([a, b, c, d]) => [a, b, c].map((x) => x / (a + b + c)).concat(d));
      close(back.data, shares, 1e-9);
    },
  );

  it('need two parts and one kind', async () => {
    await expect(pca(arrests, { columnTransform: { 0: 'clr' } })).rejects.toThrow(/"0" is the only one/);
    await expect(pca(arrests, { columnTransform: { 0: 'clr', 1: 'ilr', 2: 'ilr' } })).rejects.toThrow(
      /both 'clr' and 'ilr'/,
    );
  });
});

describe("scale: 'median'", () => {
  it('divides by the MAD of R: eigen(cov(sweep(USArrests, 2, apply(USArrests, 2, mad), "/")))', async () => {
    const model = await pca(arrests, { k: 4, scale: 'median' });
    close(model.variances, [1.980474811789, 0.658179611435, 0.322051209304, 0.104729056175], 1e-11);
    close(model.scale, [5.41149, 110.4537, 17.7912, 8.59908], 1e-14);
    expect(model.scaling).toBe('median');
    expect(loadModel(JSON.stringify(model)).scaling).toBe('median');
    const back = await model.inverseTransform(await model.transform(arrests));
    close(back.data, arrests.flat(), 1e-12);
  });

  it('is exact on random columns, with weights as counts, in streams and where numbers are 1e-300 or 1e300 apart', async () => {
    const median = (values: number[]): number => {
      const sorted = [...values].sort((a, b) => a - b);
      const half = sorted.length / 2;
      return Number.isInteger(half) ? sorted[half - 1] / 2 + sorted[half] / 2 : sorted[Math.floor(half)];
    };
    const value = fc.oneof(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(1e-300, -1e-300, 1e150, -0),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, fc.integer({ min: 0, max: 3 })), { minLength: 3, maxLength: 40 }),
        async (cells) => {
          const counted = cells.flatMap(([x, weight]) => new Array<number>(weight).fill(x));
          fc.pre(counted.length > 2);
          const middle = median(counted);
          const mad = median(counted.map((x) => Math.abs(x - middle)));
          fc.pre(mad > 1e-290 && counted.some((x) => x !== counted[0]));
          const rows = cells.map(([x], i) => [x, i]);
          const { scale } = await pca(rows, {
            k: 1,
            scale: 'median',
            weights: cells.map(([, weight]) => weight),
            columnNames: ['x', 'i'],
          }).catch((error) => {
            // Position i may have no deviation if only one row has a weight.
            expect(error.message).toMatch(/half of the values of column 2|needs at least 2|beyond float64/);
            return { scale: undefined };
          });
          if (scale) expect(scale[0]).toBeCloseTo(1.4826 * mad, 12 - Math.ceil(Math.log10(Math.max(1, mad))));
        },
      ),
      { numRuns: 100 },
    );
    async function* one(): AsyncGenerator<number[]> {
      yield* arrests;
    }
    close((await pca(one(), { k: 1, scale: 'median' })).scale, [5.41149, 110.4537, 17.7912, 8.59908], 1e-14);
    // Many rows: two bytes of the numbers per reading instead of one.
    const tall = toMatrix(Array.from({ length: 40_000 }, (_, i) => [Math.sin(i) ** 3, i]));
    const expected = Array.from({ length: 40_000 }, (_, i) => Math.sin(i) ** 3);
    const middle = median(expected);
    expect((await pca(tall, { k: 1, scale: 'median' })).scale[0]).toBe(
      1.4826 * median(expected.map((x) => Math.abs(x - middle))),
    );
  });

  it('keeps constant columns, refuses columns of which more than half is one value, and rows that are gone', async () => {
    const rows = [
      [1, 7, 0],
      [2, 7, 0],
      [4, 7, 0],
      [8, 7, 3],
      [9, 7, 0],
    ];
    await expect(pca(rows, { scale: 'median' })).rejects.toThrow(
      /More than half of the values of column 3 are the same/,
    );
    const model = await pca(
      rows.map(([a, b]) => [a, b]),
      { k: 1, scale: 'median' },
    );
    expect(model.scale[1]).toBe(1);
    await expect(
      pca(
        [
          [1, 2],
          [Number.NaN, 3],
          [4, 4],
        ],
        { scale: 'median' },
      ),
    ).rejects.toMatchObject({ code: 'NOT_FINITE' });
    const moments = new Moments(2);
    await moments.add([
      [1, 2],
      [3, 4],
      [5, 7],
    ]);
    await expect(pca(moments, { scale: 'median' })).rejects.toThrow(/'median' is computed from rows/);
    await expect(
      stream({ scale: 'median' })
        .add([
          [1, 2],
          [3, 4],
        ])
        .then((s) => s.model()),
    ).rejects.toThrow(/'median' is computed from rows/);
  });

  it('goes together with transforms and column weights', async () => {
    const logs = arrests.map((row) => row.map(Math.log1p));
    const [model, other] = [
      await pca(arrests, { k: 2, columnTransform: 'log1p', scale: 'median', columnWeights: [1, 2, 1, 1] }),
      await pca(logs, { k: 2, scale: 'median', columnWeights: [1, 2, 1, 1] }),
    ];
    close(model.variances, other.variances, 1e-12);
  });
});

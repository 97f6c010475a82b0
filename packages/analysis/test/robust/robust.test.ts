import { type Model, pca } from '@scree/core';
import { orthonormalise, type Random, random, subspaceAngles } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';
import { describe, expect, it } from 'vitest';
import { principalAngles, type RobustOptions, robust } from '../../src/index.js';
import { animals, hbk, octane, readTable } from './read-table.js';

const seed = Number(process.env.SCREE_SEED);
const DEGREE = Math.PI / 180;

const flagged = async (rows: number[][], options: RobustOptions): Promise<number[]> =>
  ((await robust(rows, options)).robust?.flagged ?? []).map((row) => row + 1);

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** n rows of d columns with two strong directions. */
function factors(n: number, d: number, { normal }: Random): number[][] {
  const axes = [0, 1].map(() => Array.from({ length: d }, normal));
  return Array.from({ length: n }, () => {
    const [a, b] = [3 * normal(), 2 * normal()];
    return axes[0].map((x, j) => 5 + a * x + b * axes[1][j] + 0.3 * normal());
  });
}

function randomRotation(d: number, rng: Random): Float64Array {
  const q = new Float64Array(d * d).map(rng.normal);
  runTaskSync(orthonormalise(q, d, d, rng));
  return q;
}

const turned = (rows: number[][], q: Float64Array): number[][] =>
  rows.map((row) => row.map((_, i) => row.reduce((sum, x, j) => sum + x * q[i * row.length + j], 0)));

describe('robust: values of R', () => {
  it('flags the rows that PcaHubert flags (alpha 0.75, mcd = FALSE), with its variances and limits', async () => {
    const cases = [
      { rows: hbk(), k: 2, flags: upTo(14), variances: [2.18800735, 1.80004649], limit: 3.22683261 },
      {
        rows: readTable('stackloss'),
        k: 2,
        flags: [1, 2, 3, 4, 21],
        variances: [112.9020502, 28.0160829],
        limit: 6.0763081,
      },
      { rows: readTable('aircraft'), k: 2, flags: [16, 22], variances: undefined, limit: 12.91362 },
      { rows: animals(), k: 1, flags: [6, 14, 16, 17, 26, 48], variances: undefined, limit: 1.280876 },
      {
        rows: readTable('bushfire'),
        k: 2,
        flags: [7, 8, 9, 10, 11, 31, 32, 33, 34, 35, 36, 37, 38],
        variances: [47019.4295205, 363.1930183],
        limit: 14.7575832,
      },
      {
        rows: octane(),
        k: 2,
        flags: [25, 26, 36, 37, 38, 39],
        variances: [0.0178361823, 0.00268097487],
        limit: 0.04331233327,
      },
    ];
    for (const { rows, k, flags, variances, limit } of cases) {
      const model = await robust(rows, { method: 'projection', k });
      expect(model.robust?.flagged.map((row) => row + 1)).toEqual(flags);
      expect(model.robust?.scoreLimit).toBeCloseTo(k === 1 ? 2.241403 : 2.716203, 6);
      expect((model.robust?.orthogonalLimit as number) / limit).toBeCloseTo(1, 6);
      variances?.forEach((variance, c) => {
        expect(model.variances[c] / variance).toBeCloseTo(1, 7);
      });
    }
  });

  it('has the reweighted covariance of covMcd (alpha 0.75) and flags its rows', async () => {
    const eigenvalues = [
      { rows: hbk(), flags: upTo(14), values: [1.96542165, 1.616927999, 1.391851559] },
      {
        rows: readTable('stackloss'),
        flags: [1, 3, 4, 21],
        values: [198.241981877, 41.759611969, 5.858514928, 1.069775432],
      },
    ];
    for (const { rows, flags, values } of eigenvalues) {
      const model = await robust(rows, { method: 'mcd', k: 'all' });
      expect(model.robust?.flagged.map((row) => row + 1)).toEqual(flags);
      values.forEach((value, c) => {
        expect(model.variances[c] / value).toBeCloseTo(1, 8);
      });
      expect(Math.max(...model.certificate.angleBounds)).toBeLessThan(1e-10);
      expect(model.warnings.map(({ code }) => code)).not.toContain('NOT_CHECKED');
    }
    expect(await flagged(readTable('aircraft'), { method: 'mcd', k: 'all' })).toEqual([14, 16, 20, 22]);
    expect(await flagged(animals(), { method: 'mcd', k: 'all' })).toEqual([6, 14, 16, 26]);
  });
});

describe('robust: identities', () => {
  it('mcd is affine equivariant: distances stay the same', async () => {
    const rng = random(seed);
    const rows = factors(80, 4, rng);
    for (let i = 0; i < 12; i++) rows[i] = rows[i].map((x) => x + 40);
    const a = Array.from({ length: 16 }, rng.normal);
    const mapped = rows.map((row) =>
      row.map((_, i) => 7 + row.reduce((sum, x, j) => sum + x * (a[4 * i + j] + (i === j ? 2 : 0)), 0)),
    );
    const [one, other] = await Promise.all(
      [rows, mapped].map((each) => robust(each, { method: 'mcd', k: 'all', seed: 3 })),
    );
    const distances = (model: Model): Float64Array => model.robust?.scoreDistances as Float64Array;
    distances(one).forEach((distance, i) => {
      expect(distances(other)[i] / distance).toBeCloseTo(1, 6);
    });
    expect(other.robust?.flagged).toEqual(one.robust?.flagged);
  });

  it.each(['projection', 'spherical'] as const)('%s is orthogonally equivariant', async (method) => {
    const rng = random(seed + 1);
    for (const [n, d] of [
      [60, 5],
      [25, 40],
    ]) {
      const rows = factors(n, d, rng);
      const q = randomRotation(d, rng);
      const one = await robust(rows, { method, k: 2 });
      const other = await robust(turned(rows, q), { method, k: 2 });
      const back = turned(one.components.toRows(), q).flat();
      const angles = subspaceAngles(Float64Array.from(back), 2, other.components.data, 2, d);
      expect(Math.max(...angles)).toBeLessThan(1e-5);
      [0, 1].forEach((c) => {
        expect(other.variances[c] / one.variances[c]).toBeCloseTo(1, 5);
      });
    }
  });

  it.each(['mcd', 'projection'] as const)('%s with share 1 is classical', async (method) => {
    const rows = factors(50, 4, random(seed + 2));
    const classical = await pca(rows, { k: 2 });
    const model = await robust(rows, { method, share: 1, k: 2 });
    expect(Math.max(...principalAngles(classical.components, model.components))).toBeLessThan(1e-7);
    [0, 1].forEach((c) => {
      expect(model.variances[c] / classical.variances[c]).toBeCloseTo(1, 9);
      expect(Math.abs(model.mean[c] - classical.mean[c])).toBeLessThan(1e-9 * Math.abs(classical.mean[c]) + 1e-9);
    });
  });

  it('gives the same model for the same seed, and stores it without distances', async () => {
    const rows = factors(70, 6, random(seed + 3));
    const [one, other] = [await robust(rows, { k: 2, seed: 9 }), await robust(rows, { k: 2, seed: 9 })];
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
    const stored = JSON.parse(JSON.stringify(one)).robust;
    expect(stored.flagged).toEqual(one.robust?.flagged);
    expect(stored.scoreDistances).toBeUndefined();
  });
});

describe('robust: breakdown', () => {
  const cases = [
    { method: 'mcd', share: 0.75, n: 120, d: 5, angle: 5 },
    { method: 'mcd', share: 0.5, n: 120, d: 3, angle: 5 },
    { method: 'projection', share: 0.75, n: 80, d: 8, angle: 5 },
    { method: 'projection', share: 0.5, n: 80, d: 6, angle: 5 },
    { method: 'projection', share: 0.75, n: 40, d: 100, angle: 5 },
    { method: 'spherical', share: 0.5, n: 200, d: 10, angle: 5 },
  ] as const;
  it.each(cases)(
    '$method with share $share keeps the subspace of $n × $d within $angle°',
    async ({ method, share, n, d, angle }) => {
      const rng = random(seed + 4);
      const clean = factors(n, d, rng);
      const truth = await pca(clean, { k: 2 });
      // One row fewer than the promised share, so that whole rows fit.
      const most = method === 'spherical' ? Math.floor(n / 4) : Math.floor((1 - share) * n) - d - 1;
      const bad = Math.max(1, most);
      const direction = Array.from({ length: d }, rng.normal);
      for (const spread of [0, 1]) {
        const rows = clean.map((row, i) =>
          i < bad ? direction.map((x) => 1e12 * (x + 0.1 * spread * rng.normal())) : row,
        );
        const model = await robust(rows, { method, share, k: 2 });
        expect(Math.max(...principalAngles(truth.components, model.components)) / DEGREE).toBeLessThan(angle);
        const flags = new Set(model.robust?.flagged);
        for (let i = 0; i < bad; i++) expect(flags.has(i)).toBe(true);
      }
    },
  );
});

describe('robust: unusual data', () => {
  it('finds more than h rows on a hyperplane, and flags the others', async () => {
    const { normal } = random(seed + 5);
    const rows = Array.from({ length: 60 }, (_, i) => {
      const [a, b] = [normal(), normal()];
      return [a, b, a + b + (i < 8 ? 3 + Math.abs(normal()) : 0)];
    });
    for (const method of ['mcd', 'projection'] as const) {
      const model = await robust(rows, { method, k: 2 });
      expect(model.robust?.flagged.filter((row) => row < 8)).toHaveLength(8);
      const plane = subspaceAngles(model.components.data, 2, Float64Array.of(1, 0, 1, 0, 1, 1), 2, 3);
      expect(Math.max(...plane)).toBeLessThan(1e-6);
    }
    expect((await robust(rows, { method: 'mcd', k: 2 })).robust?.onPlane).toBe(52);
  });

  it('takes constant columns, duplicated rows and columns without deviation', async () => {
    const { normal } = random(seed + 6);
    const rows = Array.from({ length: 40 }, (_, i) => [normal(), 7, i < 30 ? 0 : normal(), 2 * normal()]);
    rows.push(...rows.slice(0, 10));
    for (const method of ['mcd', 'projection', 'spherical'] as const) {
      const model = await robust(rows, { method, k: 2 });
      expect(model.variances.every((variance) => variance > 0)).toBe(true);
      expect(Math.abs(model.components.row(0)[1])).toBeLessThan(1e-9);
    }
  });

  it('explains too few rows for a covariance, and chooses projections for them', async () => {
    const rows = factors(9, 5, random(seed + 7));
    await expect(robust(rows, { method: 'mcd' })).rejects.toThrow(
      "at least two rows per column, and there are 9 rows and 5 columns. Use method 'projection'.",
    );
    const model = await robust(rows, { k: 2 });
    expect(model.robust).toMatchObject({ method: 'projection', reason: expect.stringContaining('rows are too few') });
  });

  it('refuses options that a robust fit does not have, and stops when it is cancelled', async () => {
    const rows = factors(30, 3, random(seed + 8));
    await expect(robust(rows, { share: 0.3 })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      details: { option: 'share' },
    });
    await expect(robust(rows, { weights: [1] } as RobustOptions)).rejects.toThrow('no option "weights"');
    const stop = new AbortController();
    const long = robust(factors(400, 30, random(1)), {
      method: 'projection',
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(long).rejects.toThrow();
  });
});

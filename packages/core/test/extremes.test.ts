import { principalAngles } from '@scree/analysis';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Model, pca, toRows } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { solverNames, toCsr, withSpectrum } from './support/data.js';

const finite = (model: Model): void => {
  for (const values of [
    model.components.data,
    model.variances,
    model.varianceRatios,
    model.singularValues,
    model.mean,
  ]) {
    expect(Array.from(values).every(Number.isFinite)).toBe(true);
  }
};
const codes = (model: Model): string[] => model.warnings.map(({ code }) => code);

describe.each(solverNames)('hard data, %s', (solver) => {
  it('constant data have no variance, and the model says so', async () => {
    const model = await pca(
      Array.from({ length: 5 }, () => [3.1, -2.7, 1e9]),
      { k: 2, solver },
    );
    expect(Array.from(model.variances)).toEqual([0, 0]);
    expect(Array.from(model.varianceRatios)).toEqual([0, 0]);
    expect(codes(model)).toContain('CONSTANT_DATA');
    expect((await pca([[5], [5]], { solver })).warnings[0].message).toBe(
      'All rows are the same, so there is no variance to explain.',
    );
    const large = await pca([[Number(2n ** 60n + 1n)], [Number(2n ** 60n + 2n)]], { solver });
    expect(large.warnings[0].message).toMatch(/same.* beyond 2\^53 may be one in float64/);
    expect(model.uniqueness.rank).toBe(0);
    expect(model.uniqueness.subspace.determined).toBe(false);
    finite(model);
    expect(toRows(await model.inverseTransform(await model.transform([[3.1, -2.7, 1e9]])))).toEqual([[3.1, -2.7, 1e9]]);
  });

  it.each([1e150, 1e-150, 1e-160, 1e-200, 1e-300])(
    'data of magnitude %s have the same components as at 1',
    async (size) => {
      const rows = withSpectrum(30, 5, (i) => 0.5 ** i);
      const plain = await pca(rows, { k: 3, solver });
      const model = await pca(
        rows.map((row) => row.map((x) => x * size)),
        { k: 3, solver },
      );
      finite(model);
      expect(principalAngles(model.components, plain.components)[2]).toBeLessThan(1e-12);
      for (let i = 0; i < 3; i++) {
        expect(Math.abs(model.varianceRatios[i] - plain.varianceRatios[i])).toBeLessThan(1e-12);
        expect(Math.abs(model.singularValues[i] / size / plain.singularValues[i] - 1)).toBeLessThan(1e-12);
        if (size > 1e-153)
          expect(Math.abs(model.variances[i] / size / size / plain.variances[i] - 1)).toBeLessThan(1e-12);
      }
      if (size < 1e-155) expect(codes(model)).toContain('VARIANCE_UNDERFLOW');
      const scores = await model.transform(rows.map((row) => row.map((x) => x * size)));
      expect(Math.abs(scores.data[0] / size - (await plain.transform(rows)).data[0])).toBeLessThan(1e-9);
    },
  );

  it('denormal numbers are handled like other numbers', async () => {
    const tiny = 5e-324;
    const rows = withSpectrum(30, 4, (i) => 1000 * 0.5 ** i).map((row) => row.map((x) => Math.round(x * 1000)));
    const plain = await pca(rows, { k: 2, solver });
    const model = await pca(
      rows.map((row) => row.map((x) => x * tiny)),
      { k: 2, solver },
    );
    finite(model);
    expect(model.uniqueness.rank).toBe(2);
    expect(principalAngles(model.components, plain.components)[1]).toBeLessThan(1e-5);
    expect(Math.abs(model.varianceRatios[0] - plain.varianceRatios[0])).toBeLessThan(1e-5);
  });

  it('variances beyond float64 are rejected with a remedy, and computed when columns are scaled', async () => {
    const rows = withSpectrum(30, 4, (i) => 1e200 * 0.5 ** i);
    await expect(pca(rows, { k: 2, solver })).rejects.toMatchObject({ code: 'OUT_OF_RANGE' });
    const scaled = await pca(rows, { k: 2, solver, scale: 'unit' });
    expect(scaled.totalVariance).toBeCloseTo(4, 10);
  });

  it('exact duplicates of rows and columns', async () => {
    const base = withSpectrum(20, 3, (i) => 3 - i);
    const rows = [...base, ...base].map((row) => [...row, ...row]);
    const model = await pca(rows, { k: 5, solver });
    finite(model);
    expect(model.uniqueness.rank).toBe(3);
    expect(codes(model)).toContain('RANK_BELOW_K');
    expect(model.variances[3]).toBeLessThan(1e-14 * model.variances[0]);
    const small = await pca(base, { k: 3, solver });
    for (let i = 0; i < 3; i++)
      expect(Math.abs(model.variances[i] / ((small.variances[i] * 19 * 4) / 39) - 1)).toBeLessThan(1e-12);
  });

  it('rank below k: the rest is orthonormal and named as undetermined', async () => {
    for (const [n, d] of [
      [6, 10],
      [4, 30],
      [30, 6],
    ] as const) {
      const rows = withSpectrum(n, d, (i) => (i < 2 ? 2 - i : 0));
      const model = await pca(rows, { k: 4, solver });
      expect(model.uniqueness.rank).toBe(2);
      expect(model.uniqueness.axes.map((axis) => axis.determined)).toEqual([true, true, false, false]);
      expect(model.certificate.orthonormality).toBeLessThan(1e-13);
      expect(model.warnings.find(({ code }) => code === 'RANK_BELOW_K')?.message).toMatch(/Only 2 of the 4/);
    }
  });

  it('all components are those that can have variance: n − 1 for wide centred data, n when not centred', async () => {
    const rows = withSpectrum(6, 9, (i) => 6 - i, { offset: () => 1 });
    expect((await pca(rows, { k: 'all', solver })).k).toBe(5);
    expect((await pca(rows, { k: 'all', center: false, solver })).k).toBe(6);
    expect((await pca(rows, { k: 'all', solver })).uniqueness.rank).toBe(5);
    const one = await pca(rows, { k: 6, solver });
    expect(one.uniqueness.rank).toBe(5);
    expect(one.certificate.orthonormality).toBeLessThan(1e-13);
  });

  it('variance that comes only from the rounding of float32 does not count as rank', async () => {
    const rows = withSpectrum(50, 8, (i) => (i < 3 ? 3 - i : 0), { offset: () => 10 });
    const data = { rows: 50, cols: 8, data: Float32Array.from(rows.flat()) };
    expect((await pca(data, { k: 6, solver })).uniqueness.rank).toBe(3);
  });

  it('a sparse row of weight 0 changes nothing, even where it is the only one without an entry', async () => {
    const { normal, uniform } = random(8);
    const rows = Array.from({ length: 60 }, () => [
      1e8 + normal(),
      uniform() < 0.5 ? normal() : 0,
      uniform() < 0.5 ? normal() : 0,
    ]);
    const expected = await pca(rows, { k: 3, solver: 'svd' });
    const model = await pca(toCsr([...rows, [0, 0, 0]]), { k: 3, solver, weights: [...rows.map(() => 1), 0] });
    for (let i = 0; i < 3; i++) expect(Math.abs(model.variances[i] / expected.variances[i] - 1)).toBeLessThan(1e-9);
  });

  it('a column far from the origin blurs its own components and no others', async () => {
    const constant = await pca(
      [
        [1e17, 1],
        [1e17, 2],
        [1e17, 5],
      ],
      { k: 1, solver, whiten: 'pca' },
    );
    expect(constant.uniqueness.rank).toBe(1);
    const both = await pca(
      [
        [1e17, 1],
        [1e17, 2],
        [1e17, 5],
      ],
      { k: 2, solver },
    );
    expect(codes(both)).toEqual(['RANK_BELOW_K']);
    expect((await constant.transform([[1e17, 5]])).data[0]).toBeCloseTo(1.121, 3);
    const { normal } = random(3);
    const data = Float32Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? 20240000 + 8 * (at / 3) : normal()));
    const stamped = await pca({ rows: 100, cols: 3, data }, { k: 2, solver });
    expect(stamped.uniqueness.rank).toBe(2);
  });

  it('data that vary by no more than their own rounding give a warning', async () => {
    const { normal } = random(6);
    const data = Float32Array.from({ length: 80 }, () => 4e9 + 100 * normal());
    const model = await pca({ rows: 40, cols: 2, data }, { k: 2, solver });
    expect(model.uniqueness.rank).toBe(0);
    expect(model.warnings[0].message).toMatch(/None of the 2 components has variance .* rounding of their own numbers/);
  });

  it('the one direction without variance is determined by the others', async () => {
    const model = await pca(
      [
        [1, 0],
        [2, 0],
        [5, 0],
      ],
      { k: 2, solver },
    );
    expect(model.uniqueness.axes.map(({ determined }) => determined)).toEqual([true, true]);
    expect(model.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /Only 1 of the 2 components has variance .* Component 2 is the one direction orthogonal to the others/,
      ),
    ]);
    [1, 0, 0, 1].forEach((expected, i) => {
      expect(Math.abs(Math.abs(model.components.data[i]) - expected)).toBeLessThan(1e-15);
    });
  });

  it('two rows, one column, one component', async () => {
    const model = await pca([[1], [3]], { solver });
    expect(model.k).toBe(1);
    expect(model.variances[0]).toBeCloseTo(2, 14);
    expect(Array.from(model.components.data)).toEqual([1]);
    expect(model.uniqueness.subspace).toEqual({ determined: true, gap: null, noiseAngle: 0 });
  });

  it('whitening a direction without variance gives zeros and a warning, not infinities', async () => {
    const rows = withSpectrum(20, 5, (i) => (i < 2 ? 1 : 0));
    for (const whiten of ['pca', 'zca'] as const) {
      const model = await pca(rows, { k: 4, solver, whiten });
      expect(codes(model)).toContain('NOT_WHITENED');
      const scores = toRows(await model.transform(rows));
      expect(scores.flat().every(Number.isFinite)).toBe(true);
      if (whiten === 'pca') expect(scores.every((row) => row[2] === 0 && row[3] === 0)).toBe(true);
    }
  });
});

describe('uniqueness is described in sentences', () => {
  it('equal variances inside the subspace: the axes turn, the subspace stays', async () => {
    const rows = withSpectrum(60, 6, (i) => [5, 3, 3, 1, 0.5, 0.2][i]);
    for (const solver of solverNames) {
      const model = await pca(rows, { k: 4, solver });
      expect(model.uniqueness.axes.map(({ determined }) => determined)).toEqual([true, false, false, true]);
      expect(model.uniqueness.subspace.determined).toBe(true);
      expect(codes(model)).toEqual(['AXES_NOT_UNIQUE']);
      expect(model.warnings[0].message).toMatch(/Components 2 and 3 have the same variance .* any rotation/);
    }
  });

  it('equal variances across k: the subspace itself is not determined, and better k are named', async () => {
    const rows = withSpectrum(60, 6, (i) => [5, 3, 3, 3, 0.5, 0.2][i]);
    for (const solver of solverNames) {
      const model = await pca(rows, { k: 3, solver });
      expect(model.uniqueness.subspace.determined).toBe(false);
      expect(model.uniqueness.subspace.noiseAngle).toBeGreaterThan(0.1);
      expect(model.warnings.find(({ code }) => code === 'SUBSPACE_NOT_UNIQUE')?.message).toMatch(
        /Use k = 1, or a larger k/,
      );
      const larger = await pca(rows, { k: 4, solver });
      expect(larger.uniqueness.subspace.determined).toBe(true);
    }
  });

  it('axes that float32 storage cannot separate are not called determined', async () => {
    const rows = withSpectrum(60, 6, (i) => [5, 3, 3 - 1e-8, 1, 0.5, 0.2][i]);
    const f64 = await pca(rows, { k: 3, solver: 'svd' });
    expect(f64.uniqueness.axes[1].determined).toBe(true);
    const f32 = await pca({ rows: 60, cols: 6, data: Float32Array.from(rows.flat()) }, { k: 3, solver: 'svd' });
    expect(f32.uniqueness.axes[1].determined).toBe(false);
  });

  it('a plain, well-separated fit has no warnings', async () => {
    for (const solver of solverNames) {
      const model = await pca(
        withSpectrum(60, 6, (i) => 2 ** -i),
        { k: 3, solver },
      );
      expect(model.warnings).toEqual([]);
      expect(model.uniqueness.axes.every(({ determined }) => determined)).toBe(true);
    }
  });

  it('small variances that are well separated are found by every solver, without a warning', async () => {
    const rows = withSpectrum(300, 30, (i) => 600 * 0.68 ** i, { offset: (j) => 10 * j });
    for (const solver of solverNames) {
      const model = await pca(rows, { k: 25, solver });
      expect(model.warnings).toEqual([]);
      expect(model.uniqueness.axes.every(({ determined }) => determined)).toBe(true);
      expect(model.uniqueness.subspace.determined).toBe(true);
    }
  });

  it('verdicts and warnings never contradict each other', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...solverNames),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer(),
        fc.boolean(),
        async (solver, decay, k, seed, float32) => {
          const rows = withSpectrum(30, 8, (i) => decay ** i, { seed, offset: (j) => j });
          const data = float32 ? Float32Array.from(rows.flat()) : Float64Array.from(rows.flat());
          const { warnings, uniqueness } = await pca({ rows: 30, cols: 8, data }, { k, solver });
          const said = warnings.map(({ code }) => code);
          const all = uniqueness.axes.every(({ determined }) => determined);
          if (all && uniqueness.subspace.determined) expect(said.filter((code) => code !== 'RANK_BELOW_K')).toEqual([]);
          else expect(said.length).toBeGreaterThan(0);
        },
      ),
    ));

  it('directions too small for the covariance solver are found by svd', async () => {
    const rows = withSpectrum(60, 4, (i) => [1, 1e-2, 1e-9, 1e-10][i]);
    const squared = await pca(rows, { k: 3, solver: 'covariance' });
    expect(squared.uniqueness.axes[2].determined).toBe(false);
    expect(squared.warnings.some(({ message }) => /solver: 'svd'/.test(message))).toBe(true);
    const direct = await pca(rows, { k: 3, solver: 'svd' });
    expect(direct.uniqueness.axes[2].determined).toBe(true);
    expect(direct.warnings).toEqual([]);
    expect(Math.abs(direct.singularValues[2] / 1e-9 - 1)).toBeLessThan(1e-5);
  });
});

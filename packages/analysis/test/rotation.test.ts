import { type Matrix, type Model, pca } from '@scree/core';
import { combineRows, rowProducts, transpose } from '@scree/core/linalg';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tables } from '../../core/test/support/data.js';
import { readTable } from '../../core/test/support/table.js';
import { type RotateOptions, type RotationMethod, rotate } from '../src/index.js';
import { orthomaxValue } from '../src/methods/rotate-loadings.js';

const METHODS: RotationMethod[] = ['varimax', 'quartimax', 'promax', 'oblimin'];

const at = ({ data, cols }: Matrix, i: number, j: number): number => data[i * cols + j];

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) expect(Math.abs(actual[i] - expected[i])).toBeLessThanOrEqual(tolerance);
}

async function arrests(): Promise<Model> {
  const { rows, columns } = readTable('usarrests');
  return pca(rows, { scale: 'unit', k: 2, columnNames: columns });
}

describe('rotate, USArrests, two components, as psych::principal', () => {
  it.each([
    [
      'varimax',
      [0.9389577829, 0.9200558937, 0.0722287374, 0.7268700524, -0.0611549551, 0.1789190699, 0.9699088351, 0.4814872706],
    ],
    [
      'promax',
      [
        0.999471273842, 0.930415417326, -0.122801764214, 0.665364922805, -0.2379689332, 0.0187604719, 1.009746511,
        0.373607465,
      ],
    ],
    [
      'oblimin',
      [
        0.9626505085, 0.9212839551, -0.0156709165, 0.6965275584, -0.1810624391, 0.0651307704, 0.9758049802,
        0.3968681156,
      ],
    ],
    [
      'quartimax',
      [
        0.932712720764, 0.930011665365, 0.137343831533, 0.757627961897, -0.124212025, 0.116589809, 0.96284828,
        0.431474143,
      ],
    ],
  ] as const)('%s has the same loadings', async (method, expected) => {
    const { loadings } = await rotate(await arrests(), { method });
    // R stops quartimax, by another algorithm, at a gradient of 1e-5.
    expectClose(loadings.data, expected, method === 'quartimax' ? 1e-5 : 1e-9);
  });

  it('has the loadings of stats::varimax(eps = 1e-15) with a tight tolerance', async () => {
    const { loadings } = await rotate(await arrests(), { method: 'varimax', tolerance: 1e-15 });
    expectClose([at(loadings, 0, 0), at(loadings, 1, 0)], [0.9389894311826, -0.0606670817637], 1e-8);
  });

  it('has the same communalities, correlations, sums of squares, weights and scores', async () => {
    const model = await arrests();
    const { rows } = readTable('usarrests');
    const varimax = await rotate(model, { method: 'varimax' });
    expectClose(varimax.communalities, [0.885381646682, 0.878514881203, 0.945940138938, 0.760170064866], 1e-11);
    expectClose(varimax.sumsOfSquares, [2.2617016294, 1.20830510229], 1e-9);
    expectClose(varimax.phi.data, [1, 0, 0, 1], 1e-15);
    const scores = await varimax.transform(rows);
    expectClose(scores.data.subarray(0, 4), [1.00414472042, -0.804609514561, 1.54132189433, -0.517123352606], 1e-9);
    const promax = await rotate(model, { method: 'promax' });
    expect(Math.abs(at(promax.phi, 0, 1) - 0.35777868806)).toBeLessThan(1e-9);
    expectClose(promax.sumsOfSquares, [2.28813071939, 1.1818760123], 1e-9);
    expectClose((await promax.transform(rows)).data.subarray(0, 2), [0.850288003533, -0.597628115731], 1e-9);
    const oblimin = await rotate(model, { method: 'oblimin' });
    expect(Math.abs(at(oblimin.phi, 0, 1) - 0.212558880904)).toBeLessThan(1e-9);
    expectClose((await oblimin.transform(rows)).data.subarray(0, 2), [0.896811992063, -0.711019025133], 1e-9);
    expectClose(oblimin.rotation.data, [0.90630340949, 0.271819639191, -0.475324468817, 0.986627236833], 1e-9);
  });
});

describe('rotate, decathlon, three components, as R with a tight tolerance', () => {
  // One row per component, the first three events; signs and order as scree has them.
  it.each<[string, RotateOptions, number[], number[]]>([
    ['varimax', { method: 'varimax' }, [-0.8810994783, 0.7793463354, 0.3104013482], []],
    [
      'varimax without normalisation',
      { method: 'varimax', normalize: false },
      [-0.8848134906, 0.7865458948, 0.3148577307],
      [],
    ],
    ['quartimax', { method: 'quartimax' }, [-0.904782492, 0.8127060999, 0.4045500026], []],
    [
      'oblimin',
      { method: 'oblimin' },
      [-0.8883131671, 0.7727419109, 0.1532344471],
      [0.1322710881, 0.3606239339, 0.0164840843],
    ],
    [
      'oblimin, γ = −1',
      { method: 'oblimin', gamma: -1 },
      [-0.8839072823, 0.77316922, 0.1952036802],
      [0.1040735928, 0.2964648622, 0.0273647689],
    ],
    [
      'oblimin, normalised',
      { method: 'oblimin', normalize: true },
      [-0.8888592486, 0.7703906044, 0.1581109796],
      [0.1451216553, 0.354618444, 0.0056640614],
    ],
    [
      'promax',
      { method: 'promax' },
      [-0.9137146022, 0.788458202, 0.0664947314],
      [0.2348617089, 0.4918333198, 0.1275023513],
    ],
    [
      'promax, power 3, not normalised',
      { method: 'promax', power: 3, normalize: false },
      [-0.8988938886, 0.7798043041, 0.1034237566],
      [0.1895215679, 0.4322201331, 0.072599323],
    ],
  ])('%s', async (_, options, first, correlations) => {
    const { rows } = readTable('decathlon2');
    const model = await pca(rows, { scale: 'unit', k: 3 });
    const { loadings, phi, warnings, starts } = await rotate(model, {
      tolerance: options.method === 'oblimin' ? 1e-10 : 1e-15,
      ...options,
    });
    // The rotated component of the 100 m, with R's sign.
    const i = [0, 1, 2].reduce((best, c) =>
      Math.abs(at(loadings, c, 0)) > Math.abs(at(loadings, best, 0)) ? c : best,
    );
    const sign = Math.sign(at(loadings, i, 0)) * -1;
    expectClose(
      [0, 1, 2].map((j) => sign * at(loadings, i, j)),
      first,
      2e-8,
    );
    if (correlations.length > 0) {
      const found = [at(phi, 0, 1), at(phi, 0, 2), at(phi, 1, 2)].map(Math.abs).sort();
      expectClose(
        found,
        [...correlations].sort((a, b) => a - b),
        2e-8,
      );
    }
    expect(warnings.map(({ code }) => code)).toEqual(['ROTATED']);
    expect(starts.best).toBeGreaterThanOrEqual(1);
  });
});

describe.each(METHODS)('rotate by %s, any table', (method) => {
  it('keeps communalities, the total and the reconstruction, and gives scores of variance 1 with the correlations Φ', async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        fc.constantFrom<'none' | 'unit'>('none', 'unit'),
        fc.constantFrom(false as const, 'pca' as const, 'zca' as const),
        async (rows, scale, whiten) => {
          const model = await pca(rows, { scale, whiten, k: Math.min(4, rows.length - 1, rows[0].length) });
          // A component with next to no variance has no direction, rotated or not.
          const k = model.variances.filter((value) => value > 1e-6 * model.variances[0]).length;
          if (model.uniqueness.rank === 0) return;
          const { loadings, structure, phi, communalities, sumsOfSquares, ...rotation } = await rotate(model, {
            method,
            k,
            starts: 2,
          });
          const d = model.d;
          const first = model.loadings.data.slice(0, k * d);
          const size = communalities.reduce((sum, value) => sum + value, 0);
          // LᵀΦL = AᵀA.
          const products = (left: Float64Array, right: Float64Array): Float64Array =>
            rowProducts(transpose(left, k, d), d, transpose(right, k, d), d, k);
          expectClose(products(loadings.data, structure.data), products(first, first), 1e-8 * size);
          expectClose(structure.data, combineRows(phi.data, k, loadings.data, k, d), 1e-8 * Math.sqrt(size));
          expect(Math.abs(sumsOfSquares.reduce((sum, value) => sum + value, 0) - size)).toBeLessThan(1e-8 * size);
          for (let i = 0; i < k; i++) expect(Math.abs(at(phi, i, i) - 1)).toBeLessThan(1e-10);
          if (rotation.orthogonal)
            expectClose(
              phi.data,
              Float64Array.from({ length: k * k }, (_, c) => (c % (k + 1) ? 0 : 1)),
              1e-12,
            );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('reconstructs what the unrotated components reconstruct, from scores with the correlations Φ', async () => {
    const { rows } = readTable('decathlon2');
    for (const whiten of [false, 'pca', 'zca'] as const) {
      const model = await pca(rows, { scale: 'unit', k: 4, whiten });
      const rotation = await rotate(model, { method });
      const scores = await rotation.transform(rows);
      const turned = await rotation.inverseTransform(scores);
      const plain = await model.inverseTransform(await model.transform(rows));
      expectClose(turned.data, plain.data, 1e-9);
      const columns = transpose(scores.data, rows.length, 4);
      const correlations = rowProducts(columns, 4, columns, 4, rows.length).map((sum) => sum / (rows.length - 1));
      expectClose(correlations, rotation.phi.data, 1e-10);
    }
  });

  it('ends at a criterion no worse than that of the start, and no worse with more starts', async () => {
    const { rows } = readTable('decathlon2');
    const model = await pca(rows, { scale: 'unit', k: 5 });
    const better = method === 'oblimin' ? -1 : 1;
    const one = await rotate(model, { method, starts: 1 });
    const many = await rotate(model, { method, starts: 20, seed: 3 });
    expect(better * (one.criterion.after - one.criterion.before)).toBeGreaterThan(0);
    expect(better * (many.criterion.after - one.criterion.after)).toBeGreaterThan(
      -1e-9 * Math.abs(one.criterion.after),
    );
    expect(many.starts.count).toBe(20);
  });
});

describe('rotate', () => {
  it('finds the plane angle of largest varimax that a fine grid finds', async () => {
    const model = await arrests();
    const { criterion } = await rotate(model, { method: 'varimax', normalize: false, tolerance: 1e-15 });
    const { data, cols } = model.loadings;
    let largest = 0;
    for (let step = 0; step < 20000; step++) {
      const angle = (step / 20000) * (Math.PI / 2);
      const turned = new Float64Array(2 * cols);
      for (let j = 0; j < cols; j++) {
        turned[j] = Math.cos(angle) * data[j] + Math.sin(angle) * data[cols + j];
        turned[cols + j] = Math.cos(angle) * data[cols + j] - Math.sin(angle) * data[j];
      }
      largest = Math.max(largest, orthomaxValue(turned, 2, cols, 1));
    }
    expect(criterion.after).toBeGreaterThanOrEqual(largest);
    expect(criterion.after - largest).toBeLessThan(1e-6);
  });

  it('recovers a simple structure that was mixed', async () => {
    // Three independent sources, each in four columns of its own: every method finds the blocks.
    const rows = Array.from({ length: 400 }, (_, i) => {
      const source = [Math.sin(i * 1.7), Math.sin(i * 2.9 + 1), Math.sin(i * 0.37 + 2)];
      return Array.from({ length: 12 }, (_, j) => source[Math.floor(j / 4)] + 0.05 * Math.sin(i * (j + 3) * 0.77));
    });
    const model = await pca(rows, { scale: 'unit', k: 3 });
    for (const method of METHODS) {
      const { loadings } = await rotate(model, { method });
      for (let c = 0; c < 3; c++) {
        const own = Array.from({ length: 12 }, (_, j) => Math.abs(at(loadings, c, j)));
        const large = own.flatMap((value, j) => (value > 0.9 ? [j] : []));
        expect(large).toHaveLength(4);
        expect(new Set(large.map((j) => Math.floor(j / 4))).size).toBe(1);
        expect(Math.max(...own.filter((value) => value <= 0.9))).toBeLessThan(0.15);
      }
    }
  });

  it('leaves a single component unchanged, without a warning', async () => {
    const model = await arrests();
    for (const method of METHODS) {
      const { loadings, warnings } = await rotate(model, { method, k: 1 });
      expectClose(loadings.data, model.loadings.data.subarray(0, 4), 1e-15);
      expect(warnings).toEqual([]);
    }
  });

  it('refuses options that it does not have, and components without variance', async () => {
    const model = await arrests();
    await expect(rotate(model, { method: 'equamax' as 'varimax' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(rotate(model, {} as RotateOptions)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(rotate(model, { method: 'varimax', kaiser: true } as RotateOptions)).rejects.toMatchObject({
      code: 'UNKNOWN_OPTION',
    });
    await expect(rotate(model, { method: 'varimax', k: 3 })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    const flat = await pca(
      [
        [1, 2],
        [2, 4],
        [3, 6],
      ],
      { k: 2 },
    );
    await expect(rotate(flat, { method: 'varimax', k: 2 })).rejects.toThrow('1 component with variance');
    expect((await rotate(flat, { method: 'varimax' })).k).toBe(1);
  });

  it('stops when it is aborted', async () => {
    const model = await arrests();
    await expect(rotate(model, { method: 'oblimin', signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
  });
});

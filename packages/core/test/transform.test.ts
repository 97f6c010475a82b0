import { famd } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { loadTransform, ModelError } from '../src/transform.js';

const { normal } = random(Number(process.env.SCREE_SEED));
const [n, d, k] = [30, 5, 3];
const rows = Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => normal() * (j + 1) + 10 * j));

const failure = (source: unknown): unknown => {
  try {
    return loadTransform(source as object);
  } catch (error) {
    return error;
  }
};

describe('@scree/core/transform', () => {
  it.each([false, 'pca', 'zca'] as const)('computes the scores and rows of the model, whiten: %s', async (whiten) => {
    const model = await pca(rows, { k, whiten, scale: 'unit' });
    for (const stored of [model.toBinary(), JSON.stringify(model), structuredClone(model)]) {
      const applied = loadTransform(stored);
      const scores = await model.transform(rows);
      expect(applied.transform(rows)).toMatchObject({ rows: scores.rows, cols: scores.cols });
      applied.transform(rows).data.forEach((value, i) => {
        expect(Math.abs(value - scores.data[i])).toBeLessThan(1e-12);
      });
      const back = await model.inverseTransform(scores);
      applied.inverseTransform(scores).data.forEach((value, i) => {
        expect(Math.abs(value - back.data[i])).toBeLessThan(1e-10);
      });
    }
  });

  it('takes records, matrices, one row and no rows', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const model = await pca(rows, { k, columnNames: names });
    const applied = loadTransform(model.toBinary());
    const expected = applied.transform(rows);
    const records = rows.map((row) => ({
      other: 'text',
      ...Object.fromEntries(names.map((name, j) => [name, row[j]])),
    }));
    expect(applied.transform(records).data).toEqual(expected.data);
    expect(applied.transform({ rows: n, cols: d, data: Float64Array.from(rows.flat()) }).data).toEqual(expected.data);
    expect(applied.transform(rows[7]).data).toEqual(expected.row(7));
    expect(applied.transform([])).toMatchObject({ rows: 0, cols: k });
    expect(applied.transform(rows.map((row) => Float32Array.from(row))).data).toBeInstanceOf(Float32Array);
    expect(applied.columnNames).toEqual(names);
  });

  it('takes one record, with other columns too', async () => {
    const model = await pca(rows, { k, columnNames: ['a', 'b', 'c', 'd', 'e'] });
    const [a, b, c, dd, e] = rows[7];
    const expected = loadTransform(model).transform(rows).row(7);
    const record = { a, b, c, d: dd, e };
    expect(loadTransform(model).transform(record).data).toEqual(expected);
    expect(loadTransform(model).transform({ ...record, name: 'x', tags: ['y'] } as never).data).toEqual(expected);
  });

  it('refuses a model with any part missing or wrong, and says which', async () => {
    const { components, ...others } = structuredClone(await pca(rows, { k }));
    const record: Record<string, unknown> = { ...others, components };
    expect(loadTransform(record).k).toBe(k);
    const needed = ['scale', 'variances', 'varianceRatios', 'singularValues', 'totalVariance', 'noiseVariance', 'n'];
    for (const name of [...needed, 'totalWeight', 'ddof', 'centered', 'whiten', 'uniqueness']) {
      for (const value of [undefined, null, {}]) {
        expect(failure({ ...record, [name]: value }), name).toMatchObject({
          name: 'ModelError',
          code: 'BAD_MODEL',
          message: expect.stringContaining(name),
        });
      }
    }
    const wrong: [object, RegExp][] = [
      [{ components: { ...components, data: components.data.map((x) => 1.1 * x) } }, /components are not orthonormal/],
      [{ components: { ...components, rows: k + 1 } }, /components has 15 numbers, not 20/],
      [{ components: { data: components.data } }, /components cannot be undefined × undefined/],
      [{ mean: Float64Array.of(1, 2, 3, 4, Number.NaN) }, /mean holds a value that is not finite/],
      [{ scale: new Float64Array(d) }, /scale holds a value that cannot be a divisor/],
      [{ n: 0 }, /n is 0/],
      [{ varianceRatios: Float64Array.of(1.4, 0.2, 0.1) }, /no share is above 1/],
      [{ ddof: n }, /is not above ddof/],
      [{ columnNames: ['a'] }, /columnNames are not 5 names/],
      [{ uniqueness: { rank: k + 1 } }, /uniqueness\.rank is 4/],
      [{ whiten: 'yes' }, /whiten is "yes"/],
    ];
    for (const [part, message] of wrong) {
      const error = failure({ ...record, ...part });
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toHaveProperty('message', expect.stringMatching(message));
    }
    for (const nothing of [{}, [], null, 7, 'x', { mean: record.mean }, { mean: record.mean, components: null }]) {
      expect(failure(nothing), String(nothing)).toHaveProperty('code', 'BAD_MODEL');
    }
    const throwing = Object.defineProperty({ ...record }, 'n', { get: () => { throw new Error('no'); } }); // biome-ignore format: one line
    expect(failure(throwing)).toHaveProperty('message', 'This is not a model: no.');
  });

  it('refuses rows of another width, values that are not finite, and models that code their columns', async () => {
    const applied = loadTransform((await pca(rows, { k })).toBinary());
    expect(() => applied.transform([[1, 2]])).toThrow(/Row 1 has 2 columns, and 5 are needed/);
    const sparse = { rows: 1, cols: d, indptr: [0, 1], indices: [0], data: Float64Array.of(1) };
    expect(() => applied.transform(sparse as never)).toThrow(/Sparse matrices.*loadModel/);
    expect(() => applied.transform([[1, 2, 3, 4, Number.POSITIVE_INFINITY]])).toThrow(/row 1, column 5 is Infinity/);
    const coded = await famd({ kind: ['a', 'b', 'a', 'b'], x: [1, 2, 3, 5] }, { k: 1 });
    expect(() => loadTransform(coded.toBinary())).toThrow(/codes its columns.*loadModel/);
    expect(() => loadTransform(new Uint8Array(40))).toThrow(/not a model/);
  });
});

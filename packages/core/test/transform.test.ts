import { describe, expect, it } from 'vitest';
import { famd, pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { loadTransform } from '../src/transform.js';

const { normal } = random(Number(process.env.SCREE_SEED));
const [n, d, k] = [30, 5, 3];
const rows = Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => normal() * (j + 1) + 10 * j));

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

  it('refuses rows of another width, values that are not finite, and models that code their columns', async () => {
    const applied = loadTransform((await pca(rows, { k })).toBinary());
    expect(() => applied.transform([[1, 2]])).toThrow(/have 2 columns, and 5 are needed/);
    const sparse = { rows: 1, cols: d, indptr: [0, 1], indices: [0], data: Float64Array.of(1) };
    expect(() => applied.transform(sparse as never)).toThrow(/Sparse matrices.*loadModel/);
    expect(() => applied.transform([[1, 2, 3, 4, Number.NaN]])).toThrow(/not finite: row 1, column 5/);
    const coded = await famd({ kind: ['a', 'b', 'a', 'b'], x: [1, 2, 3, 5] }, { k: 1 });
    expect(() => loadTransform(coded.toBinary())).toThrow(/codes its columns.*loadModel/);
    expect(() => loadTransform(new Uint8Array(40))).toThrow(/not a model/);
  });
});

import { createContext, runInContext } from 'node:vm';
import { famd, withinGroups } from '@scree/analysis';
import { type Data, loadModel, Model, pca, toRows } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { descend } from '../../../src/learn/index.js';
import { pcaSync } from '../../../src/pca-sync.js';
import { loadTransform } from '../../../src/transform.js';
import { withSpectrum } from '../../support/data.js';

const rows = withSpectrum(12, 3, (i) => 3 - i).map((row) => row.map((x) => Math.fround(x)));
const names = ['a', 'b', 'c'];
const records = rows.map((row) => Object.fromEntries(row.map((x, j) => [names[j], x])));

/** A copy without the entry `at`: the array is as long as before. */
function withHole<Item>(items: readonly Item[], at: number): Item[] {
  const copy = [...items];
  delete copy[at];
  return copy;
}

describe.each([0, 1, 11])('a hole in place of entry %i', (at) => {
  const forms: [string, () => unknown][] = [
    ['lists', () => withHole(rows, at)],
    ['typed arrays', () => withHole(rows.map((row) => Float32Array.from(row)), at)], // biome-ignore format: one line
    ['records', () => withHole(records, at)],
    ['an iterable', () => withHole(rows, at).values()],
  ];
  it.each(forms)('is an error that names the row: %s', async (_, make) => {
    const message = new RegExp(`^Row ${at + 1} is undefined, not an array`);
    const error = { message: expect.stringMatching(message), details: { row: at } };
    await expect(pca(make() as Data)).rejects.toMatchObject(error);
    const model = await pca(rows, { k: 2, columnNames: names });
    await expect(model.transform(make() as Data)).rejects.toMatchObject(error);
    if (!Array.isArray(make())) return;
    expect(() => pcaSync(make() as number[][])).toThrow(message);
    expect(() => loadTransform(model).transform(make() as number[][])).toThrow(message);
    await expect(famd(make() as never)).rejects.toThrow(new RegExp(`^Row ${at + 1} is undefined`));
    expect(() => descend(make() as number[][], { rule: 'autoencoder' })).toThrow(message);
  });

  it('of a column by name is an error that names the row and the column', async () => {
    const columns = Object.fromEntries(names.map((name, j) => [name, rows.map((row) => row[j])]));
    columns.b = withHole(columns.b, at);
    await expect(pca(columns)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^Row ${at + 1}, column "b" holds undefined\\. A value is miss`)),
      details: { row: at, columnName: 'b' },
    });
  });
});

describe('a hole', () => {
  it('in a row, in weights and in a list of matrices is an error that says where', async () => {
    const inRow = rows.map((row, i) => (i === 4 ? withHole(row, 1) : row));
    await expect(pca(inRow)).rejects.toThrow(/Row 5, column 2 holds undefined\. A value is missing/);
    const weights = withHole(rows.map(() => 1), 4); // biome-ignore format: one line
    await expect(pca(rows, { weights })).rejects.toThrow(/weight of row 5 is undefined/);
    const matrix = { rows: 12, cols: 3, data: Float64Array.from(rows.flat()) };
    await expect(pca(withHole([matrix, matrix, matrix], 1))).rejects.toThrow(/^Row 13 is undefined/);
  });

  it('in the labels of groups is an error that names the row', async () => {
    const labels = withHole(rows.map((_, i) => `group ${i % 2}`), 4); // biome-ignore format: one line
    await expect(withinGroups(rows, labels)).rejects.toMatchObject({
      message: 'Row 5 has no group. Give it a label, or leave the row out.',
      details: { row: 4 },
    });
  });

  it('in a row of a table with categories is a missing value', async () => {
    const table = rows.map((row, i) => [i % 2 ? 'x' : 'y', ...row]);
    const holed = table.map((row, i) => (i === 4 ? withHole(row, 1) : row));
    await expect(famd(holed)).rejects.toMatchObject({ code: 'MISSING_VALUES', details: { row: 4 } });
  });
});

/** Classes of another realm, as those of an iframe or of a test in Jest: `instanceof` knows none of them. */
const realm = createContext({ rows, records, names });
const foreign = (code: string): unknown => runInContext(code, realm);

describe('arrays of another realm are read like those of this one:', () => {
  const data = Float64Array.from(rows.flat());
  const forms: [string, string, () => unknown][] = [
    ['a float64 matrix', '({ rows: 12, cols: 3, data: Float64Array.from(rows.flat()) })', () => ({ rows: 12, cols: 3, data })],
    ['a float32 matrix', '({ rows: 12, cols: 3, data: Float32Array.from(rows.flat()) })', () => ({ rows: 12, cols: 3, data: Float32Array.from(data) })],
    ['a matrix of bytes', '({ rows: 12, cols: 3, data: Uint8Array.from(rows.flat(), (x) => 50 + 40 * x) })', () => ({ rows: 12, cols: 3, data: Uint8Array.from(data, (x) => 50 + 40 * x) })],
    ['half-precision bits', '({ rows: 12, cols: 3, dtype: "float16", data: Uint16Array.from(rows.flat(), (x) => 0x3c00 + 100 * x) })', () => ({ rows: 12, cols: 3, dtype: 'float16', data: Uint16Array.from(data, (x) => 0x3c00 + 100 * x) })],
    ['lists', 'rows.map((row) => Array.from(row))', () => rows],
    ['typed rows', 'rows.map((row) => Float32Array.from(row))', () => rows.map((row) => Float32Array.from(row))],
    ['records', 'records.map((record) => ({ ...record }))', () => records],
    ['columns by name', 'Object.fromEntries(names.map((name, j) => [name, Float32Array.from(rows, (row) => row[j])]))', () => Object.fromEntries(names.map((name, j) => [name, Float32Array.from(rows, (row) => row[j])]))],
    ['a sparse matrix', '({ rows: 3, cols: 2, indptr: Int32Array.of(0, 1, 3, 4), indices: Uint32Array.of(0, 0, 1, 1), data: Float64Array.of(1, 5, 2, 7) })', () => ({ rows: 3, cols: 2, indptr: [0, 1, 3, 4], indices: [0, 0, 1, 1], data: Float64Array.of(1, 5, 2, 7) })],
    ['entries of a sparse matrix', '({ rows: 3, cols: 2, row: [0, 1, 2], col: [1, 0, 1], data: Int8Array.of(1, 5, 2) })', () => ({ rows: 3, cols: 2, row: [0, 1, 2], col: [1, 0, 1], data: Int8Array.of(1, 5, 2) })],
    ['a generator', '(function* () { yield* rows.map((row) => Float32Array.from(row)); })()', () => rows.map((row) => Float32Array.from(row)).values()],
    ['an async generator', '(async function* () { yield* rows.map((row) => Float32Array.from(row)); })()', () => rows.map((row) => Float32Array.from(row)).values()],
  ]; // biome-ignore format: one line each
  it.each(forms)('%s', async (_, code, own) => {
    const expected = await pca(own() as Data, { k: 2 });
    const model = await pca(foreign(code) as Data, { k: 2 });
    expect(model.dtype).toBe(expected.dtype);
    expect(model.toBinary()).toEqual(expected.toBinary());
    const scores = await expected.transform(foreign(code) as Data);
    expect(scores.data).toEqual((await expected.transform(own() as Data)).data);
  });

  it('blocks of a source, weights, scales, and the parts of a model', async () => {
    const expected = await pca(rows, { k: 2, weights: rows.map((_, i) => 1 + (i % 2)), scale: [1, 2, 4] });
    const source = foreign(`({ cols: 3, dtype: 'float64', rereadable: true, resident: false, blocks: () =>
      [{ kind: 'dense', rows: 12, cols: 3, stride: 3, data: Float64Array.from(rows.flat()) }] })`);
    const options = foreign('({ weights: Float64Array.from(rows, (_, i) => 1 + (i % 2)), scale: Float32Array.of(1, 2, 4) })'); // biome-ignore format: one line
    for (const engine of ['wasm', 'reference'] as const) {
      const model = await pca(source as Data, { k: 2, engine, ...(options as object) });
      model.variances.forEach((value, i) => {
        expect(Math.abs(value - expected.variances[i])).toBeLessThan(1e-12);
      });
    }
    const { components, ...others } = structuredClone(expected);
    const own: object = { ...others, components };
    const copies = Object.fromEntries(
      Object.entries(own)
        .filter(([, value]) => value instanceof Float64Array)
        .map(([name, value]) => [name, inRealm(value)]),
    );
    const copy = { ...own, ...copies, components: { ...components, data: inRealm(components.data) } };
    expect(Object.keys(copies)).toContain('spectrum');
    for (const model of [loadModel(copy), new Model(copy as Model)])
      expect(model.toBinary()).toEqual(expected.toBinary());
    expect(toRows(loadTransform(copy).transform(rows))).toEqual(toRows(loadTransform(expected).transform(rows)));
  });

  it('one row of numbers', async () => {
    const model = await pca(rows, { k: 2 });
    const expected = (await model.transform(rows[4])).toRows();
    expect((await model.transform(foreign('Float64Array.from(rows[4])') as Data)).toRows()).toEqual(expected);
  });
});

/** The same numbers in an array of the other realm. */
function inRealm(numbers: Float64Array): Float64Array {
  realm.numbers = numbers;
  return foreign('Float64Array.from(numbers)') as Float64Array;
}

describe('of another realm, what cannot be read is named:', () => {
  it.each([
    ['({ rows: 1, cols: 2, data: BigInt64Array.of(1n, 2n) })', /data is a BigInt64Array\. Use Float64Array\.from/],
    ['({ rows: 1, cols: 1, data: new DataView(new ArrayBuffer(8)) })', /data is a DataView\. Use/],
    ['[new DataView(new ArrayBuffer(8))]', /Row 1 is a DataView, not an array of numbers/],
    ['Float64Array.of(1, 2)', /A plain Float64Array has no shape/],
    ['new Map([[1, 2], [3, 4]])', /a Map, which yields \[key, value\]/],
    ['[new Map([[1, 2]])]', /Row 1 is a Map/],
    ['[new Set([1, 2])]', /Row 1 is a Set/],
    ['Promise.resolve(1)', /a promise\. Pass await data/],
    ['[[1, new Date(0)], [3, new Date(0)]]', /holds a Date \(1970-01-01T00:00:00\.000Z\)\..*with Number/],
  ])('%s', async (code, message) => {
    await expect(pca(foreign(code) as Data)).rejects.toThrow(message);
  });

  it('a Buffer, whose bytes may be other numbers', async () => {
    realm.bytes = Buffer.from([1, 2, 3, 4]);
    await expect(pca(foreign('[bytes, bytes]') as Data)).rejects.toThrow(/Row 1 is a Buffer, and it is not known/);
    const { mean } = await pca(foreign('({ rows: 2, cols: 2, data: bytes })') as Data);
    expect(Array.from(mean)).toEqual([2, 3]);
  });
});

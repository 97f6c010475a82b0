import { inspect } from 'node:util';
import { famd } from '@scree/analysis';
import { loadModel, pca, RowMatrix, toRows } from '@scree/core';
import { tableFromArrays } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { loadTransform } from '../../../src/transform.js';

const rows = [
  [1, 2, 0],
  [3, 5, 1],
  [4, 4, 2],
  [8, 9, 1],
];
const model = await pca(rows, { k: 2, columnNames: ['a', 'b', 'c'] });

describe('scores', () => {
  it('are iterable by row, and give rows and columns in the forms that others take', async () => {
    const scores = await model.transform(rows);
    const list = scores.toRows();
    expect(list).toEqual(toRows(scores));
    expect(Array.from(scores, (row) => Array.from(row))).toEqual(list);
    expect(Array.from(scores.row(2))).toEqual(list[2]);
    expect(Array.from(scores.column(1))).toEqual(list.map((row) => row[1]));
    expect(Object.keys(scores.toColumns())).toEqual(['PC1', 'PC2']);
    expect(tableFromArrays(scores.toColumns()).numRows).toBe(4);
    expect(Object.keys((await model.inverseTransform(scores)).toColumns())).toEqual(['a', 'b', 'c']);
    expect(() => scores.column(2)).toThrow(/no column 2: this matrix has 2 columns, counted from 0/);
    expect(() => scores.row(-1)).toThrow(/no row -1/);
  });

  it('join the records of the user, and name their columns', async () => {
    const people = ['p', 'q', 'r', 's'].map((name) => ({ name }));
    const scores = await model.transform(rows);
    const records = scores.toRecords(people);
    expect(Object.keys(records[2])).toEqual(['name', 'PC1', 'PC2']);
    expect(records.map(({ name }) => name)).toEqual(['p', 'q', 'r', 's']);
    expect(records.map((each) => [each.PC1, each.PC2])).toEqual(scores.toRows());
    expect(scores.toRecords()).toEqual(scores.toRows().map(([PC1, PC2]) => ({ PC1, PC2 })));
    expect(scores.column('PC2')).toEqual(scores.column(1));
    expect(model.components.column('b')).toEqual(model.components.column(1));
    expect(people).toEqual(['p', 'q', 'r', 's'].map((name) => ({ name })));
    expect(() => scores.column('PC3')).toThrow(/no column "PC3". The columns are PC1, PC2/);
    expect(() => scores.toRecords(people.slice(1))).toThrow(/given 3 rows, and this matrix has 4/);
  });

  it('are printed as a table, with what is left out', async () => {
    const scores = await model.transform(rows);
    const lines = String(scores).split('\n');
    expect(lines.length).toBe(6);
    expect(lines[1].trim().split(/ +/)).toEqual(['PC1', 'PC2']);
    lines.slice(2).forEach((line, i) => {
      const printed = line.trim().split(/ +/).map(Number);
      printed.forEach((value, c) => {
        expect(value).toBe(Number(scores.row(i)[c].toPrecision(4)));
      });
    });
    expect(inspect(scores)).toBe(String(scores));
    expect(String(new RowMatrix(8, 9, new Float64Array(72)))).toMatch(
      /^8 × 9 matrix[\s\S]*… 2 more rows, 3 more columns$/,
    );
  });

  it('can be analysed again, and survive structuredClone as a matrix', async () => {
    const scores = await model.transform(rows);
    const again = await pca(structuredClone(scores), { k: 2 });
    again.variances.forEach((value, i) => {
      expect(Math.abs(value - model.variances[i])).toBeLessThan(1e-12 * model.variances[0]);
    });
    expect((await pca(scores, { k: 1 })).variances[0]).toBe(
      (await pca(structuredClone(scores), { k: 1 })).variances[0],
    );
  });
});

describe('a model', () => {
  it('transforms one row, by position or by name, and no rows', async () => {
    const expected = (await model.transform(rows)).toRows()[1];
    expect((await model.transform([3, 5, 1])).toRows()).toEqual([expected]);
    expect((await model.transform(Float64Array.of(3, 5, 1))).toRows()).toEqual([expected]);
    expect((await model.transform({ a: 3, b: 5, c: 1 })).toRows()).toEqual([expected]);
    for (const none of [[], { rows: 0, cols: 3, data: new Float64Array(0) }]) {
      const scores = await model.transform(none);
      expect([scores.rows, scores.cols, scores.data.length]).toEqual([0, 2, 0]);
    }
    expect((await model.inverseTransform(expected)).rows).toBe(1);
    await expect(model.transform([3, 5])).rejects.toThrow(/have 2 columns/);
    const predicted = await model.transform([3, null, 1] as never);
    expect(predicted.toRows()).toEqual((await model.transform([3, Number.NaN, 1])).toRows());
    expect(Number.isFinite(predicted.data[0])).toBe(true);
    await expect(model.transform([3, null, 1] as never, { missing: 'error' })).rejects.toThrow(
      /Row 1, column 2 holds null\. A value is miss/,
    );
  });

  it('transforms one record with other columns too, as it transforms a list of one', async () => {
    const expected = (await model.transform(rows)).toRows()[1];
    const others = [
      { name: 'x' },
      { when: new Date(0), tags: ['p', 'q'], note: null },
      { blocks: 7, batches: 2, rows: 3, cols: 9, length: 2 },
    ];
    for (const other of others) {
      const record = { ...other, c: 1, a: 3, b: 5 };
      expect((await model.transform(record as never)).toRows()).toEqual([expected]);
      expect((await model.transform([record])).toRows()).toEqual([expected]);
    }
    const bad: [object, RegExp][] = [
      [{ a: 3, b: '5', c: 1 }, /Row 1, column "b" holds "5"/],
      [{ a: 3, c: 1, name: 'x' }, /Row 1 has no column "b"/],
      [{ a: 3, b: [5, 6], c: 1 }, /column "b" holds an array/],
      [{ kind: 'x' }, /Row 1 has no column "a"/],
    ];
    for (const [record, message] of bad) {
      await expect(model.transform(record as never)).rejects.toThrow(message);
      expect(() => loadTransform(model).transform(record as never)).toThrow(message);
    }
    const gap = { a: 3, b: null, c: 1, name: 'x' } as never;
    expect((await model.transform(gap)).toRows()).toEqual((await model.transform([3, Number.NaN, 1])).toRows());
    await expect(model.transform(gap, { missing: 'error' })).rejects.toThrow(
      /Row 1, column "b" holds null\. A value is missing/,
    );
    const columns = await model.transform({
      a: [1, 3],
      b: [2, 5],
      c: Float64Array.of(0, 1),
      name: ['x', 'y'],
    } as never);
    expect(columns.toRows()[1]).toEqual(expected);
  });

  it('with categories transforms one record', async () => {
    const table = [
      { colour: 'red', size: 1 },
      { colour: 'blue', size: 2 },
      { colour: 'red', size: 4 },
      { colour: 'blue', size: 3 },
    ];
    const coded = await famd(table, { k: 1 });
    const expected = (await coded.transform(table)).toRows()[2];
    expect((await coded.transform({ colour: 'red', size: 4, name: 'x' } as never)).toRows()).toEqual([expected]);
    expect((await coded.transform(['red', 4] as never)).toRows()).toEqual([expected]);
  });

  it('survives structuredClone: loadModel makes the copy a model again', async () => {
    const copy = loadModel(structuredClone(model));
    expect(copy.toJSON()).toEqual(model.toJSON());
    expect((await copy.transform(rows)).data).toEqual((await model.transform(rows)).data);
    const broken = structuredClone(model);
    broken.mean[0] = Number.NaN;
    expect(() => loadModel(broken)).toThrow(/mean holds a value that is not finite/);
  });

  it('is read from the bytes of either form', () => {
    const text = JSON.stringify(model);
    const forms = [
      Buffer.from(text),
      new TextEncoder().encode(text).buffer,
      Buffer.from(`\ufeff\n ${text}`),
      Buffer.from(model.toBinary()),
      model.toBinary().buffer as ArrayBuffer,
    ];
    for (const bytes of forms) expect(loadModel(bytes).toJSON()).toEqual(model.toJSON());
    expect(() => loadModel(Buffer.from('[1, 2]'))).toThrow(/does not begin with/);
  });
});

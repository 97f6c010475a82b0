import { betweenGroups, chooseComponents, famd } from '@scree/analysis';
import { type Data, pca } from '@scree/core';
import { tableFromArrays } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { pcaSync } from '../../../src/pca-sync.js';

const rows = Array.from({ length: 30 }, (_, i) => ({
  name: `row ${i}`,
  a: Math.sin(i),
  b: Math.cos(i * i),
  c: i % 7,
}));
type Records = readonly Readonly<Record<string, unknown>>[];

const columnsOf = (records: Records): Record<string, unknown[]> =>
  Object.fromEntries(['name', 'a', 'b', 'c'].map((name) => [name, records.map((record) => record[name])]));

/** The forms in which a table of records can be passed; those of columns know no missing key. */
const recordForms: [string, (records: Records) => Data][] = [
  ['records', (records) => records],
  ['a generator', (records) => records.values()],
  ['an async generator', async function* (records: Records) { yield* records; } as never], // biome-ignore format: one line
];
const columnForms: [string, (records: Records) => Data][] = [
  ['columns by name', (records) => columnsOf(records) as never],
  ['an Arquero table', (records) => arquero(columnsOf(records))],
  ['a Danfo.js frame', (records) => danfo(columnsOf(records))],
];

/** The members that are read of a table of Arquero and of a frame of Danfo.js. */
function arquero(columns: Record<string, unknown[]>): Data {
  const names = (): string[] => Object.keys(columns);
  return { columnNames: names, array: (name: string) => columns[name], numRows: () => 30, objects: names } as never;
}

function danfo(columns: Record<string, unknown[]>): Data {
  const names = Object.keys(columns);
  const values = columns.a.map((_, i) => names.map((name) => columns[name][i]));
  return { shape: [values.length, names.length], columns: names, values, iloc: () => undefined } as never;
}

const gaps: [string, unknown, RegExp][] = [
  ['null', null, /holds null\. A value is missing: drop the row or fill the value in/],
  ['undefined', undefined, /holds undefined\. A value is missing: drop the row/],
  ['an empty text', '', /holds ""\. A value is missing: drop the row/],
  ['a number written as text', '3.4', /holds "3\.4"\. It is a number written as text: convert "b" with Number/],
  ['a text', 'ill', /holds "ill"\. Only numbers can be analysed: convert "b" first, or leave it out \(columnNames/],
];

describe.each([...recordForms, ...columnForms])("columns: 'numeric' of %s", (_, form) => {
  it('leaves out columns without numbers, and names them in a warning', async () => {
    const records = rows.map((row, i) => ({ ...row, name: i === 0 ? null : row.name }));
    const { columnNames, warnings } = await pca(form(records), { columns: 'numeric' });
    expect(columnNames).toEqual(['a', 'b', 'c']);
    expect(warnings).toEqual([
      {
        code: 'COLUMNS_LEFT_OUT',
        message: 'Column "name" (text) was left out, because it holds no numbers.',
        details: { columns: [{ name: 'name', holds: 'text' }], count: 1 },
      },
    ]);
  });

  it.each([0, 1, 20, 29])(
    'never leaves out a column of numbers: a gap in row %i is an error that names it',
    async (at) => {
      for (const [, gap, remedy] of gaps) {
        const records = rows.map((row, i) => (i === at ? { ...row, b: gap } : row));
        const fit = pca(form(records), { columns: 'numeric' });
        await expect(fit).rejects.toMatchObject({
          code: 'NOT_A_NUMBER',
          message: expect.stringMatching(new RegExp(`^Row ${at + 1}, column "b" ${remedy.source}`)),
          details: { row: at, columnName: 'b' },
        });
      }
    },
  );
});

describe.each(recordForms)("columns: 'numeric' of %s", (_, form) => {
  it.each([0, 1, 29])('refuses a record without one of the keys, in row %i', async (at) => {
    const records = rows.map(({ b, ...row }, i) => (i === at ? row : { ...row, b }));
    await expect(pca(form(records), { columns: 'numeric' })).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
      message: `Row ${at + 1} has no column "b". Every record needs the same keys: fill the value in, or drop the row (pca has missing: 'drop' and 'mean').`,
      details: { row: at, columnName: 'b' },
    });
  });

  it('names columns of text that the first record does not have', async () => {
    const records = rows.map((row, i) => (i < 3 ? row : { ...row, note: 'late' }));
    const [warning] = (await pca(form(records), { columns: 'numeric' })).warnings;
    expect(warning.message).toBe('Columns "name" (text), "note" (text) were left out, because they hold no numbers.');
  });
});

describe("columns: 'numeric'", () => {
  it('says what the columns hold that it leaves out, and how to use numbers that are written as text', async () => {
    const records = rows.map(({ name, ...row }, i) => ({
      ...row,
      day: new Date(i),
      flag: i > 3,
      empty: null,
      price: String(i),
      mixed: i === 7 ? 'seven' : String(i),
      list: [i],
    }));
    const [warning] = (await pca(records, { columns: 'numeric' })).warnings;
    expect(warning.details?.columns).toEqual([
      { name: 'day', holds: 'dates' },
      { name: 'flag', holds: 'true or false' },
      { name: 'empty', holds: 'no values' },
      { name: 'price', holds: 'numbers written as text' },
      { name: 'mixed', holds: 'text' },
      { name: 'list', holds: 'other values' },
    ]);
    expect(warning.message).toMatch(/"mixed" \(text\), 1 more were left out.*convert them with Number\(…\) first/);
  });

  it('reads NaN as a number that is missing', async () => {
    const records = rows.map((row, i) => (i === 20 ? { ...row, b: Number.NaN } : row));
    await expect(pca(records, { columns: 'numeric' })).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 20, columnName: 'b' },
    });
  });

  it('refuses data without numbers, and names the columns', async () => {
    const texts = rows.map(({ name }) => ({ name, kind: 'x' }));
    for (const [, form] of recordForms) {
      await expect(pca(form(texts), { columns: 'numeric' })).rejects.toMatchObject({
        code: 'EMPTY_DATA',
        message: 'No column holds numbers: "name", "kind".',
      });
    }
  });

  it('is an option of pcaSync too', () => {
    const { columnNames, warnings } = pcaSync(rows, { columns: 'numeric' });
    expect(columnNames).toEqual(['a', 'b', 'c']);
    expect(warnings.map(({ code }) => code)).toEqual(['COLUMNS_LEFT_OUT']);
    const gap = rows.map((row, i) => (i === 20 ? { ...row, b: null } : row));
    expect(() => pcaSync(gap, { columns: 'numeric' })).toThrow(/Row 21, column "b" holds null/);
  });

  it('is an option of chooseComponents and of PCA between groups, and of no method for text', async () => {
    const options = { columns: 'numeric', k: 2 } as const;
    expect((await chooseComponents(rows, { ...options, criteria: ['kaiser'] })).criteria).toHaveLength(1);
    const groups = rows.map((_, i) => `group ${i % 3}`);
    expect((await betweenGroups(rows, groups, { columns: 'numeric' })).means.cols).toBe(3);
    await expect(famd(rows as never, options as never)).rejects.toThrow(/famd has no option columns/);
  });

  it('looks at every batch of a stream of tables', async () => {
    const batch = (b: unknown[], note: string[]): unknown =>
      tableFromArrays({ a: Float64Array.of(1, 2, 3), b, note } as never).batches[0];
    const later = [batch([null, null, null], ['x', 'y', 'z']), batch([4, 5, 7], ['x', 'y', 'z'])];
    await expect(pca(later as never, { columns: 'numeric' })).rejects.toMatchObject({
      code: 'NOT_A_NUMBER',
      message: expect.stringMatching(/^Column "b" holds no number before row 4\. Values are missing, or text: fill/),
      details: { row: 3, columnName: 'b' },
    });
    const first = [batch([4, 5, 7], ['x', 'y', 'z']), batch([4, null, 7], ['x', 'y', 'z'])];
    await expect(pca(first as never, { columns: 'numeric' })).rejects.toThrow(/column "b" holds null/);
    const whole = [batch([4, 5, 7], ['x', 'y', 'z']), batch([1, 8, 7], ['x', 'y', 'z'])];
    const { columnNames, warnings } = await pca(whole as never, { columns: 'numeric' });
    expect(columnNames).toEqual(['a', 'b']);
    expect(warnings.map(({ message }) => message)).toEqual([
      'Column "note" (text) was left out, because it holds no numbers.',
    ]);
  });
});

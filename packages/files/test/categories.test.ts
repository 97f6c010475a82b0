/// <reference types="node" />
import { categories, famd, mca } from '@scree/analysis';
import { type Model, OptionError } from '@scree/core';
import { changeTable, readCells, type Table } from '@scree/core/data';
import { type DataFile, type FileOptions, openBlob } from '@scree/files';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { openCsv } from '../src/csv/csv-table.js';
import { openData } from '../src/open-table.js';
import { checkFileOptions } from '../src/options.js';
import { MIXED_ARROW } from './fixtures.js';
import { memoryFile } from './make.js';

type Cells = unknown[][];

const rows = Array.from({ length: 12 }, (_, i) => ({
  colour: ['red', 'green', 'blue', null][i % 4],
  x: ((i * 7) % 5) + 0.5,
  size: ['s', 'm', 'l'][i % 3],
  y: (i * i) % 7,
}));
const names = ['colour', 'x', 'size', 'y'] as const;
const csv = [names.join(), ...rows.map((row) => names.map((name) => row[name] ?? '').join())].join('\n');
const json = JSON.stringify(rows);
const parquet = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'colour', data: rows.map(({ colour }) => colour), type: 'STRING' },
      { name: 'x', data: rows.map(({ x }) => x), type: 'DOUBLE' },
      { name: 'size', data: rows.map(({ size }) => size), type: 'STRING' },
      { name: 'y', data: rows.map(({ y }) => y), type: 'DOUBLE' },
    ],
    rowGroupSize: [5, 7],
  }),
);
const files: [string, BlobPart][] = [
  ['x.csv', csv],
  ['x.json', json],
  ['x.ndjson', rows.map((row) => JSON.stringify(row)).join('\n')],
  ['x.parquet', parquet],
  ['x.arrow', Buffer.from(MIXED_ARROW, 'base64')],
];

const open = (name: string, content: BlobPart, options: FileOptions): Promise<DataFile> =>
  openBlob(new Blob([content]), { name, ...options });

async function cellsOf(table: Table): Promise<Cells> {
  const cells: Cells = [];
  for await (const batch of readCells(table)) {
    for (let i = 0; i < batch.rows; i++) cells.push(batch.columns.map((cell) => cell(i)));
  }
  return cells;
}

const sameModel = (a: Model, b: Model): void => {
  expect(a.coding).toEqual(b.coding);
  a.variances.forEach((value, i) => {
    expect(Math.abs(value - b.variances[i])).toBeLessThan(1e-12);
  });
};

describe.each(files)('categories of %s', (name, content) => {
  it('are in its table with the numbers, in the order of the file, with gaps as they are', async () => {
    const file = await open(name, content, { categories: true });
    expect(file.table.columns.map(({ name, kind }) => ({ name, kind }))).toEqual([
      { name: 'colour', kind: 'text' },
      { name: 'x', kind: 'number' },
      { name: 'size', kind: 'text' },
      { name: 'y', kind: 'number' },
    ]);
    expect(await cellsOf(file.table)).toEqual(rows.map((row) => names.map((each) => row[each])));
    expect(file.columns).toEqual(['x', 'y']);
    expect(file.leftOut).toEqual([]);
    await file.close();
  });

  it('give the same model as the records', async () => {
    const file = await open(name, content, { categories: true });
    const expected = await famd(rows, { k: 3, missing: 'level' });
    const model = await famd(file.table, { k: 3, missing: 'level' });
    sameModel(model, expected);
    expect(Array.from((await model.transform(file.table)).data)).toEqual(
      Array.from((await model.transform(rows)).data),
    );
    const texts = await mca(file.table, { k: 2, columnNames: ['size', 'y'] });
    expect(categories(texts)[1].levels.map(({ level }) => level)).toEqual(['0', '1', '2', '4']);
    await file.close();
  });
});

describe('categories of a file', () => {
  const table = (options: FileOptions): Promise<DataFile> => open('x.csv', csv, options);

  it('are chosen by name or all, and keep to columns, exclude, label and weight', async () => {
    const columnsOf = async (options: FileOptions): Promise<string[]> =>
      (await table(options)).table.columns.map(({ name, kind }) => `${name} ${kind}`);
    expect(await columnsOf({ categories: ['size', 'y'] })).toEqual(['x number', 'size text', 'y text']);
    expect(await columnsOf({ categories: true, exclude: ['colour', 'x'] })).toEqual(['size text', 'y number']);
    expect(await columnsOf({ categories: true, columns: ['y', 'size'] })).toEqual(['y number', 'size text']);
    expect(await columnsOf({ categories: true, label: 'colour', weight: 'y' })).toEqual(['x number', 'size text']);
    expect(await columnsOf({})).toEqual(['x number', 'y number']);
    expect((await table({ categories: ['size'] })).leftOut).toMatchObject([{ name: 'colour', why: 'text' }]);
    await expect(table({ categories: ['hue'] })).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    await expect(table({ columns: ['x', 'size'] })).rejects.toMatchObject({ code: 'NOT_A_NUMBER' });
  });

  it('can be all that a file has', async () => {
    const file = await open('x.csv', 'a,b\nu,v\nu,w\nt,v\n', { categories: true });
    expect((await mca(file.table, { k: 2 })).columnNames).toEqual(['a=t', 'a=u', 'b=v', 'b=w']);
    await expect(open('x.csv', 'a,b\nu,v\nu,w\nt,v\n', {})).rejects.toThrow(/no numeric column/);
  });

  it('are read in one pass of CSV whose records are cut anywhere, and column by column if a format gives one at a time', async () => {
    const quoted = csv.replaceAll('green', '"gr,""een"');
    const texts = async (change: (table: Table) => Table, window: number) => {
      const opened = await openCsv(memoryFile(Buffer.from(quoted)), { memory: 2 ** 24, window });
      const file = await openData(change(opened), checkFileOptions({ categories: true }), {
        path: 'x',
        bytes: undefined,
      });
      return cellsOf(file.table);
    };
    let readings = 0;
    const counted = (table: Table): Table =>
      changeTable(table, {
        read: (request) => {
          readings++;
          return table.read(request);
        },
      });
    const whole = await texts(counted, 1 << 20);
    expect(whole[1][0]).toBe('gr,"een');
    expect(readings).toBe(1);
    expect(await texts((table) => table, 16)).toEqual(whole);
    expect(await texts((table) => changeTable(counted(table), { manyTexts: false }), 16)).toEqual(whole);
    expect(readings).toBe(3);
    const once = (table: Table): Table => changeTable(table, { manyTexts: false, rereadable: false });
    await expect(texts(once, 16)).rejects.toBeInstanceOf(OptionError);
  });

  it('go with weights', async () => {
    const file = await table({ categories: ['size'], weight: 'y' });
    const weights = await file.weights();
    expect(weights).toEqual(Float64Array.from(rows, ({ y }) => y));
    sameModel(
      await famd(file.table, { k: 2, weights: weights as Float64Array }),
      await famd(rows, { k: 2, columnNames: ['x', 'size'], weights: weights as Float64Array }),
    );
    await expect(table({ categories: 'size' as never })).rejects.toThrow(/categories must be true, 'only' or a list/);
  });

  const gaps = 'x,size,w,name\n1,s,1,a\n2,,1,b\n,l,1,c\n4,m,,d\n5,l,2,e\n6,s,1,f\n';

  it('are left out with rows that have gaps in numbers, categories or the weight, and places stay those of the file', async () => {
    const file = await openBlob(new Blob([gaps]), {
      format: 'csv',
      categories: true,
      missing: 'drop',
      weight: 'w',
      label: 'name',
    });
    expect(await read(file.table)).toEqual([
      [1, 's', 0],
      [5, 'l', 4],
      [6, 's', 5],
    ]);
    expect(await file.weights()).toEqual(Float64Array.of(1, 2, 1));
    expect((await file.labels()).names).toEqual(['a', 'e', 'f']);
    expect(await file.rowsInFile([0, 1, 2])).toEqual([0, 4, 5]);
    expect([file.rows, file.dropped]).toEqual([3, 3]);
    const beside: unknown[] = [];
    for await (const { block, places, names, categories } of file.withSupplementary())
      beside.push([Array.from(block.data.subarray(0, block.rows)), places, names, categories]);
    expect(beside).toEqual([[[1, 5, 6], [0, 4, 5], ['a', 'e', 'f'], [['s', 'l', 's']]]]);
    const [warning] = (await file.table.warnings?.()) ?? [];
    expect(warning).toMatchObject({ code: 'ROWS_DROPPED', details: { count: 3, rows: 6 } });
    expect(warning?.details?.columns).toEqual([
      { name: 'x', count: 1 },
      { name: 'w', count: 1 },
      { name: 'size', count: 1 },
    ]);
  });

  it("can be all that is read, and columns of numbers can be categories: 'only' and codes", async () => {
    const only = await openBlob(new Blob([gaps]), {
      format: 'csv',
      categories: 'only',
      exclude: ['name'],
      codes: ['w'],
    });
    expect(only.table.columns.map(({ name, kind }) => ({ name, kind }))).toEqual([
      { name: 'size', kind: 'text' },
      { name: 'w', kind: 'text' },
    ]);
    expect(only.leftOut.map(({ name, why }) => [name, why])).toContainEqual(['x', 'numbers']);
    const chosen = await openBlob(new Blob([gaps]), { format: 'csv', categories: 'only', columns: ['x', 'size'] });
    expect(chosen.table.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['x', 'text'],
      ['size', 'text'],
    ]);
  });

  it('of one level can be the rows that are read', async () => {
    const file = await openBlob(new Blob([gaps]), { format: 'csv', only: { column: 'size', level: 's' } });
    const values: number[] = [];
    for await (const block of file.source.blocks()) for (let i = 0; i < block.rows; i++) values.push(block.data[2 * i]);
    expect(values).toEqual([1, 6]);
    expect(file.columns).toEqual(['x', 'w']);
    expect(await file.rowsInFile([0, 1])).toEqual([0, 5]);
  });
});

/** The cells of a table, row by row, with the number of the row. */
async function read(table: DataFile['table']): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of readCells(table)) {
    for (let i = 0; i < batch.rows; i++) rows.push([...batch.columns.map((cell) => cell(i)), batch.rowNumber(i)]);
  }
  return rows;
}

/// <reference types="node" />
import { famd, mca } from '@scree/analysis';
import { OptionError } from '@scree/core';
import { readCells } from '@scree/core/data';
import { type DataFile, type FileOptions, openBlob } from '@scree/files';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';

const open = (content: BlobPart, options: FileOptions, name = 'x.csv'): Promise<DataFile> =>
  openBlob(new Blob([content]), { name, ...options });

/** The columns of a file as they are analysed, with null for what is missing. */
async function columnsOf(file: DataFile): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = Object.fromEntries(file.table.columns.map(({ name }) => [name, []]));
  for await (const batch of readCells(file.table)) {
    for (let i = 0; i < batch.rows; i++) {
      file.table.columns.forEach(({ name }, j) => {
        const cell = batch.columns[j](i);
        found[name].push(Number.isNaN(cell) ? null : cell);
      });
    }
  }
  return found;
}

async function numbersOf(file: DataFile): Promise<number[]> {
  const all: number[] = [];
  for await (const block of file.source.blocks()) all.push(...Array.from(block.data.slice(0, block.rows * block.cols)));
  return all;
}

const TEXTS = ['None', 'none', '.', '-', 'missing', 'NA', 'NaN', 'null', '?', 'yes'];
const csv = `x,t\n${TEXTS.map((text, i) => `${i},${text}`).join('\n')}\n10,\n`;

describe('a column of text', () => {
  it('misses a value only in empty cells: None, ., -, missing and NA are values', async () => {
    const file = await open(csv, { categories: true });
    expect((await columnsOf(file)).t).toEqual([...TEXTS, null]);
  });

  it('misses what na names too', async () => {
    const file = await open(csv, { categories: true, na: ['None', ' - '] });
    expect((await columnsOf(file)).t).toEqual([
      ...TEXTS.map((text) => (['None', '-'].includes(text) ? null : text)),
      null,
    ]);
  });

  it('keeps the rows of cars without airbags in FAMD and MCA', async () => {
    // As Cars93 has them: a third of the cars have the level None.
    const airbags = ['None', 'Driver only', 'Driver & Passenger'];
    const rows = Array.from({ length: 30 }, (_, i) => `${(i * 7) % 11},${airbags[i % 3]},${['Front', 'Rear'][i % 2]}`);
    const cars = `Price,AirBags,DriveTrain\n${rows.join('\n')}\n`;
    const file = await open(cars, { categories: true, missing: 'drop' });
    const model = await famd(file.table);
    expect(model.n).toBe(30);
    expect(file.dropped).toBe(0);
    const levels = (await mca((await open(cars, { categories: 'only' })).table)).coding?.columns[0];
    expect(levels).toMatchObject({ levels: ['Driver & Passenger', 'Driver only', 'None'] });
  });

  it('gives its markers as labels and as groups too', async () => {
    const file = await open(csv, { label: 't' });
    const { names, codes } = await file.labels();
    expect(names).toEqual(TEXTS);
    expect(codes[10]).toBe(-1);
  });

  it('takes NA in JSON as the text that it is, unless na names it', async () => {
    const json = JSON.stringify([
      { x: 1, t: 'NA' },
      { x: 2, t: 'a' },
    ]);
    expect((await columnsOf(await open(json, { categories: true }, 'x.json'))).t).toEqual(['NA', 'a']);
    expect((await columnsOf(await open(json, { categories: true, na: ['NA'] }, 'x.json'))).t).toEqual([null, 'a']);
  });
});

describe('a column of numbers', () => {
  const numbers = 'x,y\n1,2\nNA,3\n.,4\n-,5\nNone,6\nmissing,7\n?,8\n,9\n2,unknown\n3,-99\n4,-99.0\n';

  it('has missing values for empty cells and usual markers, and is not text because of them', async () => {
    const file = await open(numbers.replace(/unknown/, ''), {});
    expect(await file.countMissing()).toMatchObject({ columns: [{ name: 'x', count: 7 }, { name: 'y' }] });
  });

  it('misses the texts and the numbers of na too', async () => {
    const file = await open(numbers, { na: ['unknown', '-99'], missing: 'drop' });
    expect(await numbersOf(file)).toEqual([1, 2]);
    expect(await (await open(numbers, { na: ['unknown', '-99'] })).countMissing()).toMatchObject({
      columns: [
        { name: 'x', count: 7 },
        { name: 'y', count: 3 },
      ],
    });
  });

  it('names na in the error for a text among numbers', async () => {
    const file = await open(numbers, { columns: ['y'] });
    await expect(numbersOf(file)).rejects.toThrow(/name it in na/);
  });

  it('is one as text too: a number of na has no label', async () => {
    const file = await open('a,code\n1,7\n2,-99\n3,8\n', { label: 'code', na: ['-99'] });
    const { names, codes, numbers: values } = await file.labels();
    expect(names).toEqual(['7', '8']);
    expect([...codes]).toEqual([0, -1, 1]);
    expect(values?.[1]).toBeNaN();
  });
});

describe('a column whose kind only markers could tell', () => {
  it('is empty if it has nothing else', async () => {
    const file = await open('x,y,t\n1,2,None\n2,3,-\n', { categories: true });
    expect(file.leftOut).toMatchObject([{ name: 't', type: 'empty' }]);
  });

  it('is text if it has other text, and numbers if it has numbers', async () => {
    const file = await open('x,y,t\n1,NA,None\n2,3,low\n', { categories: true });
    expect(await columnsOf(file)).toEqual({ x: [1, 2], y: [null, 3], t: ['None', 'low'] });
  });

  it('is what na leaves: a column of numbers with a word, or of a word with numbers', async () => {
    const table = 'x,y\n1,unknown\n2,unknown\n3,5\n';
    expect((await open(table, { categories: true })).categories).toEqual(['y']);
    expect((await open(table, { categories: true, na: ['unknown'] })).columns).toEqual(['x', 'y']);
  });
});

describe('na in formats with types', () => {
  it('is missing in Parquet, among numbers and among texts', async () => {
    const parquet = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'x', data: [1.5, -999, 3], type: 'DOUBLE' },
          { name: 'f', data: [1, 0.1, 2], type: 'FLOAT' },
          { name: 't', data: ['a', 'None', 'b'], type: 'STRING' },
        ],
      }),
    );
    const asked = { categories: true, na: ['-999', '0.1', 'None'] } as const;
    expect(await columnsOf(await open(parquet, asked, 'x.parquet'))).toEqual({
      x: [1.5, null, 3],
      f: [1, null, 2],
      t: ['a', null, 'b'],
    });
  });

  it('is missing in an array of whole numbers, whose type has no NaN', async () => {
    const head = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }";
    const npy = Buffer.concat([
      Buffer.from('\x93NUMPY\x01\x00', 'latin1'),
      Buffer.from([118, 0]),
      Buffer.from(`${head.padEnd(117)}\n`),
      Buffer.from([1, 2, 255, 4, 5, 6]),
    ]);
    const file = await open(npy, { na: ['255'], missing: 'mean' }, 'x.npy');
    expect(await numbersOf(file)).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await file.source.warnings?.())?.map(({ code }) => code)).toContain('VALUES_FILLED');
  });

  it('must be a list of texts', async () => {
    // A caller without types may give anything.
    await expect(open(csv, { na: 'None' as never })).rejects.toThrow(OptionError);
  });
});

import {
  Field,
  Float64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { openArrow } from '../src/arrow/arrow-table.js';
import { openData } from '../src/open-table.js';
import { checkFileOptions, type FileOptions } from '../src/options.js';
import { TYPED_ARROW } from './fixtures.js';
import { memoryFile } from './make.js';
import { rowsOf } from './support.js';

async function read(content: Uint8Array, options: FileOptions = {}) {
  const table = await openArrow(memoryFile(content), { memory: 2 ** 24 });
  return openData(table, checkFileOptions(options), { path: 'test', bytes: undefined });
}

describe('Arrow', () => {
  const typed = Buffer.from(TYPED_ARROW, 'base64');

  it('has lists, vectors, decimals and dictionaries of numbers as columns, and leaves out what is nothing', async () => {
    const file = await read(typed, { missing: 'mean' });
    expect(file.columns).toEqual(['l[0]', 'l[1]', 'm[0]', 'm[1]', 'f[0]', 'd', 'w', 'i', 'h']);
    expect(file.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual(['e: empty', 'n: empty', 't: duration']);
    const rows = await rowsOf(file);
    expect(rows[0].filter((_, j) => j !== 1)).toEqual([1.5, 1, 2, 1, 1.5, 0.1, 50, 2.5]);
    expect(rows[1].slice(2)).toEqual([3, 4, 0, -2.25, -2.2, -7, 2.5]);
    expect(rows[2].slice(0, 4)).toEqual([3, 4, 5, 7]);
    expect(rows[3]).toEqual([5, 7, 9, 9, 1, -12345678901234568, 4, 50, 0.5]);
    const gaps = (await file.countMissing()).columns.map(({ name, count }) => `${name}: ${count}`);
    expect(gaps).toEqual(['l[0]: 1', 'l[1]: 2', 'f[0]: 1', 'd: 1', 'i: 1']);
  });

  it('has numbers of dictionaries as labels', async () => {
    const { numbers } = await (await read(typed, { label: 'i', missing: 'mean' })).labels();
    expect(numbers).toEqual(Float64Array.of(50, -7, Number.NaN, 50));
  });

  it('has each name once, as CSV and Parquet do', async () => {
    const fields = ['a', 'a', 'a_1'].map((name) => new Field(name, new Float64()));
    const children = [1, 2, 3].map((value) => vectorFromArray([value, value + 5, 7], new Float64()).data[0]);
    const data = makeData({ type: new Struct(fields), length: 3, children });
    const content = tableToIPC(new Table([new RecordBatch(new Schema(fields), data)]), 'file');
    const file = await read(content);
    expect(file.columns).toEqual(['a', 'a_1', 'a_1_1']);
    const again = await read(content, { columns: file.columns });
    expect(await rowsOf(again)).toEqual([
      [1, 2, 3],
      [6, 7, 8],
      [7, 7, 7],
    ]);
  });

  it('names the row whose list is longer than the first', async () => {
    const type = new List(new Field('item', new Float64()));
    const lists = vectorFromArray([[1, 2], null, [3, 4], [5, 6, 7]], type);
    const file = await read(tableToIPC(new Table({ v: lists }), 'file'));
    await expect(rowsOf(file)).rejects.toMatchObject({
      code: 'RAGGED_ROWS',
      message: expect.stringMatching(/^Row 4 .* a list of 3 in column "v", the first has 2/),
    });
  });
});

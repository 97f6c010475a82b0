/// <reference types="node" />
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pca, ScreeError } from '@scree/core';
import { type DataFile, type FileOptions, openBlob } from '@scree/files';
import { blobBytes } from '@scree/files/platform';
import fc from 'fast-check';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { pythonWith, runPython } from '../../../test/python.js';
import { runs } from '../../../test/sample.js';
import { readDeltas } from '../src/parquet/delta.js';
import { openParquet } from '../src/parquet/parquet-table.js';
import { PACKED_PARQUET } from './packed-parquet.js';

type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>;
type SchemaElement = NonNullable<Options['schema']>[number];

const written = (columnData: ColumnSource[], options: Options = {}): Uint8Array<ArrayBuffer> =>
  new Uint8Array(parquetWriteBuffer({ columnData, ...options }));

const open = (content: Uint8Array<ArrayBuffer>, options: FileOptions = {}): Promise<DataFile> =>
  openBlob(new Blob([content]), { name: 'x.parquet', ...options });

async function rowsOf(file: DataFile): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const block of file.source.blocks()) {
    if (block.kind !== 'dense') throw new Error('dense rows');
    for (let i = 0; i < block.rows; i++)
      rows.push(Array.from(block.data.subarray(i * block.stride, i * block.stride + block.cols)));
  }
  return rows;
}

async function readAll(content: Uint8Array<ArrayBuffer>, options: FileOptions = {}): Promise<number[][]> {
  const file = await open(content, options);
  try {
    return await rowsOf(file);
  } finally {
    await file.close();
  }
}

describe('a Parquet file', () => {
  const content = written([
    { name: 'id', data: ['a', 'b', 'a', 'ü'], type: 'STRING' },
    { name: 'x', data: Float64Array.of(1.5, 2.5, 3.5, -4.25), type: 'DOUBLE' },
    { name: 'f', data: Float32Array.of(1, 2, 3, 4), type: 'FLOAT' },
    { name: 'n', data: Int32Array.of(-1, 0, 1, 2), type: 'INT32' },
    { name: 'big', data: BigInt64Array.of(-(2n ** 40n), 5n, 2n ** 53n + 1n, 7n), type: 'INT64' },
    { name: 'ok', data: [true, false, true, true], type: 'BOOLEAN' },
    { name: 'when', data: [new Date(0), new Date(1), new Date(2), new Date(3)], type: 'TIMESTAMP' },
  ]);

  it('has columns of numbers, text and others', async () => {
    const file = await open(content, { label: 'id' });
    expect(file.format).toBe('Parquet');
    expect(file.columns).toEqual(['x', 'f', 'n', 'big', 'ok']);
    expect(file.leftOut).toEqual([
      { name: 'id', type: 'VARCHAR', why: 'label' },
      { name: 'when', type: 'TIMESTAMP', why: 'TIMESTAMP' },
    ]);
    expect(file.rows).toBe(4);
    for (let pass = 0; pass < 2; pass++) {
      expect(await rowsOf(file)).toEqual([
        [1.5, 1, -1, -(2 ** 40), 1],
        [2.5, 2, 0, 5, 0],
        [3.5, 3, 1, 2 ** 53, 1],
        [-4.25, 4, 2, 7, 1],
      ]);
    }
    const labels = await file.labels();
    expect(labels.names).toEqual(['a', 'b', 'ü']);
    expect([...labels.codes]).toEqual([0, 1, 0, 2]);
    await file.close();
    const numbers = await open(content, { label: 'n', columns: ['f', 'ok'] });
    expect(numbers.source.dtype).toBe('float32');
    expect((await numbers.labels()).numbers).toEqual(Float64Array.of(-1, 0, 1, 2));
    await numbers.close();
    await expect(open(content, { columns: ['when'] })).rejects.toMatchObject({ code: 'NOT_A_NUMBER' });
    const moments = await open(content, { label: 'when' });
    expect((await moments.labels()).names.slice(0, 2)).toEqual([
      '1970-01-01 00:00:00+00',
      '1970-01-01 00:00:00.001+00',
    ]);
    await moments.close();
  });

  it('is refused if it is several files glued together, whatever else they contain', async () => {
    const rows = Array.from({ length: 50 }, (_, i) => i / 2);
    const plain = written([{ name: 'x', data: rows, type: 'DOUBLE' }]);
    const indexed = written([{ name: 'x', data: rows, type: 'DOUBLE', columnIndex: true, offsetIndex: true }]);
    for (const file of [plain, indexed]) {
      expect(await readAll(file)).toHaveLength(50);
      for (const other of [plain, indexed]) {
        const glued = new Uint8Array([...other, ...file]);
        await expect(open(glued)).rejects.toMatchObject({
          code: 'UNSUPPORTED',
          message: expect.stringContaining('glued'),
        });
      }
    }
  });

  it("leaves pandas' index out, unless it is named", async () => {
    const indexed = written(
      [
        { name: 'x', data: Float64Array.of(1, 2, 4), type: 'DOUBLE' },
        { name: 'plot', data: Int32Array.of(7, 8, 9), type: 'INT32' },
        { name: '__index_level_1__', data: Int32Array.of(1, 2, 3), type: 'INT32' },
      ],
      { kvMetadata: [{ key: 'pandas', value: JSON.stringify({ index_columns: ['plot', '__index_level_1__'] }) }] },
    );
    const file = await open(indexed);
    expect(file.columns).toEqual(['x']);
    expect(file.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      'plot: row index',
      '__index_level_1__: row index',
    ]);
    await file.close();
    expect(await readAll(indexed, { columns: ['plot'] })).toEqual([[7], [8], [9]]);
  });

  it('leaves out what has no value in any row', async () => {
    const nothing = written(
      [
        { name: 'x', data: [1, 2, 4], type: 'DOUBLE' },
        { name: 'none', data: [null, null, null], type: 'DOUBLE', nullable: true },
      ],
      { rowGroupSize: 2 },
    );
    const file = await open(nothing);
    expect(file.columns).toEqual(['x']);
    expect(file.leftOut).toEqual([{ name: 'none', type: 'empty', why: 'empty' }]);
    await file.close();
  });

  it('may be packed with gzip as a whole', async () => {
    expect(await readAll(new Uint8Array(gzipSync(content)))).toHaveLength(4);
  });

  it.each(['PLAIN', 'DELTA_BINARY_PACKED', 'RLE_DICTIONARY'] as const)(
    'counts integers that float64 cannot hold, once per row however often it is read: %s',
    async (encoding) => {
      const large = [9007199254740993n, 9007199254740992n, null, -9007199254740995n, 5n, 9007199254740993n];
      const file = await open(
        written([
          { name: 'n', data: large, type: 'INT64', nullable: true, encoding },
          { name: 'm', data: BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 6n), type: 'INT64' },
        ]),
        { missing: 'drop' },
      );
      const values = large.filter((value) => value !== null).map(Number);
      for (let pass = 0; pass < 2; pass++) expect((await rowsOf(file)).map(([n]) => n)).toEqual(values);
      expect(await file.source.warnings?.()).toMatchObject([
        { code: 'INTEGERS_ROUNDED', details: { count: 3, columns: [{ name: 'n', count: 3 }] } },
        { code: 'ROWS_DROPPED', details: { count: 1, rows: 6 } },
      ]);
      await file.close();
    },
  );

  it('does not warn of large integers in a column that is not used', async () => {
    const file = await open(content, { columns: ['x', 'n'] });
    await rowsOf(file);
    expect(await file.source.warnings?.()).toEqual([]);
    await file.close();
  });

  it('has gaps if values are null', async () => {
    const gaps = written([
      { name: 'x', data: [1, null, 3, 4], type: 'DOUBLE', nullable: true },
      { name: 'n', data: [1, 2, undefined, 4], type: 'INT32', nullable: true },
      { name: 't', data: ['a', null, 'b', 'a'], type: 'STRING', nullable: true },
    ]);
    await expect(readAll(gaps)).rejects.toMatchObject({
      code: 'MISSING_VALUES',
      message: expect.stringMatching(/in 2 of 4 rows .*first in row 2: "x" \(1\), "n" \(1\)/),
    });
    expect(await readAll(gaps, { missing: 'drop' })).toEqual([
      [1, 1],
      [4, 4],
    ]);
    expect((await readAll(gaps, { missing: 'mean' }))[1][0]).toBeCloseTo(8 / 3, 14);
    const file = await open(gaps, { label: 't' });
    expect([...(await file.labels()).codes]).toEqual([0, -1, 1, 0]);
    await file.close();
  });

  it('is refused if a page of version 2 says another number of missing values than it has', async () => {
    const columns: ColumnSource[] = [{ name: 'x', data: [1, null, 3, 4], type: 'DOUBLE', nullable: true }];
    const bytes = written(columns, { codec: 'UNCOMPRESSED' });
    expect(await readAll(bytes, { missing: 'drop' })).toEqual([[1], [3], [4]]);
    // Four values, one of them missing, of four rows: numbers of Thrift's compact protocol, doubled.
    const at = Buffer.from(bytes).indexOf(Buffer.from([0x15, 8, 0x15, 2, 0x15, 8]));
    expect(at).toBeGreaterThan(0);
    for (const claimed of [0, 2, 4]) {
      const changed = Uint8Array.from(bytes);
      changed[at + 3] = 2 * claimed;
      await expect(readAll(changed, { missing: 'drop' })).rejects.toMatchObject({
        code: 'BAD_FILE',
        message: expect.stringContaining(`a page says that ${claimed} of its values are missing, and 1 are`),
      });
    }
  });

  it('is read whatever its encodings, codecs, pages and row groups', async () => {
    const encodings = {
      DOUBLE: ['PLAIN', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY'],
      FLOAT: ['PLAIN', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY'],
      INT32: ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY'],
      INT64: ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY'],
      STRING: ['PLAIN', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY', 'RLE_DICTIONARY'],
      BOOLEAN: ['PLAIN', 'RLE'],
    } as const;
    const table = fc.record({
      rows: fc.integer({ min: 1, max: 400 }),
      spread: fc.constantFrom(1, 2, 7, 300, 100_000),
      choice: fc.nat(11),
      nulls: fc.boolean(),
      codec: fc.constantFrom('UNCOMPRESSED' as const, 'SNAPPY' as const),
      pageSize: fc.constantFrom(64, 1000, 1 << 20),
      rowGroupSize: fc.constantFrom(37, 1000),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(table, async ({ rows, spread, choice, nulls, codec, pageSize, rowGroupSize, seed }) => {
        let state = seed >>> 0;
        const next = (): number => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          return Math.floor((state / 2 ** 32) * spread) - Math.floor(spread / 3);
        };
        const make = <Value>(of: (value: number) => Value): (Value | null)[] =>
          Array.from({ length: rows }, (_, i) => (nulls && (i * 7 + seed) % 3 === 0 ? null : of(next())));
        const data = {
          DOUBLE: make((value) => value / 3),
          FLOAT: make((value) => Math.fround(value / 3)),
          INT32: make((value) => value * 1000),
          INT64: make((value) => BigInt(value) * 2n ** 34n),
          STRING: make((value) => `text ${value}`),
          BOOLEAN: make((value) => value % 2 === 0),
        };
        const columns = Object.entries(data).map(([type, values]) => {
          const list = encodings[type as keyof typeof encodings];
          return {
            name: type,
            data: values,
            type: type as keyof typeof encodings,
            nullable: true,
            encoding: list[choice % list.length],
          };
        });
        const bytes = written(columns as ColumnSource[], { codec, pageSize, rowGroupSize });
        const opened = await openParquet(blobBytes(new Blob([bytes]), 'x'), { memory: 2 ** 24 });
        expect(opened.rows).toBe(rows);
        const read: number[][] = [];
        const texts: (string | null)[] = [];
        for await (const {
          block,
          texts: [names],
        } of opened.read({ numbers: [0, 1, 2, 3, 5], texts: [4] })) {
          if (block.kind !== 'dense') throw new Error('dense rows');
          for (let i = 0; i < block.rows; i++) read.push(Array.from(block.data.subarray(i * 5, i * 5 + 5)));
          texts.push(...names);
        }
        expect(texts).toEqual(data.STRING);
        const expected = Array.from({ length: rows }, (_, i) =>
          [data.DOUBLE, data.FLOAT, data.INT32, data.INT64, data.BOOLEAN].map((values) =>
            values[i] === null ? Number.NaN : Number(values[i]),
          ),
        );
        expect(read).toEqual(expected);
      }),
      {
        numRuns: 200,
        // A page with missing values only: its writer states a first value although the page has none.
        examples: [
          [
            {
              rows: 1,
              spread: 1,
              choice: 2,
              nulls: true,
              codec: 'UNCOMPRESSED',
              pageSize: 64,
              rowGroupSize: 37,
              seed: 0,
            },
          ],
        ],
      },
    );
  }, 60_000);

  it('is read with differences of every number of bits, also if adding them overflows', async () => {
    let state = 1n;
    const random = (bits: number): bigint => {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
      return BigInt.asIntN(bits, state >> BigInt(64 - bits));
    };
    for (let bits = 1; bits < 64; bits++) {
      // More than a block of differences, which is 128 values.
      const values = Array.from({ length: 300 }, () => random(bits));
      const narrow = values.map((value) => Number(BigInt.asIntN(32, value)));
      const content = written([
        { name: 'a', data: BigInt64Array.from(values), type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
        { name: 'b', data: Int32Array.from(narrow), type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
      ]);
      expect(await readAll(content)).toEqual(values.map((value, i) => [Number(value), narrow[i]]));
    }
    // Written by hand, as hyparquet-writer lets nothing overflow: three values, the first is -2^63; then -1, and 0 and 2 more.
    const first = '80 01 04 03 ff ff ff ff ff ff ff ff ff 01';
    const bytes = Buffer.from(`${first} 01 02 00 00 00 08`.replaceAll(' ', ''), 'hex');
    const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
    expect(new BigInt64Array(readDeltas({ bytes, at: 0 }, 3).buffer)).toEqual(BigInt64Array.of(least, most, least));
    for (let cut = 0; cut < bytes.length; cut++)
      expect(() => readDeltas({ bytes: bytes.subarray(0, cut), at: 0 }, 3)).toThrow(RangeError);
  });

  it.each(Object.entries(PACKED_PARQUET))('is read as pyarrow writes it: %s', async (_, text) => {
    const file = await open(new Uint8Array(Buffer.from(text, 'base64')), { label: 't', missing: 'drop' });
    const complete = [...Array(60).keys()].filter((i) => i % 7 !== 4);
    expect(await rowsOf(file)).toEqual(complete.map((i) => [[1.5, 2.5, 3.25][i % 3], i]));
    expect([...(await file.labels()).codes]).toEqual(complete.map((i) => (i % 5 === 3 ? -1 : i % 2)));
    await file.close();
  });

  it('is fitted, and only the columns asked for are read', async () => {
    const rows = 20_000;
    const columns = Array.from({ length: 30 }, (_, j) => ({
      name: `c${j}`,
      data: Float64Array.from({ length: rows }, (_, i) => Math.sin(i * (j + 1))),
      type: 'DOUBLE' as const,
    }));
    const bytes = written(columns, { codec: 'UNCOMPRESSED', rowGroupSize: 5000 });
    const file = await open(bytes);
    const model = await pca(file.source, { k: 2 });
    expect(model.columnNames).toHaveLength(30);
    await file.close();
    let seen = 0;
    const blob = blobBytes(new Blob([bytes]), 'x');
    const counted = {
      ...blob,
      readAt: async (into: Uint8Array, position: number) => {
        seen += into.length;
        return blob.readAt(into, position);
      },
    };
    const opened = await openParquet(counted, { memory: 2 ** 26 });
    for await (const { block } of opened.read({ numbers: [3, 17] })) expect(block.cols).toBe(2);
    expect(seen).toBeLessThan(bytes.length / 5);
  });

  /** Lists as pyarrow and others nest them: a group around a repeated group around the numbers. */
  const listSchema = (name: string, type: 'FLOAT' | 'INT64' = 'FLOAT'): SchemaElement[] => [
    { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type, repetition_type: 'OPTIONAL' },
  ];
  const root = (columns: number): SchemaElement => ({ name: 'root', num_children: columns });
  const x: SchemaElement = { name: 'x', type: 'DOUBLE', repetition_type: 'REQUIRED' };

  it.each([64, 1000, 1 << 20])(
    'has a column for every entry of lists of one length, in pages of %i bytes',
    async (pageSize) => {
      const lists = Array.from({ length: 300 }, (_, i) => (i % 13 === 7 ? null : [i, i % 5 === 2 ? null : i / 2, -i]));
      const bytes = written(
        [
          { name: 'v', data: lists },
          { name: 'x', data: lists.map((_, i) => i) },
        ],
        { schema: [root(2), ...listSchema('v'), x], pageSize, rowGroupSize: 70 },
      );
      const file = await open(bytes, { missing: 'drop' });
      expect(file.columns).toEqual(['v[0]', 'v[1]', 'v[2]', 'x']);
      const complete = lists.flatMap((list, i) => (list && list[1] !== null ? [[...list, i]] : []));
      expect(await rowsOf(file)).toEqual(complete);
      await file.close();
      const some = await open(bytes, { columns: ['v[2]', 'v[0]'], missing: 'drop' });
      expect(some.columns).toEqual(['v[2]', 'v[0]']);
      expect(await rowsOf(some)).toEqual(lists.flatMap((list) => (list ? [[list[2], list[0]]] : [])));
      await some.close();
    },
  );

  it('counts integers of lists that were rounded by their entries', async () => {
    const large = 9007199254740993n;
    const bytes = written(
      [
        {
          name: 'v',
          data: [
            [1n, large],
            [large, large],
            [3n, 4n],
          ],
        },
      ],
      {
        schema: [root(1), ...listSchema('v', 'INT64')],
      },
    );
    const file = await open(bytes);
    expect(await rowsOf(file)).toHaveLength(3);
    expect(await file.source.warnings?.()).toMatchObject([
      {
        details: {
          columns: [
            { name: 'v[0]', count: 1 },
            { name: 'v[1]', count: 2 },
          ],
        },
      },
    ]);
    await file.close();
  });

  it.each([
    [
      'longer',
      [
        [1, 2],
        [3, 4],
        [5, 6, 7],
      ],
      3,
    ],
    ['shorter', [[1, 2], [3], [5, 6]], 2],
    ['empty', [[1, 2], [], [5, 6]], 2],
  ])('is refused where a list is %s than the first', async (_, data, row) => {
    const bytes = written([{ name: 'v', data }], { schema: [root(1), ...listSchema('v')] });
    await expect(readAll(bytes)).rejects.toMatchObject({
      code: 'RAGGED_ROWS',
      message: expect.stringContaining(`Row ${row} of`),
    });
  });

  it('leaves what is nested otherwise out, by its name', async () => {
    const bytes = written(
      [
        { name: 'text', data: [['a', 'b'], ['c'], []] },
        { name: 'empty', data: [[], [], []] },
        { name: 's', data: [{ a: 1 }, { a: 2 }, { a: 3 }] },
        { name: 'x', data: [1, 2, 3] },
      ],
      {
        schema: [
          root(4),
          { name: 'text', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
          { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
          { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
          ...listSchema('empty'),
          { name: 's', repetition_type: 'REQUIRED', num_children: 1 },
          { name: 'a', type: 'DOUBLE', repetition_type: 'REQUIRED' },
          x,
        ],
      },
    );
    const file = await open(bytes);
    expect(file.leftOut).toEqual([
      { name: 'text', type: 'LIST', why: 'LIST' },
      { name: 'empty', type: 'LIST', why: 'LIST' },
      { name: 's', type: 'STRUCT', why: 'STRUCT' },
    ]);
    expect(await rowsOf(file)).toEqual([[1], [2], [3]]);
    await file.close();
  });
});

describe('a Parquet file that lies', () => {
  const samples: Uint8Array<ArrayBuffer>[] = [
    ...Object.values(PACKED_PARQUET).map((text) => new Uint8Array(Buffer.from(text, 'base64'))),
    written(
      [
        { name: 'x', data: [1.5, null, 3, 4, 4, 4, 4], type: 'DOUBLE', nullable: true, encoding: 'PLAIN' },
        { name: 't', data: ['a', 'b', null, 'a', 'a', 'c', 'a'], type: 'STRING', nullable: true },
        { name: 'n', data: Int32Array.of(1, 2, 3, 4, 5, 6, 7), type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
      ],
      { codec: 'UNCOMPRESSED' },
    ),
    written(
      [
        { name: 'x', data: Float64Array.from({ length: 40 }, (_, i) => i % 3), type: 'DOUBLE' },
        {
          name: 't',
          data: Array.from({ length: 40 }, (_, i) => `t${i}`),
          type: 'STRING',
          encoding: 'DELTA_BYTE_ARRAY',
        },
        {
          name: 'l',
          data: BigInt64Array.from({ length: 40 }, (_, i) => BigInt(i * i)),
          type: 'INT64',
          encoding: 'DELTA_BINARY_PACKED',
        },
      ],
      { codec: 'SNAPPY' },
    ),
  ];

  async function readWhole(content: Uint8Array<ArrayBuffer>): Promise<number> {
    const table = await openParquet(blobBytes(new Blob([content]), 'x'), { memory: 2 ** 24 });
    const numbers = [...table.columns.keys()].filter((j) => table.columns[j].kind === 'number');
    let rows = 0;
    for await (const { block } of table.read({ numbers })) rows += block.rows;
    for (const [j, { kind }] of table.columns.entries())
      if (kind === 'text')
        for await (const { texts } of table.read({ numbers: [], texts: [j] })) expect(texts[0]).toBeDefined();
    return rows;
  }

  it.each(samples.map((content, i) => [i, content] as const))(
    'is read or refused with a typed error, whatever bytes are changed: %i',
    async (_, content) => {
      expect(await readWhole(content)).toBeGreaterThan(6);
      const change = fc.record({
        flips: fc.array(
          fc.record({ at: fc.nat(content.length - 1), to: fc.oneof(fc.nat(255), fc.constantFrom(0, 255, 127, 128)) }),
          { maxLength: 4 },
        ),
        cut: fc.oneof(
          { weight: 5, arbitrary: fc.constant(content.length) },
          { weight: 1, arbitrary: fc.nat(content.length) },
        ),
        added: fc.oneof({ weight: 5, arbitrary: fc.constant(new Uint8Array(0)) }, fc.uint8Array({ maxLength: 8 })),
      });
      await fc.assert(
        fc.asyncProperty(change, async ({ flips, cut, added }) => {
          const changed = new Uint8Array(cut + added.length);
          changed.set(content.subarray(0, cut));
          for (const { at, to } of flips) if (at < cut) changed[at] = to;
          changed.set(added, cut);
          const result = await readWhole(changed).catch((error: unknown) => error);
          if (typeof result !== 'number' && !(result instanceof ScreeError)) throw result;
        }),
        { numRuns: runs(600, 3000) },
      );
    },
    120_000,
  );

  it.each([
    ['only its beginning', 'PAR1', 'FILE_TRUNCATED'],
    ['no footer', 'PAR1 and then nothing of a footer', 'FILE_TRUNCATED'],
    ['an encrypted footer', 'PAR1 and then nothingPARE', 'UNSUPPORTED'],
    ['a footer longer than the file', 'PAR1........\xff\xff\xff\x7fPAR1', 'BAD_FILE'],
    ['a footer of noise', 'PAR1abcdefghijklmnop\x10\0\0\0PAR1', 'BAD_FILE'],
    ['an empty footer', 'PAR1\0\0\0\0PAR1', 'BAD_FILE'],
  ])('%s', async (_, text, code) => {
    await expect(open(new Uint8Array(Buffer.from(text, 'latin1')))).rejects.toMatchObject({ code, name: 'FileError' });
  });

  it('a page larger than the memory is refused before it is unpacked', async () => {
    const rows = 3_000_000;
    const bytes = written([{ name: 'x', data: new Float64Array(rows), type: 'DOUBLE', encoding: 'PLAIN' }], {
      codec: 'SNAPPY',
      pageSize: 1 << 28,
      rowGroupSize: rows,
    });
    await expect(readAll(bytes, { memory: 2 ** 24 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await readAll(bytes, { memory: 2 ** 29 })).toHaveLength(rows);
  });
});

const pyarrow = pythonWith('pyarrow.parquet');

describe.skipIf(!pyarrow)('pyarrow', () => {
  const program = `
import sys, json, decimal, datetime, uuid, pyarrow as pa, pyarrow.parquet as pq
n = 5000
D = decimal.Decimal
gap = lambda i, v: None if i % 11 == 3 else v
t = pa.table({
  'f8': pa.array([gap(i, i / 7) for i in range(n)], pa.float64()),
  'f4': pa.array([i / 8 for i in range(n)], pa.float32()),
  'f2': pa.array([i % 100 / 8 for i in range(n)], pa.float16()),
  'i1': pa.array([i % 100 - 50 for i in range(n)], pa.int8()),
  'u1': pa.array([i % 256 for i in range(n)], pa.uint8()),
  'i2': pa.array([i - 2500 for i in range(n)], pa.int16()),
  'u4': pa.array([2**32 - 1 - i for i in range(n)], pa.uint32()),
  'i8': pa.array([gap(i, -i * 2**40) for i in range(n)], pa.int64()),
  'u8': pa.array([2**63 + i * 2**20 for i in range(n)], pa.uint64()),
  'b': pa.array([gap(i, i % 3 == 0) for i in range(n)], pa.bool_()),
  'd9': pa.array([D(i) / 100 for i in range(n)], pa.decimal128(9, 2)),
  'd38': pa.array([-D(i) / 10 for i in range(n)], pa.decimal128(38, 5)),
  'same': pa.array([4.5] * n, pa.float64()),
  't': pa.array([gap(i, 'größe %d' % (i % 17)) for i in range(n)], pa.string()),
  'blob': pa.array([b'x'] * n, pa.binary()),
  'day': pa.array([gap(i, datetime.date(1960, 1, 1) + datetime.timedelta(days=i)) for i in range(n)], pa.date32()),
  'when': pa.array([datetime.datetime(1969, 12, 31) + datetime.timedelta(minutes=i, milliseconds=i % 3) for i in range(n)], pa.timestamp('us')),
  'time': pa.array([datetime.time(i % 24, i % 60, 1) for i in range(n)], pa.time64('us')),
  'v': pa.array([gap(i, [i / 4, gap(i + 1, 2.)]) for i in range(n)], pa.list_(pa.float32())),
  'w': pa.array([[i, -i, 2**40 + i] for i in range(n)], pa.list_(pa.int64(), 3)),
  's': pa.array([{'a': 1}] * n, pa.struct([('a', pa.int32())])),
  'cat': pa.array([['p', 'q'][i % 2] for i in range(n)]).dictionary_encode(),
  'last': pa.array(range(n), pa.int32()),
})
options = json.loads(sys.argv[2])
pq.write_table(t, sys.argv[1], **options)
numbers, rows = [], []
for c in t.column_names:
  values = t[c].to_pylist()
  if c in 'v w'.split():
    for e in range(len(values[0])):
      numbers.append('%s[%d]' % (c, e))
      rows.append([None if v is None or v[e] is None else float(v[e]) for v in values])
  elif c in 'f8 f4 f2 i1 u1 i2 u4 i8 u8 b d9 d38 same last'.split():
    numbers.append(c)
    rows.append([None if v is None else float(v) for v in values])
text = lambda v: None if v is None else v.rstrip('0').rstrip('.') if '.' in v else v
shown = {c: [None if v is None else v.decode() if isinstance(v, bytes) else str(v) for v in t[c].to_pylist()] for c in 't cat blob day time i8 u8 d9 d38'.split()}
shown['f2'] = [None if v is None else '%g' % v for v in t['f2'].to_pylist()]
shown['when'] = [text(str(v)) for v in t['when'].to_pylist()]
print(json.dumps({'numbers': numbers, 'columns': rows, 'shown': shown}))`;

  it.each([
    ['as it does', {}],
    ['plain', { compression: 'none', use_dictionary: false }],
    ['gzip', { compression: 'gzip', row_group_size: 777 }],
    ['zstd', { compression: 'zstd', data_page_size: 500 }],
    ['LZ4', { compression: 'lz4' }],
    ['Brotli', { compression: 'brotli' }],
    ['pages of the second kind', { data_page_version: '2.0', data_page_size: 500 }],
    ['pages of the second kind, plain', { data_page_version: '2.0', compression: 'none', use_dictionary: false }],
    ['the oldest version', { version: '1.0' }],
    ['split bytes', { use_dictionary: false, use_byte_stream_split: ['f8', 'f4', 'i8', 'last'] }],
    [
      'differences',
      {
        use_dictionary: false,
        column_encoding: { i8: 'DELTA_BINARY_PACKED', last: 'DELTA_BINARY_PACKED', t: 'DELTA_BYTE_ARRAY', b: 'RLE' },
        data_page_version: '2.0',
      },
    ],
    [
      'lengths first',
      { use_dictionary: false, column_encoding: { t: 'DELTA_LENGTH_BYTE_ARRAY', d38: 'BYTE_STREAM_SPLIT' } },
    ],
  ])('is read as it writes: %s', async (_, options) => {
    const folder = await mkdtemp(join(tmpdir(), 'scree-lab-'));
    try {
      const path = join(folder, 'x.parquet');
      const expected = runPython(pyarrow as string, program, path, JSON.stringify(options)) as {
        numbers: string[];
        columns: (number | null)[][];
        shown: Record<string, (string | null)[]>;
      };
      const bytes = new Uint8Array(await readFile(path));
      const table = await openParquet(blobBytes(new Blob([bytes]), 'x'), { memory: 2 ** 26 });
      const places = new Map(table.columns.map(({ name }, j) => [name, j]));
      expect(table.columns.filter(({ kind }) => kind === 'number').map(({ name }) => name)).toEqual(expected.numbers);
      expect(table.columns.filter(({ kind }) => kind === 'text').map(({ name }) => name)).toEqual(['t', 'cat']);
      const numbers = expected.numbers.map((name) => places.get(name) as number);
      const read = expected.numbers.map(() => [] as (number | null)[]);
      for await (const { block } of table.read({ numbers })) {
        if (block.kind !== 'dense') throw new Error('dense rows');
        for (let i = 0; i < block.rows; i++) {
          for (const [j, column] of read.entries()) {
            const value = block.data[i * block.stride + j];
            column.push(Number.isNaN(value) ? null : value);
          }
        }
      }
      for (const [j, name] of expected.numbers.entries()) expect(read[j], name).toEqual(expected.columns[j]);
      const names = Object.keys(expected.shown);
      const texts = names.map(() => [] as (string | null)[]);
      for await (const batch of table.read({ numbers: [], texts: names.map((name) => places.get(name) as number) }))
        batch.texts.forEach((own, j) => {
          texts[j].push(...own);
        });
      for (const [j, name] of names.entries()) expect(texts[j], name).toEqual(expected.shown[name]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

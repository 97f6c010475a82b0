import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/sample.js';
import { unpackLz4 } from '../src/archive/lz4.js';
import { plainUnpackers, unpacked } from '../src/archive/unpack.js';
import { openArrow } from '../src/arrow/arrow-table.js';
import { openCsv } from '../src/csv/csv-table.js';
import { decimalNumber } from '../src/csv/decimal-number.js';
import { openIdx } from '../src/idx/idx-table.js';
import { openJson } from '../src/json/json-table.js';
import { openNpy } from '../src/numpy/npy.js';
import { openNpz } from '../src/numpy/npz.js';
import { expectTypedInNoise, expectTypedWhenDamaged, type Opener, readTable } from './damage.js';
import { PACKED_ARROW, TYPED_ARROW } from './fixtures.js';
import { bytesOf, csrFile, memoryFile, npyFile, zipFile } from './make.js';
import { blockRows } from './support.js';

const memory = 2 ** 24;
const values = Float64Array.from({ length: 60 }, (_, i) => i / 3);
const array = npyFile('<f8', [12, 5], bytesOf(values));

const OPENERS: [string, Uint8Array, Opener, number][] = [
  ['.npy', array, (content) => openNpy(memoryFile(content), { memory }), 3000],
  [
    '.npy by columns',
    npyFile('>f4', [6, 5], bytesOf(Float32Array.from({ length: 30 })), true),
    (content) => openNpy(memoryFile(content), { memory }),
    2000,
  ],
  ['.npz', zipFile([{ name: 'a.npy', content: array }]), (content) => openNpz(memoryFile(content), { memory }), 3000],
  [
    'packed .npz',
    zipFile([{ name: 'a.npy', content: array, packed: true }]),
    (content) => openNpz(memoryFile(content), { memory }),
    2000,
  ],
  ['sparse .npz', csrFile(false), (content) => openNpz(memoryFile(content), { memory }), 2000],
  [
    'IDX',
    Buffer.concat([Buffer.from([0, 0, 0x0d, 2, 0, 0, 0, 6, 0, 0, 0, 5]), Buffer.alloc(120, 1)]),
    (content) => openIdx(memoryFile(content), { memory }),
    2000,
  ],
  [
    '.csv',
    Buffer.from('id,a,"b ""x""",c\r\nu,1.5,2,3\r\nv,,-4e3,5\r\n"w,\nw",6,7,"8"\r\n'),
    (content) => openCsv(memoryFile(content), { memory, window: 16 }),
    3000,
  ],
  [
    '.json',
    Buffer.from(
      '[{"a": 1.5, "b": [1, 2], "t": "x\\"}"}, {"a": null, "b": [3, 4], "t": null},\n {"a": true, "b": [5, 6]}]',
    ),
    (content) => openJson(memoryFile(content), { memory, lines: false, window: 16 }),
    3000,
  ],
  [
    '.ndjson',
    Buffer.from('[1, 2, "x"]\n[3, NaN, "y"]\n[5, 6, null]\n'),
    (content) => openJson(memoryFile(content), { memory, lines: true, window: 16 }),
    2000,
  ],
  [
    '.csv.gz',
    gzipSync('a,b\n1,2\n3,4\n'),
    (content) => openCsv(unpacked(memoryFile(content), 'gzip', plainUnpackers), { memory }),
    1000,
  ],
  ['LZ4 Arrow', Buffer.from(PACKED_ARROW.lz4, 'base64'), (content) => openArrow(memoryFile(content), { memory }), 3000],
  [
    'Arrow of many types',
    Buffer.from(TYPED_ARROW, 'base64'),
    (content) => openArrow(memoryFile(content), { memory }),
    3000,
  ],
];

describe('every parser, given bytes flipped and cut,', () => {
  it.each(OPENERS)(
    'answers %s rightly or with a typed error',
    async (_, content, open, numRuns) => {
      await expectTypedWhenDamaged(content, open, runs(numRuns / 2, numRuns));
    },
    120_000,
  );

  it.each(OPENERS)(
    'answers noise after the beginning of %s with a typed error',
    async (_, content, open) => {
      await expectTypedInNoise(content, open);
    },
    60_000,
  );
});

describe('numbers in text', () => {
  it('are read to the last bit, however they are written', async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: -1000, max: 1000, noNaN: true }),
      fc.integer().map((value) => value / 1000),
    );
    const written = number.chain((value) =>
      fc.constantFrom(
        String(value),
        value.toExponential(),
        value.toPrecision(17),
        value.toPrecision(16),
        value.toPrecision(19),
        value.toFixed(6),
        value.toPrecision(21),
        `+${Math.abs(value)}`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(written, { minLength: 20, maxLength: 20 }), async (texts) => {
        const table = openCsv(memoryFile(Buffer.from(`1\n2\n3\n${texts.join('\n')}\n`)), { memory });
        const rows = await readTable(table);
        expect(rows.slice(3).flat()).toEqual(texts.map(Number));
      }),
      { numRuns: 500 },
    );
  });

  it('of up to 19 digits are rounded as JavaScript rounds them, or left to it', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 19n - 1n), fc.nat(22), (digits, decimals) => {
        const text = String(digits);
        const more = Math.max(0, text.length - 15);
        const value = decimalNumber(Number(text.slice(0, 15)), more === 0 ? 0 : Number(text.slice(15)), more, decimals);
        if (!Number.isNaN(value)) expect(value).toBe(Number(`${text}e-${decimals}`));
      }),
      { numRuns: 50_000 },
    );
  });
});

describe('text tables', () => {
  it('of any dialect are read as they were written, with records cut by the window everywhere', async () => {
    const cell = fc.oneof(
      { weight: 8, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
      { weight: 1, arbitrary: fc.constantFrom('', 'NA', 'NaN', '?') },
    );
    const word = fc
      .string({ unit: fc.constantFrom('a', 'Z', '"', ',', ';', '\n', 'é', ' ', '|', '\t'), minLength: 1, maxLength: 8 })
      .map((text) => `w${text}w`);
    const table = fc.integer({ min: 2, max: 5 }).chain((cols) =>
      fc.record({
        names: fc.uniqueArray(word, { minLength: cols, maxLength: cols, comparator: (a, b) => a.trim() === b.trim() }),
        rows: fc.array(fc.tuple(fc.array(cell, { minLength: cols, maxLength: cols }), word), {
          minLength: 5,
          maxLength: 12,
        }),
        delimiter: fc.constantFrom(',', ';', '\t', '|'),
        newline: fc.constantFrom('\n', '\r\n'),
        quoteAll: fc.boolean(),
        last: fc.boolean(),
        window: fc.integer({ min: 1, max: 40 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, async ({ names, rows, delimiter, newline, quoteAll, last, window }) => {
        // Every column needs enough numbers to be seen as one.
        for (const j of names.keys()) fc.pre(rows.filter(([numbers]) => typeof numbers[j] === 'number').length > 2);
        const quote = (text: string) =>
          quoteAll || /[",;\t|\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const line = (cells: readonly unknown[]) => cells.map((each) => quote(String(each))).join(delimiter);
        const lines = [line([...names, 'label']), ...rows.map(([numbers, label]) => line([...numbers, label]))];
        const content = Buffer.from(lines.join(newline) + (last ? newline : ''));
        const opened = await openCsv(memoryFile(content), { memory, window });
        expect(opened.columns.map(({ name }) => name)).toEqual([...names, 'label']);
        expect(opened.columns.map(({ kind }) => kind)).toEqual([...names.map(() => 'number'), 'text']);
        const read: number[][] = [];
        const labels: (string | null)[] = [];
        for await (const { block, texts } of opened.read({ numbers: [...names.keys()], texts: [names.length] })) {
          read.push(...blockRows(block));
          labels.push(...texts[0]);
        }
        expect(read).toEqual(
          rows.map(([numbers]) => numbers.map((each) => (typeof each === 'number' ? each + 0 : Number.NaN))),
        );
        expect(labels).toEqual(rows.map(([, label]) => label));
      }),
      { numRuns: 1500 },
    );
  }, 60_000);
});

describe('LZ4', () => {
  it('noise never goes beyond its buffers', () => {
    const head = Buffer.from('04224d1860400082', 'hex').subarray(0, 7);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(200), (noise, size) => {
        try {
          expect(
            unpackLz4(Buffer.concat([head, Buffer.from([noise.length, 0, 0, 0]), noise, Buffer.alloc(4)]), size),
          ).toHaveLength(size);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

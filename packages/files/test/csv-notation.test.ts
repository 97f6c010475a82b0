import type { Warning } from '@scree/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCsv } from '../src/csv/csv-table.js';
import { openData } from '../src/open-table.js';
import { checkFileOptions, type FileOptions } from '../src/options.js';
import { memoryFile } from './make.js';
import { rowsOf } from './support.js';

interface Read {
  readonly columns: readonly string[];
  readonly rows: readonly number[][];
  readonly warnings: readonly Warning[];
  readonly leftOut: readonly string[];
}

/** Reads a text with records cut by a small window, and whole: both must give the same table. */
async function read(text: string, options: FileOptions = {}): Promise<Read> {
  const [whole, cut] = await Promise.all([1 << 20, 16].map((window) => readWith(text, options, window)));
  expect(cut).toEqual(whole);
  return whole;
}

async function readWith(text: string, options: FileOptions, window: number): Promise<Read> {
  const table = await openCsv(memoryFile(Buffer.from(text)), { memory: 2 ** 24, window });
  const file = await openData(table, checkFileOptions(options), { path: 'x.csv', bytes: undefined });
  const rows = await rowsOf(file);
  // A fit reads several times; what is counted must not grow.
  await rowsOf(file);
  const warnings = (await file.source.warnings?.()) ?? [];
  return { columns: file.columns, rows, warnings, leftOut: file.leftOut.map(({ name }) => name) };
}

const error = (text: string): Promise<{ message: string; code: string }> =>
  read(text).then(
    () => Promise.reject(new Error('it was read')),
    (reason) => reason,
  );

describe('numbers as people write them', () => {
  it.each<[string, string, number[], string]>([
    ['dollars', 'x,p\n1,"$1,200"\n2,$3.50\n3,-$7\n', [1200, 3.5, -7], 'currency'],
    ['euros behind, decimal commas', 'x;p\n1;1.200,50 €\n2;3,5 €\n3;-7 €\n', [1200.5, 3.5, -7], 'currency'],
    ['francs with apostrophes', "x;p\n1;CHF 1'200.50\n2;CHF 3.5\n3;CHF -7\n", [1200.5, 3.5, -7], 'currency'],
    ['accounts with brackets', 'x,p\n1,"($1,200)"\n2,$3.50\n3,$0\n', [-1200, 3.5, 0], 'currency'],
    ['per cent', 'x,p\n1,12%\n2,3.5 %\n3,-7%\n', [12, 3.5, -7], 'percent'],
    ['per cent with decimal commas', 'x;p\n1;12,25%\n2;3,5 %\n3;-7%\n', [12.25, 3.5, -7], 'percent'],
    ['thousands with spaces', 'x;p\n1;1 234,5\n2;12 345\n3;-7\n', [1234.5, 12345, -7], 'thousands'],
    ['thousands with no-break spaces', 'x;p\n1;1\u00a0234,5\n2;12\u202f345\n3;-7\n', [1234.5, 12345, -7], 'thousands'],
    ['thousands with apostrophes', "x,p\n1,1'234.5\n2,12’345\n3,-7\n", [1234.5, 12345, -7], 'thousands'],
    ['thousands with commas', 'x,p\n1,"1,234.5"\n2,"12,345"\n3,-7\n', [1234.5, 12345, -7], 'thousands'],
    ['truth values', 'x,p\n1,TRUE\n2,false\n3,True\n', [1, 0, 1], 'boolean'],
  ])('are read: %s', async (_, text, expected, kind) => {
    const { columns, rows, warnings } = await read(text);
    expect(columns).toEqual(['x', 'p']);
    expect(rows.map(([, value]) => value)).toEqual(expected);
    expect(warnings).toMatchObject([
      { code: 'VALUES_CONVERTED', details: { columns: [{ name: 'p', kind, count: kind === 'thousands' ? 2 : 3 }] } },
    ]);
  });

  it('keep the header if no column is written plainly', async () => {
    expect((await read('p,q\n$1,5%\n$2,6%\n$3,7%\n')).columns).toEqual(['p', 'q']);
    expect((await read('$1,5%\n$2,6%\n$3,7%\n')).rows).toEqual([
      [1, 5],
      [2, 6],
      [3, 7],
    ]);
  });

  it('may be missing, and amounts may lack their sign', async () => {
    const { rows, warnings } = await read('x,p\n1,$5\n2,NA\n3,0\n4,$2\n', { missing: 'drop' });
    expect(rows).toEqual([
      [1, 5],
      [3, 0],
      [4, 2],
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['VALUES_CONVERTED', 'ROWS_DROPPED']);
    expect(warnings[0].details).toMatchObject({ values: 2, columns: [{ name: 'p', from: '$5', to: 5 }] });
  });

  it.each<[string, string]>([
    ['two currencies', 'x,p\n1,$5\n2,€6\n3,$7\n'],
    ['percentages beside shares', 'x,p\n1,12%\n2,0.5\n3,7%\n'],
    ['telephone numbers', 'x,p\n1,555 123 456\n2,555 987 654\n3,555 111 222\n'],
    ['groups that are not of three', 'x,p\n1,12 34\n2,1 234\n3,5 6\n'],
    ['words', 'x,p\n1,$five\n2,$six\n3,$7\n'],
  ])('stay text: %s', async (_, text) => {
    const { columns, leftOut, warnings } = await read(text);
    expect([columns, leftOut]).toEqual([['x'], ['p']]);
    expect(warnings.map(({ code }) => code)).not.toContain('VALUES_CONVERTED');
  });

  it('are an error further down if they do not fit the column', async () => {
    const rows = Array.from({ length: 1500 }, (_, i) => `${i},${i}%`).join('\n');
    expect(await error(`x,p\n${rows}\n7,0.5\n`)).toMatchObject({
      code: 'NOT_A_NUMBER',
      message: expect.stringContaining(
        'Row 1501 of test holds "0.5" in column "p", where numbers with % are expected.',
      ),
    });
    const amounts = Array.from({ length: 1500 }, (_, i) => `${i},$${i}.50`).join('\n');
    expect(await error(`x,p\n${amounts}\n7,€5\n`)).toMatchObject({ code: 'NOT_A_NUMBER' });
  });

  it('are refused if a comma may be either', async () => {
    for (const text of ['x;p\n1;$1,200\n2;$3,400\n', 'x\tp\n1\t1,200 €\n2\t3,400 €\n']) {
      expect(await error(text)).toMatchObject({ code: 'BAD_DATA', details: { reason: 'ambiguous-mark' } });
    }
  });

  it('are read as they were written, whatever the number, the form and the delimiter', async () => {
    const forms = fc.record({
      sign: fc.constantFrom('', '$', '€', '%'),
      separator: fc.constantFrom('', ',', ' ', '\u00a0', "'"),
      delimiter: fc.constantFrom(';', '\t', '|'),
      // Cents, so that every number tells which mark is the decimal one.
      cents: fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 3, maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(forms, async ({ sign, separator, delimiter, cents }) => {
        const written = cents.map((each) => {
          const [whole, decimals] = (Math.abs(each) / 100).toFixed(2).split('.');
          const digits = `${whole.replace(/\B(?=(\d{3})+$)/g, separator)}.${decimals}`;
          const minus = each < 0 ? '-' : '';
          return sign === '%' || sign === '€' ? `${minus}${digits} ${sign}` : `${minus}${sign}${digits}`;
        });
        const text = `x${delimiter}p\n${written.map((each, i) => `${i}${delimiter}${each}`).join('\n')}\n`;
        const { rows } = await read(text);
        expect(rows.map((row) => row[1])).toEqual(cents.map((each) => Number((each / 100).toFixed(2))));
      }),
      { numRuns: 60 },
    );
  });
});

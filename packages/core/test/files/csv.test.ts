import { describe, expect, it } from 'vitest';
import { ScreeError } from '../../src/errors.js';
import { openCsv } from '../../src/files/csv-table.js';
import { FileSource } from '../../src/files/file-source.js';
import type { FileOptions } from '../../src/files/options.js';
import { memoryFile } from './make.js';
import { rowsOf } from './support.js';

interface Read {
  readonly columns: readonly string[];
  readonly leftOut: readonly string[];
  readonly rows: readonly number[][];
  readonly labels: readonly string[] | undefined;
}

/** What is read of a text, with records cut by a small window and whole: both must be the same. */
async function read(content: string | Uint8Array, options: FileOptions = {}): Promise<Read> {
  const [whole, cut] = await Promise.all([readWith(content, options, 1 << 20), readWith(content, options, 16)]);
  expect(cut).toEqual(whole);
  return whole;
}

async function readWith(content: string | Uint8Array, options: FileOptions, window: number): Promise<Read> {
  const table = await openCsv(memoryFile(Buffer.from(content)), { memory: 2 ** 24, window });
  const file = new FileSource(table, options, { path: 'x.csv', bytes: undefined });
  const labels = options.label === undefined ? undefined : await file.labels();
  return {
    columns: file.columns,
    leftOut: file.leftOut.map(({ name, why }) => `${name}: ${why}`),
    rows: await rowsOf(file),
    labels: labels && [...labels.codes].map((code) => labels.names[code]),
  };
}

async function refused(content: string | Uint8Array, options: FileOptions = {}): Promise<ScreeError> {
  const errors = await Promise.all(
    [1 << 20, 16].map((window) => readWith(content, options, window).catch((reason: unknown) => reason)),
  );
  for (const error of errors) {
    expect(error).toBeInstanceOf(ScreeError);
    // One line, with a sentence that ends.
    expect((error as ScreeError).message).toMatch(/^[^\n]+[.]$/);
  }
  expect((errors[1] as ScreeError).message).toBe((errors[0] as ScreeError).message);
  return errors[0] as ScreeError;
}

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

describe('a quote that is never closed', () => {
  it.each<[string, string, number | undefined]>([
    ['in a row', 'id,a,b\nx,1,2\n"y,3,5\nz,4,9\nw,7,1\nv,5,5\n', 1],
    ['in the first row', 'a,b\n1,"2\n3,4\n5,6\n', 0],
    ['in the last row', 'a,b\n1,2\n3,4\n5,"6', 2],
    ['without a header', '1,2\n3,5\n"4,4\n', 2],
    ['after a doubled one', 'a,b,t\n1,2,x\n3,5,"""y""\n4,4,z\n', 1],
    ['in the header', 'a,"b\n1,2\n3,4\n', undefined],
    ['beyond the rows that are judged', `a,t\n${lines(1500, (i) => `${i},${i === 1200 ? '"' : ''}x`)}\n`, 1200],
  ])('%s is refused, and said where', async (_, content, row) => {
    const error = await refused(content);
    expect(error).toMatchObject({ name: 'DataError', code: 'BAD_DATA' });
    expect(error.details.row).toBe(row);
    expect(error.message).toMatch(row === undefined ? /^The first line of / : new RegExp(`^Row ${row} of `));
    expect(error.message).toContain('opens a quote that is never closed');
  });
});

describe('a column that is empty at first', () => {
  const late = (rows: number, value: (i: number) => string, from = 1500) =>
    `a,b,late\n${lines(rows, (i) => `${i},${(i * 7) % 11},${i < from ? '' : value(i)}`)}\n`;

  it('is used when values come later, and misses those before', async () => {
    const content = late(2000, (i) => String(i / 4));
    expect(await refused(content)).toMatchObject({
      code: 'MISSING_VALUES',
      details: { row: 0, columnName: 'late', value: [{ name: 'late', count: 1500 }] },
    });
    const { columns, rows } = await read(content, { missing: 'drop' });
    expect(columns).toEqual(['a', 'b', 'late']);
    expect(rows).toHaveLength(500);
    expect(rows[0]).toEqual([1500, (1500 * 7) % 11, 375]);
  });

  it('is text when texts come later, and left out when nothing comes', async () => {
    expect((await read(late(2000, () => 'x'))).leftOut).toEqual(['late: text']);
    expect((await read(late(2000, () => 'NA'))).leftOut).toEqual(['late: empty']);
  });

  it('is a number where the text is too long to look, and a word there says where it is', async () => {
    const rows = 450_000;
    const error = await readWith(
      late(rows, () => 'x', rows - 2),
      { missing: 'drop' },
      1 << 20,
    ).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'NOT_A_NUMBER', details: { row: rows - 2, columnName: 'late', value: 'x' } });
  });

  it('without a name, as behind a last delimiter, is used as well', async () => {
    const content = `a,b,\n${lines(1200, (i) => `${i},${(i * 7) % 11},${i < 1100 ? '' : i}`)}\n`;
    expect((await read(content, { missing: 'drop' })).columns).toEqual(['a', 'b', 'column2']);
  });
});

describe('text that is not in UTF-8', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  it('is read as Windows-1252: names, labels and numbers', async () => {
    const content = latin(
      'größe,gewicht,name\n1,2,Müller\n3,5,José\n4,4,\x80uro \x93caf\xe9\x94 long enough to be decoded at once\n',
    );
    const { columns, rows, labels } = await read(content, { label: 'name' });
    expect(columns).toEqual(['größe', 'gewicht']);
    expect(labels).toEqual(['Müller', 'José', '€uro “café” long enough to be decoded at once']);
    expect(rows).toHaveLength(3);
  });

  it('is told cell by cell where it begins in ASCII', async () => {
    const rows = 60_000;
    const head = Buffer.from(`a,name\n${lines(rows, (i) => `${i},${'abcdefghi'.repeat(8)}`)}\n`);
    const content = Buffer.concat([head, latin('1,Jos\xe9\n'), Buffer.from('2,José\n3,\ufffd\n')]);
    expect(head.length).toBeGreaterThan(4 << 20);
    const { labels } = await readWith(content, { label: 'name' }, 1 << 20);
    expect(labels?.slice(rows)).toEqual(['José', 'José', '\ufffd']);
  });

  it('does not turn the rest of a file in UTF-8', async () => {
    const content = Buffer.concat([
      Buffer.from('é,name\n1,Müller\n2,José\n'),
      latin('3,Jos\xe9\n'),
      Buffer.from('4,Jose\ufffd\n'),
    ]);
    const { columns, labels } = await read(content, { label: 'name' });
    expect(columns).toEqual(['é']);
    expect(labels).toEqual(['Müller', 'José', 'José', 'Jose\ufffd']);
  });
});

describe('cells between blanks', () => {
  it('are read wherever the window cuts', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => [i, (i * 7) % 11, i / 8]);
    const content = ` a  b c\n${rows.map((row) => ` ${row.join('  ')} \n`).join('')}`;
    for (let window = 8; window < 40; window++) {
      expect((await readWith(content, {}, window)).rows).toEqual(rows);
    }
  });
});

describe('above a table', () => {
  const rows = [
    [1, 2, 3],
    [4, 5, 7],
    [2, 8, 1],
  ];
  const body = '1,2,3\n4,5,7\n2,8,1\n';
  const semicolons = body.replaceAll(',', ';');

  it.each([
    ['a line for Excel', `sep=;\na;b;c\n${semicolons}`],
    ['one in quotes, after a mark, with returns', `\ufeff"sep=;"\r\na;b;c\r\n${semicolons.replaceAll('\n', '\r\n')}`],
    ['one that names a tab', `sep=\t\na\tb\tc\n${body.replaceAll(',', '\t')}`],
    ['one with a delimiter that is seldom', `sep=:\na:b:c\n${body.replaceAll(',', ':')}`],
    ['comments', `# made by a program\n# on a day, somewhere\n\n#\n\na,b,c\n${body}`],
    ['comments with accents', `# größer als nötig, éàü\na,b,c\n${body}`],
    ['a comment with as many cells as the table, and a number', `# made by, version, 3\na,b,c\n${body}`],
    ['names in a comment, as NumPy writes them', `# made by NumPy\n# a,b,c\n${body}`],
    ['names in a comment between blanks', `# a b c\n${body.replaceAll(',', ' ')}`],
    ['a line for Excel, and a comment', `sep=;\n# "quoted\na;b;c\n${semicolons}`],
  ])('may be %s', async (_, content) => {
    expect(await read(content)).toMatchObject({ columns: ['a', 'b', 'c'], rows });
  });

  it('comments may leave a table without names', async () => {
    expect(await read(`# no names here\n${body}`)).toMatchObject({ columns: ['column0', 'column1', 'column2'], rows });
  });

  it('lines that look like rows are rows', async () => {
    const colours = '#ff0000,1,2\n#00ff00,3,5\nred,4,4\n#0000ff,5,9\n';
    expect((await read(colours, { label: 'column0' })).labels).toEqual(['#ff0000', '#00ff00', 'red', '#0000ff']);
    const all = '#1,1,2\n#2,3,5\n#3,4,4\n';
    expect((await read(all)).rows).toHaveLength(3);
    expect((await read(`#id,x,y\n${all}`)).columns).toEqual(['x', 'y']);
  });

  it.each([
    ['a title', 'Report of May\na,b,c\n1,2,3\n4,5,7\n', 'RAGGED_ROWS', /Row 0 .* has 1 cell, .* title above the table/],
    ['two lines of title', 'Report\nof May\na,b,c\n1,2,3\n4,5,7\n', 'RAGGED_ROWS', /Row 0 .* title above the table/],
    ['a title one cell short', 'Report\na,b\n1,2\n4,5\n3,1\n', 'RAGGED_ROWS', /Row 0 .* title above the table/],
    ['a title with empty cells', 'Report,,\na,b,c\n1,2,3\n4,5,7\n', 'NOT_A_NUMBER', /remove what stands above them/],
  ])('%s is refused, and said so', async (_, content, code, message) => {
    const error = await refused(content);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

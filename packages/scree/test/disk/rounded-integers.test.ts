import { writeFile } from 'node:fs/promises';
import { Int64, Table, tableToIPC, Uint64, vectorFromArray } from 'apache-arrow';
import sqlite from 'node-sqlite3-wasm';
import { openFile, pca } from 'scree';
import { describe, expect, it } from 'vitest';
import { bytesOf, npyFile } from '../../../files/test/make.js';
import { rowsOf, runDuck, useFolder } from './support.js';

const folder = useFolder();
/** The first and the third become other numbers as float64. */
const LARGE = [9007199254740993n, 9007199254740992n, -9007199254740995n, 5n];
const SMALL = [1n, 2n, 3n, 4n];
const rows = LARGE.map((value, i) => [value, SMALL[i]]);

/** Files with a column n of large integers and a column m of small ones, by their endings. */
const FILES: Record<string, (path: string) => Promise<void>> = {
  csv: (path) => writeFile(path, `n,m\n${rows.map((row) => row.join()).join('\n')}\n`),
  'quoted.csv': (path) => writeFile(path, `n,m\n${rows.map(([n, m]) => `"${n}",${m}`).join('\n')}\n`),
  json: (path) => writeFile(path, `[${rows.map(([n, m]) => `{"n": ${n}, "m": ${m}, "t": "${n}"}`).join()}]`),
  ndjson: (path) => writeFile(path, rows.map(([n, m]) => `{"n": ${n}, "m": ${m}}\n`).join('')),
  arrow: (path) => {
    const table = new Table({ n: vectorFromArray(LARGE, new Int64()), m: vectorFromArray(SMALL, new Uint64()) });
    return writeFile(path, tableToIPC(table, 'file'));
  },
  parquet: (path) => runDuck(`copy (${SELECT}) to '${path}' (format parquet)`),
  duckdb: (path) => runDuck(`attach '${path}' as made`, `create table made.t as ${SELECT}`, 'detach made'),
  sqlite: async (path) => {
    const database = new sqlite.Database(path);
    database.exec('create table t (n integer, m integer)');
    for (const [n, m] of rows) database.run('insert into t values (?, ?)', [n, m]);
    database.close();
  },
};
const SELECT = `select * from (values ${rows.map(([n, m]) => `(${n}::bigint, ${m}::utinyint)`).join()}) as t(n, m)`;

describe('integers beyond 2^53', () => {
  it.each(Object.keys(FILES))('are counted once for any number of passes: .%s', async (ending) => {
    const path = folder.file(`large.${ending}`);
    await FILES[ending](path);
    const file = await openFile(path);
    try {
      for (let pass = 0; pass < 2; pass++) expect((await rowsOf(file)).map(([n]) => n)).toEqual(LARGE.map(Number));
      expect(await file.source.warnings?.()).toEqual([
        {
          code: 'INTEGERS_ROUNDED',
          message: expect.stringContaining('2 whole numbers beyond 2^53'),
          details: { count: 2, columns: [{ name: 'n', count: 2 }] },
        },
      ]);
    } finally {
      await file.close();
    }
  });

  it.each(['csv', 'parquet', 'json', 'arrow', 'sqlite'])(
    'do not matter in a column that is not used: .%s',
    async (ending) => {
      const path = folder.file(`unused.${ending}`);
      await FILES[ending](path);
      const file = await openFile(path, { columns: ['m'] });
      await rowsOf(file);
      expect(await file.source.warnings?.()).toEqual([]);
      await file.close();
    },
  );

  it.each([
    [
      'in C order',
      false,
      [9007199254740993n, 1n, 2n, 3n, 4n, -9007199254740993n],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    ['in Fortran order', true, [9007199254740993n, 1n, 9007199254740993n, 3n, 4n, 5n], [[0, 2]]],
  ] as const)('of .npy are counted %s, and the model has the warning', async (_, fortran, values, expected) => {
    const path = folder.file(`large-${fortran}.npy`);
    await writeFile(path, npyFile('<i8', [3, 2], bytesOf(BigInt64Array.from(values)), fortran));
    const file = await openFile(path);
    const { warnings } = await pca(file.source, { k: 1 });
    await file.close();
    const [warning] = warnings.filter(({ code }) => code === 'INTEGERS_ROUNDED');
    expect(warning.details).toMatchObject({
      columns: expected.map(([column, count]) => ({ name: String(column), count })),
    });
  });
});

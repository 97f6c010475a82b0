import { mkdirSync, writeFileSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';
import { createFile, famd, loadModel, openFile, openFiles, pca } from 'scree';
import { beforeAll, describe, expect, it } from 'vitest';
import { COPY_END, COPY_HEADER, conversation, copied, fields, startFakePostgres } from '../database/fake-postgres.js';
import { rowsOf, runDuck, useFolder } from './support.js';

/** Names that every object of JavaScript has, and one that it does not have. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'plain'];
const COLS = NAMES.length;
const ROWS = Array.from({ length: 8 }, (_, i) => NAMES.map((_, j) => ((i * 7 + j * j * 3) % 11) / 4));
const folder = useFolder();
const write = (name: string, content: string): void => writeFileSync(folder.file(name), content);

beforeAll(async () => {
  write('a.csv', `${[NAMES, ...ROWS].map((row) => row.join()).join('\n')}\n`);
  const records = ROWS.map((row) => `{${row.map((x, j) => `${JSON.stringify(NAMES[j])}: ${x}`).join()}}`);
  write('a.json', `[${records.join(',\n')}]`);
  write('a.ndjson', `${records.join('\n')}\n`);
  for (const ending of ['arrow', 'parquet']) {
    const writer = await createFile(folder.file(`a.${ending}`), { cols: COLS, columnNames: NAMES, dtype: 'float64' });
    await writer.write({ rows: ROWS.length, cols: COLS, data: Float64Array.from(ROWS.flat()) });
    await writer.close();
  }
  await runDuck(
    `ATTACH '${folder.file('a.duckdb')}' AS made`,
    `CREATE TABLE made.t AS SELECT * FROM '${folder.file('a.parquet')}'`,
  );
  const database = new sqlite.Database(folder.file('a.sqlite'));
  database.exec(`create table t (${NAMES.map((name) => `"${name}" real`).join()})`);
  for (const row of ROWS) database.run(`insert into t values (${row.map(() => '?').join()})`, row);
  database.close();
});

describe('columns that are called as what every object has', () => {
  it.each([
    ['a.csv', {}],
    ['a.csv', { sql: 'select * from data' }],
    ['a.json', {}],
    ['a.ndjson', {}],
    ['a.arrow', {}],
    ['a.parquet', {}],
    ['a.duckdb', {}],
    ['a.sqlite', {}],
  ])('are read from %s %j, chosen, and name rows', async (name, options) => {
    const file = await openFile(folder.file(name), options);
    expect(file.columns).toEqual(NAMES);
    expect(await rowsOf(file)).toEqual(ROWS);
    expect((await pca(file.source, { k: 1 })).columnNames).toEqual(NAMES);
    await file.close();
    const chosen = await openFile(folder.file(name), {
      ...options,
      columns: ['plain', '__proto__'],
      label: 'toString',
    });
    expect(await rowsOf(chosen)).toEqual(ROWS.map((row) => [row[5], row[0]]));
    expect((await chosen.labels()).names.map(Number)).toEqual(ROWS.map((row) => row[2]));
    await chosen.close();
  });

  it('are read from Postgres', async () => {
    const columns = NAMES.slice(0, 3).map((name) => [name, 701, 'double precision'] as const);
    const float8 = (value: number): Buffer => {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(value);
      return bytes;
    };
    const rows = ROWS.map((row) => fields(row.slice(0, 3).map(float8)));
    const server = await startFakePostgres(
      conversation(columns, copied(Buffer.concat([COPY_HEADER, ...rows, COPY_END]))),
    );
    try {
      const file = await openFile(server.url, { sql: 'select 1' });
      expect(file.columns).toEqual(NAMES.slice(0, 3));
      expect(await rowsOf(file)).toEqual(ROWS.map((row) => row.slice(0, 3)));
      await file.close();
    } finally {
      await server.stop();
    }
  });

  it('are read from the names of folders', async () => {
    for (const year of [2024, 2025]) {
      mkdirSync(folder.file(`parts/__proto__=${year}`), { recursive: true });
      write(`parts/__proto__=${year}/p.csv`, 'a\n1\n2\n');
    }
    const paths = [2024, 2025].map((year) => folder.file(`parts/__proto__=${year}/p.csv`));
    const file = await openFiles(paths, { columns: ['a', '__proto__'] });
    expect(await rowsOf(file)).toEqual([
      [1, 2024],
      [2, 2024],
      [1, 2025],
      [2, 2025],
    ]);
    await file.close();
  });

  it('are analysed in records, also as levels of categories, and kept by models', async () => {
    const records = ROWS.map((row, i) =>
      Object.fromEntries([
        ...row.map((x, j) => [NAMES[j], x]),
        ['kind', ['__proto__', 'constructor', 'valueOf'][i % 3]],
      ]),
    );
    const model = await famd(records, { k: 2 });
    const again = loadModel(JSON.stringify(model));
    expect(again.transform(records)).toEqual(model.transform(records));
    expect(again.columnNames).toEqual(expect.arrayContaining([...NAMES, 'kind=__proto__', 'kind=constructor']));
  });
});

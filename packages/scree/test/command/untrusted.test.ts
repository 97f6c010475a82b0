import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { startDuckDb } from '../../src/database/duckdb.js';
import { useBinary } from './binary.js';

const { run, refused, path, write } = useBinary('untrusted');

beforeAll(async () => {
  write('secret.txt', 'hunter2');
  write('other.csv', 'a,b\n1,2\n2,1\n3,7\n4,1\n');
  const instance = await DuckDBInstance.create(path('view.duckdb'));
  const connection = await instance.connect();
  await connection.run('CREATE TABLE good AS SELECT range a, sin(range) b, cos(range) c FROM range(50)');
  const secret = `read_text('${path('secret.txt')}')`;
  await connection.run(`CREATE VIEW evil AS SELECT range a, sin(range) b, length(content) c FROM range(50), ${secret}`);
  await connection.run(`CREATE VIEW csv AS SELECT * FROM read_csv('${path('other.csv')}')`);
  await connection.run(`COPY good TO '${path('x*[1]?.parquet')}'`);
  connection.closeSync();
  instance.closeSync();
});

describe('an untrusted DuckDB database', () => {
  it('cannot read other files through its views', () => {
    for (const member of ['evil', 'csv']) {
      const line = refused(['fit', 'view.duckdb', '--member', member, '-k', '1']);
      expect(line).toMatch(/asks for something outside of it/);
    }
    expect(run(['fit', 'view.duckdb', '--member', 'good', '-k', '1', '-q']).code).toBe(0);
  });

  it('cannot read them in a query either', () => {
    const line = refused(['fit', 'view.duckdb', '--sql', 'select * from evil', '-k', '1']);
    expect(line).toMatch(/a view of a database may not read other files/);
    expect(run(['fit', 'view.duckdb', '--sql', 'select a, b from good', '-k', '1', '-q']).code).toBe(0);
  });
});

describe('a query over a database', () => {
  it('reads the files that it names itself', () => {
    for (const from of [`'other.csv'`, `read_csv('oth*.csv')`, `(select * from read_csv(['other.csv']))`]) {
      const query = `select good.a, o.b from good join ${from} o on good.a = o.a`;
      expect(run(['fit', 'view.duckdb', '--sql', query, '-k', '1', '-q'])).toMatchObject({ code: 0, err: '' });
    }
  });

  it('does not let a view read a file because the query contains its name', () => {
    const query = `select a, c from evil where '${path('secret.txt')}' <> ''`;
    expect(refused(['fit', 'view.duckdb', '--sql', query, '-k', '1'])).toMatch(/may not read other files/);
  });
});

describe('a query without a database', () => {
  it('reads the files that it names', () => {
    expect(run(['fit', '--sql', `select * from 'other.csv'`, '-k', '1', '-q']).code).toBe(0);
    const both = `select data.a, o.b from data join 'x[*][[]1][?].parquet' o on data.a = o.a`;
    expect(run(['fit', 'other.csv', '--sql', both, '-k', '1', '-q'])).toMatchObject({ code: 0, err: '' });
  });
});

it('DuckDB opens only the files that it is confined to, and the limit cannot be removed', async () => {
  const duck = await startDuckDb('test', 2 ** 28);
  try {
    await duck.confine([path('other.csv')]);
    const texts = (file: string): Promise<unknown[][]> => duck.rows(`SELECT content FROM read_text('${path(file)}')`);
    expect(await texts('other.csv')).toHaveLength(1);
    await expect(texts('secret.txt')).rejects.toThrow(/Permission Error/);
    for (const setting of ['enable_external_access = true', `allowed_directories = ['/']`, `allowed_paths = ['/']`])
      await expect(duck.rows(`SET ${setting}`)).rejects.toThrow(/external.access/);
  } finally {
    await duck.close();
  }
});

it('a Parquet file is read under any name, though it is the only file that DuckDB may open', () => {
  expect(run(['fit', 'x*[1]?.parquet', '-k', '1', '-q'])).toMatchObject({ code: 0, err: '' });
  expect(run(['fit', path('x*[1]?.parquet'), '-k', '1', '-q'])).toMatchObject({ code: 0, err: '' });
});

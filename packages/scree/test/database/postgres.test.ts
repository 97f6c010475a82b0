import type pg from 'pg';
import { openFile } from 'scree';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../files/test/support.js';
import { needPostgres, type PostgresServer, startPostgres } from './postgres-server.js';

const programs = needPostgres();
describe.skipIf(!programs)('a Postgres database', () => {
  let server: PostgresServer;
  let owner: pg.Client;
  beforeAll(async () => {
    server = await startPostgres(programs as string);
    owner = await server.connect();
  }, 300_000);
  afterAll(() => server?.stop());
  it('smoke', async () => {
    await owner.query(
      'create table t (a float8, b int, c text, v float8[]); insert into t values (1.5, 2, $$x$$, $${1,2,3}$$), (null, 3, null, $${1,null,3}$$)',
    );
    for (const options of [{}, { sql: 'select * from t' }]) {
      const file = await openFile(server.url, { ...options, missing: 'drop', label: 'c' });
      console.log(file.describe(), await rowsOf(file), await file.labels());
      await file.close();
    }
  });
});

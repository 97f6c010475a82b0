import { writeFileSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';
import { openFile } from 'scree';
import { expect, it, vi } from 'vitest';
import { rowsOf, useFolder } from '../disk/support.js';

/** Without koffi scree cannot take the locks of SQLite. */
vi.mock('../../src/blas/library.js', async (original) => ({
  ...(await original<object>()),
  loadKoffi: async () => 'koffi is not installed',
}));

const folder = useFolder();

function change(path: string, statement: string): void {
  const database = new sqlite.Database(path);
  database.exec(statement);
  database.close();
}

it('a SQLite database that cannot be locked is read in one state or not at all', async () => {
  const path = folder.file('data.sqlite');
  change(path, 'create table t (x real, y real); insert into t values (1, 2), (3, 4)');
  const file = await openFile(path);
  const rows = await rowsOf(file);
  expect(await rowsOf(file)).toEqual(rows);
  // The size stays the same.
  change(path, 'update t set x = 5');
  await expect(rowsOf(file)).rejects.toMatchObject({
    code: 'SOURCE_CHANGED',
    message: expect.stringMatching(/data\.sqlite was written to while it was read\. Run it again/),
  });
  await file.close();
  writeFileSync(`${path}-journal`, 'pages');
  await expect(openFile(path)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
});

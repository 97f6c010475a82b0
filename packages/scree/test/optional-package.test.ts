import { writeFile } from 'node:fs/promises';
import { FileError } from '@scree/files';
import { doctor, openFile } from 'scree';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFolder } from './disk/support.js';

/** Packages that fail to load, with the message of Node. */
const failures = new Map<string, string>();

vi.mock('../src/load-unbundled.js', () => ({
  loadUnbundled: async (name: string) => {
    const failure = failures.get(name);
    if (failure !== undefined) throw new Error(failure);
    return import(name);
  },
}));

const folder = useFolder();

const missing = (name: string): string =>
  `Cannot find package '${name}' imported from /app/node_modules/scree/dist/bin/x.js`;

beforeEach(() => failures.clear());

describe('without an optional package', () => {
  it('a query over a file says what to install', async () => {
    failures.set('@duckdb/node-api', missing('@duckdb/node-api'));
    const path = folder.file('data.csv');
    await writeFile(path, 'a,b\n1,2\n3,5\n4,4\n');
    const error = await openFile(path, { sql: 'select a from data' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FileError);
    expect(error).toMatchObject({
      code: 'UNSUPPORTED',
      path,
      message:
        'DuckDB databases and SQL queries over files need the package @duckdb/node-api, which is not installed (npm install @duckdb/node-api).',
      details: { reason: 'missing-package', value: '@duckdb/node-api' },
    });
  });

  it.each(['pg', 'pg-copy-streams'])('an address of Postgres says what to install: %s', async (name) => {
    failures.set(name, missing(name));
    await expect(openFile('postgres://me:secret@localhost:1/shop', { member: 'orders' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      path: 'postgres://me@localhost:1/shop',
      message: `Postgres databases need the package ${name}, which is not installed (npm install pg pg-copy-streams).`,
    });
  });

  it('doctor lists the package as missing, and the others with their versions', async () => {
    failures.set('pg', missing('pg'));
    const diagnosis = await doctor();
    const found = new Map(diagnosis.packages.map((each) => [each.name, each]));
    expect(found.get('pg')).toEqual({
      name: 'pg',
      purpose: 'Postgres databases',
      why: 'is not installed (npm install pg pg-copy-streams)',
    });
    expect(found.get('@duckdb/node-api')?.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(String(diagnosis)).toMatch(/Optional packages:\n[\s\S]*\n {2}pg +is not installed \(npm install pg/);
  });
});

describe('with an optional package that is installed', () => {
  it('a failure to load is reported with its reason', async () => {
    failures.set(
      '@duckdb/node-api',
      "Cannot find module '@duckdb/node-bindings-linux-x64/duckdb.node'\nRequire stack: …",
    );
    await expect(openFile(undefined, { sql: 'select 1 as a' })).rejects.toMatchObject({
      message:
        "DuckDB databases and SQL queries over files need the package @duckdb/node-api, which does not load: Cannot find module '@duckdb/node-bindings-linux-x64/duckdb.node' (npm install @duckdb/node-api).",
    });
  });
});

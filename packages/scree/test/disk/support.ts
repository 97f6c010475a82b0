import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataFile, type FileOptions, openFile } from 'scree';
import { afterAll, beforeAll } from 'vitest';
import { rowsOf } from '../../../files/test/support.js';

export { pythonWith, runPython } from '../../../../test/python.js';
export { npyBytes, npyHeader, rowsOf } from '../../../files/test/support.js';

/** A folder for the tests of a file; removed afterwards. */
export function useFolder(): { readonly path: string; file(name: string): string } {
  const folder = { path: '', file: (name: string): string => join(folder.path, name) };
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'scree-files-'));
  });
  afterAll(() => rm(folder.path, { recursive: true, force: true }));
  return folder;
}

/** All rows of a file as plain arrays. */
export async function readAll(path: string, options: FileOptions = {}): Promise<{ rows: number[][]; file: DataFile }> {
  const file = await openFile(path, options);
  try {
    return { rows: await rowsOf(file), file };
  } finally {
    await file.close();
  }
}

/** Has DuckDB do something to files. */
export async function runDuck(...statements: string[]): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

/** A generator that gives the same numbers every time. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

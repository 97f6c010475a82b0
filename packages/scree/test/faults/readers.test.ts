import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { compressFile, openFile, pca, readIdx, readModel, ScreeError, writeModel } from 'scree';
import { beforeAll, describe, expect, it } from 'vitest';
import { PACKED_ARROW } from '../../../files/test/fixtures.js';
import { bytesOf, csrFile, npyFile, zipFile } from '../../../files/test/make.js';
import { correlated, sourceOf } from '../compress/support.js';
import { rowsOf, runDuck, useFolder } from '../disk/support.js';
import { sweep } from './sweep.js';

const folder = useFolder();
const ROWS = 40;
const values = correlated(ROWS, 4, 5);
const rows = Array.from({ length: ROWS }, (_, i) => Array.from(values.subarray(4 * i, 4 * i + 4)));
const csv = `a,b,c,d\n${rows.map((row) => row.join()).join('\n')}\n`;
const npy = npyFile('<f8', [ROWS, 4], bytesOf(values));
const columns = npyFile(
  '<f8',
  [ROWS, 4],
  bytesOf(Float64Array.from(values, (_, i) => values[(i % ROWS) * 4 + Math.floor(i / ROWS)])),
  true,
);
const idx = Buffer.alloc(12 + 8 * values.length);
idx.set([0, 0, 14, 2, 0, 0, 0, ROWS, 0, 0, 0, 4]);
values.forEach((value, i) => {
  idx.writeDoubleBE(value, 12 + 8 * i);
});

/** A zstd frame of one block that is stored as it is. */
function zstdFrame(text: string): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x60, 0, 0, 0, 0, 0]);
  head.writeUInt16LE(text.length - 256, 5);
  head.writeUIntLE(1 + (text.length << 3), 7, 3);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Files whose content is made here; databases and .scree files are made before the tests. */
const CONTENT: Readonly<Record<string, string | Uint8Array>> = {
  'data.csv': csv,
  'data.csv.gz': gzipSync(csv),
  // More than is read at once, in lines of 4096 bytes: what is read ends where a line ends, and half a file looks like a whole one.
  'large.csv': Array.from({ length: 400 }, (_, i) => `${i === 0 ? 'a' : i},`.padEnd(4095, 't')).join('\n'),
  'data.csv.zst': zstdFrame(csv),
  'data.json': JSON.stringify(rows.map(([a, b, c, d]) => ({ a, b, c, d }))),
  'data.ndjson': rows.map((row) => JSON.stringify(row)).join('\n'),
  'data.npy': npy,
  'columns.npy': columns,
  'data.npy.gz': gzipSync(npy),
  'data.npz': zipFile([{ name: 'x.npy', content: npy }]),
  'packed.npz': zipFile([{ name: 'x.npy', content: npy, packed: true }]),
  'columns.npz': zipFile([{ name: 'x.npy', content: columns, packed: true }]),
  'sparse.npz': csrFile(false),
  'packed-sparse.npz': csrFile(true),
  'data.idx': idx,
  'data.arrow': Buffer.from(PACKED_ARROW.lz4, 'base64'),
  'zstd.arrow': Buffer.from(PACKED_ARROW.zstd, 'base64'),
  'data.arrow.gz': gzipSync(Buffer.from(PACKED_ARROW.lz4, 'base64')),
};
/** A database waits before it tries a lock again; sparse matrices are read in many small parts. */
const SLOW = ['data.sqlite', 'sparse.npz', 'packed-sparse.npz'];
const MADE = ['data.parquet', 'data.duckdb', 'data.sqlite', 'data.scree'];

beforeAll(async () => {
  process.env.TMPDIR = folder.file('tmp');
  await mkdir(folder.file('tmp'));
  for (const [name, content] of Object.entries(CONTENT)) await writeFile(folder.file(name), content);
  const quoted = (name: string): string => `'${folder.file(name)}'`;
  await runDuck(
    `COPY (SELECT * FROM read_csv(${quoted('data.csv')})) TO ${quoted('data.parquet')}`,
    `ATTACH ${quoted('data.duckdb')} AS d`,
    `CREATE TABLE d.t AS SELECT * FROM read_csv(${quoted('data.csv')})`,
    'DETACH d',
  );
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(folder.file('data.sqlite'));
  database.exec('CREATE TABLE t (a REAL, b REAL, c REAL, d REAL)');
  for (const row of rows) database.run('INSERT INTO t VALUES (?, ?, ?, ?)', row);
  database.close();
  const matrix = { rows: ROWS, cols: 4, data: values };
  const model = await pca(matrix, { k: 4 });
  await writeModel(folder.file('model.json'), model);
  await writeModel(folder.file('model.pca'), model);
  await compressFile({ source: sourceOf(matrix, 8), model, path: folder.file('data.scree') });
});

/**
 * Removes files that could not be removed while everything failed. The program removes them when it ends, but the next run starts before.
 */
async function emptyTemporary(): Promise<void> {
  await rm(folder.file('tmp'), { recursive: true, force: true });
  await mkdir(folder.file('tmp'));
}

/** A result, or the error in its place. */
const caught = <Result>(work: () => Promise<Result>): Promise<Result | { error: unknown }> =>
  work().catch((error: unknown) => ({ error }));

/** Every read of a file, with each call in turn failing: the right result or a typed error; no file left open, nothing left behind. */
async function expectSound(work: () => Promise<unknown>, step?: number): Promise<void> {
  await emptyTemporary();
  const before = (await readdir(folder.path, { recursive: true })).sort();
  // Without a fault the command must not fail.
  await work();
  const { calls } = await sweep({
    folder: folder.path,
    prepare: emptyTemporary,
    step,
    work: () => caught(work),
    check: async ({ result, unclosed }, without, fault, call) => {
      if (typeof result === 'object' && result !== null && 'error' in result) {
        if (!(result.error instanceof ScreeError)) throw new Error(`not a typed error: ${result.error}`);
        expect(result.error.message.length).toBeGreaterThan(10);
      } else expect(result).toEqual(without.result);
      expect(unclosed).toEqual([]);
      if (!fault.lasting && !/^rm/.test(call.name))
        expect((await readdir(folder.path, { recursive: true })).sort()).toEqual(before);
    },
  });
  expect(calls).toBeGreaterThan(0);
}

describe('with every call of the file system failing in turn, reading', () => {
  it.each([...Object.keys(CONTENT), ...MADE])('%s gives the right rows or a typed error', async (name) => {
    await expectSound(
      async () => {
        const file = await openFile(folder.file(name), { missing: 'drop' });
        try {
          // Twice: the second pass may take another path.
          return [JSON.stringify(await rowsOf(file)), JSON.stringify(await rowsOf(file))];
        } finally {
          await file.close();
        }
      },
      SLOW.includes(name) ? 4 : 1,
    );
  });

  it.each(['model.json', 'model.pca'])('%s gives the right model or a typed error', async (name) => {
    await expectSound(async () => JSON.stringify(await readModel(folder.file(name))));
  });

  it('an IDX array gives the right array or a typed error', async () => {
    await expectSound(async () => Array.from((await readIdx(folder.file('data.idx'))).data));
  });

  it('standard input that needs a temporary copy gives the right rows or a typed error', async () => {
    await expectSound(async () => {
      const stdin = (async function* () {
        yield Buffer.from(csv);
      })();
      const file = await openFile('-', {}, { stdin });
      try {
        return await rowsOf(file);
      } finally {
        await file.close();
      }
    });
  });
});

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { compressFile, createFile, openCompressed, openFile, type PcaOptions, pca, writeModel } from 'scree';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { momentsWithCheckpoint } from '../../src/command/checkpoint.js';
import { CheckpointLock } from '../../src/command/checkpoint-lock.js';
import { run as compress } from '../../src/command/compress.js';
import { fitFile } from '../../src/command/fit-file.js';
import { run as report } from '../../src/command/report.js';
import { Terminal } from '../../src/command/terminal.js';
import { run as transform } from '../../src/command/transform.js';
import { runDuck, useFolder } from './support.js';

const folder = useFolder();
const [ROWS, COLS] = [500, 4];
const data = Float64Array.from({ length: ROWS * COLS }, (_, at) => Math.round(1000 * Math.sin(at * at)) / 8);
const matrix = { rows: ROWS, cols: COLS, data };
const NAMES = ['a', 'b', 'c', 'd'];
const FORMATS = ['npy', 'csv', 'arrow', 'parquet', 'ndjson', 'sqlite', 'duckdb', 'scree'] as const;
type Format = (typeof FORMATS)[number];

/** The same rows in every format, written long ago. */
beforeAll(async () => {
  for (const format of ['npy', 'csv', 'arrow', 'parquet'] as const) {
    const writer = await createFile(folder.file(`data.${format}`), {
      cols: COLS,
      columnNames: NAMES,
      dtype: 'float64',
    });
    await writer.write(matrix);
    await writer.close();
  }
  const lines = Array.from({ length: ROWS }, (_, i) =>
    JSON.stringify(Object.fromEntries(NAMES.map((name, j) => [name, data[i * COLS + j]]))),
  );
  writeFileSync(folder.file('data.ndjson'), `${lines.join('\n')}\n`);
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(folder.file('data.sqlite'));
  database.exec('CREATE TABLE t (a REAL, b REAL, c REAL, d REAL)');
  for (let i = 0; i < ROWS; i++)
    database.run('INSERT INTO t VALUES (?, ?, ?, ?)', [...data.subarray(i * COLS, (i + 1) * COLS)]);
  database.close();
  await runDuck(
    `ATTACH '${folder.file('data.duckdb')}' AS made`,
    `CREATE TABLE made.t AS SELECT * FROM '${folder.file('data.parquet')}'`,
  );
  const file = await openFile(folder.file('data.npy'));
  await compressFile({ source: file.source, model: await pca(matrix, { k: 4 }), path: folder.file('data.scree') });
  await file.close();
});

let count = 0;
/** A copy of its own of the rows in a format, written long ago. */
function fresh(format: Format): string {
  const path = folder.file(`copy${count++}.${format}`);
  copyFileSync(folder.file(`data.${format}`), path);
  utimesSync(path, 1_600_000_000, 1_600_000_000);
  return path;
}

/** A fit during which something happens to the file, once. */
async function fitWhile(path: string, happen: () => void, options: PcaOptions = {}, sql?: string) {
  const file = await openFile(path, sql === undefined ? {} : { sql });
  try {
    let done = false;
    const onProgress = (): void => {
      if (!done) happen();
      done = true;
    };
    const model = await pca(file.source, { k: 2, solver: 'covariance', ...options, onProgress });
    expect(done).toBe(true);
    return { model, warning: model.warnings.find(({ code }) => code === 'SOURCE_CHANGED') };
  } catch (error) {
    throw await file.explain(error);
  } finally {
    await file.close();
  }
}

describe.each(FORMATS)('a .%s file', (format) => {
  it('gives no warning if it does not change', async () => {
    const { model, warning } = await fitWhile(fresh(format), () => {});
    expect(warning).toBeUndefined();
    expect(model.n).toBe(ROWS);
  });

  it('that is overwritten during a fit gives a model with a warning, or an error that names the change', async () => {
    const path = fresh(format);
    const content = readFileSync(path);
    const { warning } = await fitWhile(path, () => writeFileSync(path, content)).catch((error) => ({ warning: error }));
    // Pages of two states of SQLite may not even make a table.
    expect(warning instanceof Error).toBe(format === 'sqlite');
    expect(warning).toMatchObject({
      message: expect.stringMatching(/was written to while it was read.*use a copy/),
      details: { path },
    });
  });

  it('gives the old and new size if it grows or shrinks', async () => {
    const path = fresh(format);
    const { size } = { size: readFileSync(path).length };
    const grown = await fitWhile(path, () => appendFileSync(path, 'more')).catch((error) => ({ warning: error }));
    expect(grown.warning.code).toBe('SOURCE_CHANGED');
    expect(grown.warning.message).toContain(`it had ${size} bytes and has ${size + 4} now`);
    const other = fresh(format);
    const cut = await fitWhile(other, () => truncateSync(other, size >> 1)).catch((error) => ({ warning: error }));
    expect(cut.warning.code).toBe('SOURCE_CHANGED');
    expect(cut.warning.message).toContain(`has ${size >> 1} now`);
  });

  it('that is replaced by a rename is still the old one', async () => {
    const [path, other] = [fresh(format), fresh(format)];
    const { warning } = await fitWhile(path, () => renameSync(other, path));
    expect(warning).toBeUndefined();
  });
});

it('a query on a file watches its path, and the log of a database', async () => {
  const [csv, other] = [fresh('csv'), fresh('csv')];
  const replaced = await fitWhile(csv, () => renameSync(other, csv), {}, 'SELECT a, b FROM data');
  expect(replaced.warning?.message).toMatch(/was replaced/);
  const [path, link] = [fresh('duckdb'), folder.file('link.duckdb')];
  symlinkSync(path, link);
  const logged = await fitWhile(link, () => writeFileSync(`${path}.wal`, ''));
  expect(logged.warning?.message).toMatch(/duckdb.wal says/);
});

it.each(['refined', 'krylov', 'svd'] as const)(
  '%s fails with the change as the reason, where it fails',
  async (solver) => {
    const path = fresh('npy');
    const content = readFileSync(path);
    const happen = (): void => truncateSync(path, content.length >> 1);
    await expect(fitWhile(path, happen, { solver })).rejects.toMatchObject({
      code: 'SOURCE_CHANGED',
      message: expect.stringMatching(/copy\d+\.npy was changed while it was read: it had.*failed/),
    });
  },
);

it('a fit with a checkpoint has the warning too', async () => {
  const path = fresh('npy');
  const file = await openFile(path);
  const { signal } = new AbortController();
  const terminal = new Terminal({ quiet: true });
  const lock = await CheckpointLock.acquire(folder.file('part'));
  try {
    const read = async () => {
      const moments = await momentsWithCheckpoint(file, {
        path: folder.file('part'),
        lock,
        every: 100,
        identity: { computed: {} },
        compare: false,
        options: {},
        terminal,
        signal,
      });
      appendFileSync(path, 'more');
      return moments;
    };
    const { model } = await fitFile(file, { flags: { components: 2 }, signal }, terminal, { read });
    expect(model.warnings.map(({ code }) => code)).toContain('SOURCE_CHANGED');
    expect(model.n).toBe(ROWS);
  } finally {
    await lock.release();
    await file.close();
  }
});

describe('commands that write rows or figures fail, and leave no output', () => {
  /** The file changes when the command first asks whether it should stop. */
  async function fails(
    run: typeof transform,
    positionals: string[],
    output: string,
    flags: object = {},
  ): Promise<void> {
    const path = positionals[positionals.length - 1];
    const { signal } = new AbortController();
    let asked = false;
    const touch = (): boolean => {
      if (!asked) utimesSync(path, 1_600_000_001, 1_600_000_001);
      asked = true;
      return false;
    };
    vi.spyOn(signal, 'throwIfAborted').mockImplementation(() => void touch());
    Object.defineProperty(signal, 'aborted', { get: touch });
    await expect(run({ positionals, flags: { output, quiet: true, ...flags }, signal })).rejects.toMatchObject({
      code: 'SOURCE_CHANGED',
      message: expect.stringMatching(/was written to while it was read/),
    });
    expect(asked).toBe(true);
    expect(existsSync(output)).toBe(false);
  }

  it('transform, compress and report', async () => {
    const model = folder.file('model.json');
    await writeModel(model, await pca(matrix, { k: 2, columnNames: NAMES }));
    await fails(transform, [model, fresh('csv')], folder.file('scores.csv'));
    await fails(compress, [fresh('csv')], folder.file('small.scree'), { components: 2, json: true });
    await fails(report, [fresh('csv')], folder.file('report.html'), { model });
  });

  it('decompress: a compressed file says that it changed', async () => {
    const path = fresh('scree');
    const file = await openCompressed(path);
    expect(await file.source.warnings?.()).toEqual([]);
    utimesSync(path, 1_600_000_001, 1_600_000_001);
    expect(await file.source.warnings?.()).toMatchObject([{ code: 'SOURCE_CHANGED' }]);
    await file.close();
  });
});

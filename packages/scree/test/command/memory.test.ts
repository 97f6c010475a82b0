import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { npyHeader, npyWith, PROGRAM, useBinary } from './binary.js';

const { path, folder } = useBinary('memory');

/** The value of `--memory`, and the limit for the whole process, with Node, DuckDB's code and everything else. */
const LIMIT = 256e6;

/** The most that the operating system has seen the binary take, in bytes. It must succeed. */
function peakOf(...args: string[]): number {
  return peakWith(LIMIT, ...args);
}

/** The same with another --memory. */
function peakWith(limit: number, ...args: string[]): number {
  // Loaded before the binary: writes down the peak when it ends. Linux counts what the parent took before it became the binary as
  // part of `maxRSS`, so it is asked for the peak of this program alone.
  const hook = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    const status = '/proc/self/status';
    const peak = () => existsSync(status) ? /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))[1] : process.resourceUsage().maxRSS;
    process.on('exit', () => writeFileSync('peak', String(1024 * peak())));`;
  const words = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    PROGRAM,
    ...args,
    '-q',
    '--threads',
    '2',
  ];
  const { status, stderr } = spawnSync(process.execPath, [...words, '--memory', `${limit / 1e6}MB`], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return Number(readFileSync(path('peak'), 'utf8'));
}

/** A file of the same block again and again. */
function repeat(name: string, head: string | Uint8Array, block: Uint8Array, times: number): void {
  const file = openSync(path(name), 'w');
  writeSync(file, head as Uint8Array);
  for (let i = 0; i < times; i++) writeSync(file, block);
  closeSync(file);
}

const blockOf = (rows: number, cols: number): Float64Array =>
  Float64Array.from({ length: rows * cols }, (_, i) => Math.sin(i * i));

describe(`with --memory ${LIMIT / 1e6}MB the process stays below that`, () => {
  it('at 1 GB of .npy: fit and transform', () => {
    const block = new Uint8Array(blockOf(12_500, 100).buffer);
    repeat('x.npy', npyWith(npyHeader("'<f8'", '(1250000, 100)'), new Uint8Array()), block, 100);
    expect(statSync(path('x.npy')).size).toBeGreaterThan(3.9 * LIMIT);
    expect(peakOf('fit', 'x.npy', '-k', '5', '-o', 'x.json')).toBeLessThan(LIMIT);
    expect(peakOf('transform', 'x.json', 'x.npy', '-o', 's.npy')).toBeLessThan(LIMIT);
  });

  it('at 300 MB of text', () => {
    const lines = Array.from({ length: 2000 }, (_, i) =>
      Array.from({ length: 50 }, (_, j) => Math.sin(i * 50 + j).toFixed(6)).join(','),
    );
    repeat('x.csv', `${lines[0].replace(/[^,]+/g, 'c')}\n`, Buffer.from(`${lines.join('\n')}\n`), 320);
    expect(statSync(path('x.csv')).size).toBeGreaterThan(LIMIT);
    expect(peakOf('fit', 'x.csv', '-k', '5')).toBeLessThan(LIMIT);
  });

  it('at 300 MB of Parquet, in row groups of 40 MB, and in one of 300 MB that is read in parts', async () => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const columns = Array.from({ length: 40 }, (_, j) => `random() AS c${j}`).join(', ');
    for (const rows of [122_880, 1_000_000]) {
      const name = `x${rows}.parquet`;
      await duck.run(
        `COPY (SELECT ${columns} FROM range(1000000)) TO '${path(name)}' (FORMAT parquet, ROW_GROUP_SIZE ${rows})`,
      );
      expect(statSync(path(name)).size).toBeGreaterThan(1.2 * LIMIT);
      expect(peakOf('fit', name, '-k', '5')).toBeLessThan(LIMIT);
    }
    duck.closeSync();
  });
});

/** `analyze` holds more than `fit` does: statistics of rows, and the buffers of two files that are written and read at once. */
const ANALYZE_LIMIT = 400e6;

describe(`with --memory ${ANALYZE_LIMIT / 1e6}MB scree analyze --tables stays below that`, () => {
  // SCREE_FULL=1: 2.5 GB instead of 0.4 GB.
  const full = process.env.SCREE_FULL !== undefined;
  const rows = full ? 5_000_000 : 800_000;
  const apart = full ? 20_000 : 0;

  it(`at a larger Parquet file, with groups${full ? ' and supplementary rows' : ''}`, {
    timeout: 1_200_000,
  }, async () => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const columns = Array.from({ length: 64 }, (_, j) => `random() AS c${j}`).join(', ');
    await duck.run(
      `COPY (SELECT ${columns}, 'g' || (i % 3) AS g FROM range(${rows}) t(i)) TO '${path('tables.parquet')}' (FORMAT parquet)`,
    );
    duck.closeSync();
    expect(statSync(path('tables.parquet')).size).toBeGreaterThan(ANALYZE_LIMIT);
    const beside = full ? ['--supplementary-rows', `1-${apart}`] : [];
    const flags = ['-k', '2', '--bootstrap', '0', '--group', 'g', ...beside];
    const peak = peakWith(
      ANALYZE_LIMIT,
      'analyze',
      'tables.parquet',
      ...flags,
      '--tables',
      'tables',
      '--tables-format',
      'parquet',
    );
    expect(peak).toBeLessThan(ANALYZE_LIMIT);
    const again = await (await DuckDBInstance.create(':memory:')).connect();
    const count = async (name: string): Promise<number> =>
      Number((await again.runAndReadAll(`SELECT count(*) FROM '${path(name)}'`)).getRows()[0][0]);
    expect(await count('tables/rows.parquet')).toBe(rows - apart);
    if (full) expect(await count('tables/supplementary-rows.parquet')).toBe(apart);
    again.closeSync();
  });
});

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { npyHeader, npyWith, PROGRAM, useBinary } from './binary.js';

const { path, folder } = useBinary('memory');

/**
 * Files of 2 GB with `--memory 256MB` if SCREE_FULL is set, otherwise of 128 MB with `--memory 32MB`. In both cases a file is several
 * times as large as what a command may take.
 */
const FULL = process.env.SCREE_FULL !== undefined;
const SIZE = FULL ? 2e9 : 128e6;
const LIMIT = FULL ? 256e6 : 32e6;

/** What a process may take beside `--memory`, in bytes: Node, compiled code, threads. docs/limits.md says the same. */
const BESIDE = FULL
  ? { fit: 90e6, transform: 90e6, by: 190e6, analyze: 90e6, report: 90e6, tables: 190e6 }
  : { fit: 125e6, transform: 110e6, by: 190e6, analyze: 190e6, report: 190e6, tables: 190e6 };

/** The most that the operating system has seen the command take, in bytes. It must succeed. */
function peakOf(...args: string[]): number {
  // Loaded before the binary: writes down the peak when it ends. Linux counts what the parent took before it became the binary as
  // part of `maxRSS`, so it is asked for the peak of this program alone.
  const hook = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    const status = '/proc/self/status';
    const peak = () => existsSync(status) ? /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))[1] : process.resourceUsage().maxRSS;
    process.on('exit', () => writeFileSync('peak', String(1024 * peak())));`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, PROGRAM, ...args];
  const limits = ['-q', '--threads', '2', '--memory', `${LIMIT / 1e6}MB`];
  const { status, stderr } = spawnSync(process.execPath, [...words, ...limits], { cwd: folder, encoding: 'utf8' });
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

/** Columns that every file has, besides the name and the group of a row. */
const COLS = 40;

async function writeFiles(): Promise<void> {
  const numbers = Float64Array.from({ length: 4000 * COLS }, (_, i) => Math.sin(i * i));
  const blocks = Math.ceil(SIZE / numbers.byteLength);
  const header = npyHeader("'<f8'", `(${blocks * 4000}, ${COLS})`);
  repeat('x.npy', npyWith(header, new Uint8Array()), new Uint8Array(numbers.buffer), blocks);
  const lines = Array.from({ length: 4000 }, (_, i) => {
    const cells = Array.from(numbers.subarray(i * COLS, (i + 1) * COLS), (value) => value.toFixed(6));
    return `row ${i},g${i % 3},${cells.join(',')}\n`;
  });
  const text = Buffer.from(lines.join(''));
  const names = Array.from({ length: COLS }, (_, j) => `c${j}`);
  repeat('x.csv', `id,g,${names.join(',')}\n`, text, Math.ceil(SIZE / text.length));
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  const columns = names.map((name) => `random() AS ${name}`).join(', ');
  await duck.run(
    `COPY (SELECT 'row ' || i AS id, 'g' || (i % 3) AS g, ${columns} FROM range(${Math.ceil(SIZE / (8 * COLS))}) t(i)) TO '${path('x.parquet')}' (FORMAT parquet, ROW_GROUP_SIZE 30720)`,
  );
  duck.closeSync();
  for (const name of ['x.npy', 'x.csv', 'x.parquet']) expect(statSync(path(name)).size).toBeGreaterThan(3.9 * LIMIT);
}

describe(`with --memory ${LIMIT / 1e6}MB, a file of ${SIZE / 1e6} MB needs little more than that`, {
  timeout: 1_800_000,
}, () => {
  beforeAll(writeFiles, 600_000);

  it('as .npy', () => {
    expect(peakOf('fit', 'x.npy', '-k', '5', '-o', 'x.json')).toBeLessThan(LIMIT + BESIDE.fit);
    expect(peakOf('transform', 'x.json', 'x.npy', '-o', 's.npy')).toBeLessThan(LIMIT + BESIDE.transform);
    expect(peakOf('analyze', 'x.npy', '-k', '2')).toBeLessThan(LIMIT + BESIDE.analyze);
  });

  it.each(['x.csv', 'x.parquet'])('as %s, with names and groups of rows', (name) => {
    const named = ['--label', 'id'];
    expect(peakOf('fit', name, '-k', '5', '-o', 'x.json', ...named)).toBeLessThan(LIMIT + BESIDE.fit);
    expect(peakOf('transform', 'x.json', name, '-o', 's.csv', ...named)).toBeLessThan(LIMIT + BESIDE.transform);
    expect(peakOf('fit', name, '--by', 'g', '--exclude', 'id', '-o', 'by.json')).toBeLessThan(LIMIT + BESIDE.by);
    if (FULL || name === 'x.csv') {
      expect(peakOf('report', name, '-o', 'x.html', ...named)).toBeLessThan(LIMIT + BESIDE.report);
    }
    if (FULL || name === 'x.parquet') {
      expect(peakOf('analyze', name, '-k', '2', '--group', 'g', ...named)).toBeLessThan(LIMIT + BESIDE.analyze);
    }
  });

  it('as .parquet, with tables of all rows and of supplementary rows', async () => {
    const flags = ['-k', '2', '--bootstrap', '0', '--group', 'g', '--exclude', 'id', '--supplementary-rows', '1-2000'];
    const tables = ['--tables', 'tables', '--tables-format', 'parquet'];
    expect(peakOf('analyze', 'x.parquet', ...flags, ...tables)).toBeLessThan(LIMIT + BESIDE.tables);
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const count = async (name: string): Promise<number> =>
      Number((await duck.runAndReadAll(`SELECT count(*) FROM '${path(name)}'`)).getRows()[0][0]);
    expect(await count('tables/rows.parquet')).toBe(Math.ceil(SIZE / (8 * COLS)) - 2000);
    expect(await count('tables/supplementary-rows.parquet')).toBe(2000);
    duck.closeSync();
  });
});

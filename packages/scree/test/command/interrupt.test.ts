import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAM, useBinary } from './binary.js';

const { folder, path } = useBinary('interrupt');
mkdirSync(path('tmp'));

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: { ...process.env, TMPDIR: path('tmp') } });
}

/** Its exit code, once it has been sent the signal; what takes longer than this is a hang. */
function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const slow = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('it does not end'));
    }, 10_000);
    child.on('exit', (code) => {
      clearTimeout(slow);
      resolve(code);
    });
    child.kill(signal);
  });
}

const laidDown = async (): Promise<void> => {
  while (readdirSync(path('tmp')).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
};

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s ends the wait for standard input with exit code %i, and temporary files are removed',
  async (signal, code) => {
    const child = start(['fit', '-', '-k', '1']);
    child.stdin?.write('a,b\n'.padEnd(100_000, '1,2\n2,1\n'));
    await laidDown();
    expect(await ended(child, signal)).toBe(code);
    expect(readdirSync(path('tmp'))).toEqual([]);
  },
  20_000,
);

it('ends a query that would take hours', async () => {
  const many = 'from range(3000000) a, range(300000) b group by a.range';
  const child = start(['fit', '--sql', `select sum(a.range * b.range) x, a.range % 7 y ${many}`, '-k', '1']);
  await laidDown();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await ended(child, 'SIGINT')).toBe(130);
  expect(readdirSync(path('tmp'))).toEqual([]);
}, 20_000);

it('ends a query over a SQLite file that would take hours', async () => {
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(path('s.db'));
  database.exec('create table t (x real); insert into t values (1), (2), (4)');
  database.close();
  const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e12)';
  const child = start(['fit', 's.db', '--sql', `${numbers} select x, sum(i * x) y from t, n group by x`, '-k', '1']);
  await laidDown();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await ended(child, 'SIGINT')).toBe(130);
  expect(readdirSync(path('tmp'))).toEqual([]);
}, 20_000);

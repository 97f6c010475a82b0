import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { blasEngine } from 'scree';
import { describe, expect, it } from 'vitest';
import { npy, npyHeader, npyWith, PROGRAM, useBinary } from './binary.js';

const { folder, path, run, write } = useBinary('checkpoint-safety');

/** A file that is read in two groups and ends in an error, so that a checkpoint of the first group is left. */
const data = Float32Array.from({ length: 50 * 200_000 }, (_, at) => Math.sin(at * at));
const numbers = (last: number): Buffer => {
  data[data.length - 1] = last;
  return npyWith(npyHeader("'<f4'", '(200000, 50)'), new Uint8Array(data.buffer));
};
const TIME = new Date(1_700_000_000_000);
const FIT = [
  'fit',
  'data.npy',
  '-k',
  '2',
  '-q',
  '--bootstrap=0',
  '--every',
  '0',
  '--memory',
  '64MB',
  '--checkpoint',
  'c.part',
];

/** Leaves the checkpoint c.part of data.npy; `mend` makes the file complete with the same size and date. */
function interrupted(...more: readonly string[]): { mend: () => void; saved: Buffer } {
  rmSync(path('c.part'), { force: true });
  const put = (last: number): void => {
    write('data.npy', numbers(last));
    utimesSync(path('data.npy'), TIME, TIME);
  };
  put(Number.NaN);
  expect(run([...FIT, ...more]).err).toMatch(/first: row 200,000, column/);
  return { mend: () => put(1), saved: readFileSync(path('c.part')) };
}

/** The two lines and the numbers of a checkpoint. */
function pieces(saved: Buffer): { head: Record<string, unknown>; checksum: string; body: Buffer } {
  const [first, second] = [saved.indexOf(10), saved.indexOf(10, saved.indexOf(10) + 1)];
  return {
    head: JSON.parse(saved.subarray(0, first).toString()),
    checksum: saved.subarray(first + 1, second).toString(),
    body: saved.subarray(second + 1),
  };
}

const hasBlas = (await blasEngine()) !== undefined;

describe('a checkpoint', () => {
  it('has a checksum, and is rejected with another row count, identity or body', () => {
    const { mend, saved } = interrupted();
    mend();
    const { head, checksum, body } = pieces(saved);
    const put = (bytes: Buffer): void => writeFileSync(path('c.part'), bytes);
    put(Buffer.from(saved.toString('latin1').replace(`"rows":${head.rows}`, '"rows":1000'), 'latin1'));
    expect(run(FIT)).toMatchObject({ code: 1, err: expect.stringMatching(/changed or damaged after it was written/) });
    const flipped = Buffer.from(saved);
    flipped[flipped.length - 1000] ^= 1;
    put(flipped);
    expect(run(FIT)).toMatchObject({ code: 1, err: expect.stringMatching(/changed or damaged/) });
    put(saved.subarray(0, saved.length - 1));
    expect(run(FIT)).toMatchObject({ code: 1, err: expect.stringMatching(/changed or damaged/) });
    // A checksum that is right does not help a row count that is not the one of the sums.
    const wrong = Buffer.from(`${JSON.stringify({ ...head, rows: 1000 })}\n`);
    const sum = createHash('sha256').update(wrong).update(body).digest('hex');
    expect(checksum).toHaveLength(sum.length);
    put(Buffer.concat([wrong, Buffer.from(`${sum}\n`), body]));
    expect(run(FIT)).toMatchObject({ code: 1, err: expect.stringMatching(/row count is wrong/) });
    put(saved);
    expect(run(FIT).code).toBe(0);
  });

  it('of version 1, without a checksum, is resumed, and its row count is compared with its sums', () => {
    const { mend, saved } = interrupted();
    mend();
    expect(run([...FIT.slice(0, -2), '-o', 'straight.pca', '--checkpoint', 'other.part']).code).toBe(0);
    const { head, body } = pieces(saved);
    const { computed, ...identity } = head.identity as Record<string, unknown>;
    expect(computed).toMatchObject({ engine: expect.stringMatching(/wasm|blas/) });
    const old = (rows: unknown): void =>
      writeFileSync(path('c.part'), Buffer.concat([Buffer.from(`${JSON.stringify({ identity, rows })}\n`), body]));
    old(Number(head.rows) + 1024);
    expect(run(FIT)).toMatchObject({ code: 1, err: expect.stringMatching(/row count is wrong/) });
    old(head.rows);
    const { code, err } = run([...FIT.filter((word) => word !== '-q'), '-o', 'resumed.pca']);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/Going on after/) });
    expect(readFileSync(path('resumed.pca')).equals(readFileSync(path('straight.pca')))).toBe(true);
  });

  it('of a later version is rejected with a message that says so', () => {
    write('c.part', `${JSON.stringify({ version: 3, identity: {}, rows: 1 })}\n`);
    expect(run(FIT)).toMatchObject({ code: 1, err: expect.stringMatching(/version 3, and this scree reads up to 2/) });
  });

  it('is rejected with other options, and the message names the difference', () => {
    const { mend } = interrupted('--engine', 'wasm');
    mend();
    const { code, err } = run([...FIT, '--engine', 'reference']);
    expect(code).toBe(1);
    expect(err).toMatch(/a checkpoint of other data.*engine "wasm", now "reference"/);
    // WebAssembly gives the same bits for any number of threads.
    expect(run([...FIT, '--engine', 'wasm', '--threads', '1']).code).toBe(0);
  });

  it.runIf(hasBlas)('computed by BLAS is not resumed with another number of threads', () => {
    const { mend } = interrupted('--engine', 'blas', '--threads', '2');
    mend();
    const { code, err } = run([...FIT, '--engine', 'blas', '--threads', '1']);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/threads 2, now 1/) });
    write('copy.npy', readFileSync(path('data.npy')));
    utimesSync(path('copy.npy'), TIME, TIME);
    const copy = FIT.map((word) => (word === 'data.npy' ? 'copy.npy' : word));
    expect(run([...copy, '--engine', 'blas', '--threads', '2']).err).toMatch(/path "data.npy", now "copy.npy"/);
    expect(run([...FIT, '--engine', 'blas', '--threads', '2']).code).toBe(0);
  });
});

describe('--checkpoint and --output are the same file', () => {
  write(
    'small.npy',
    npy(100, 3, (i) => Math.sin(i * i)),
  );
  const refused = (checkpoint: string, output: string): void => {
    const { code, err } = run(['fit', 'small.npy', '-k', '1', '--checkpoint', checkpoint, '-o', output]);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/name the same file/) });
  };

  it('through a link to a file that does not exist yet, and through two links', () => {
    symlinkSync('m1.json', path('link1'));
    symlinkSync('link1', path('link2'));
    refused('link1', 'm1.json');
    refused('link2', 'm1.json');
    expect(existsSync(path('m1.json'))).toBe(false);
  });

  it('through a folder that is a link', () => {
    mkdirSync(path('real'));
    symlinkSync('real', path('alias'));
    refused('alias/m2.json', 'real/m2.json');
  });

  it('through a hard link', () => {
    write('m3.json', 'old');
    linkSync(path('m3.json'), path('m3.part'));
    refused('m3.part', 'm3.json');
    expect(readFileSync(path('m3.json'), 'utf8')).toBe('old');
  });

  it('if the model is a link to the lock', () => {
    symlinkSync('m4.lock', path('m4.json'));
    refused('m4', 'm4.json');
  });
});

describe('two processes on one checkpoint', () => {
  const exit = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.on('exit', resolve));
  const header = npyHeader("'<f4'", '(200000, 50)');

  /** A fit that holds its lock until its standard input ends. */
  async function waiting(checkpoint: string): Promise<ChildProcess> {
    const args = [PROGRAM, 'fit', '-', '-k', '2', '-q', '--checkpoint', checkpoint, '-o', `${checkpoint}.json`];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin?.on('error', () => {});
    child.stdin?.write(npyWith(header, new Uint8Array(data.buffer)).subarray(0, 1 << 20));
    while (!existsSync(path(`${checkpoint}.lock`)) && child.exitCode === null) await sleep(5);
    return child;
  }

  it('the second is rejected while the first runs, and the first succeeds', async () => {
    const child = await waiting('busy');
    const over = exit(child);
    const { code, err } = run(['fit', 'small.npy', '-k', '1', '--checkpoint', 'busy', '-o', 'second.json']);
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(`^scree: busy is in use by process ${child.pid} on this machine. Wait until it ends`),
    );
    expect(existsSync(path('second.json'))).toBe(false);
    data[data.length - 1] = 1;
    child.stdin?.end(npyWith(header, new Uint8Array(data.buffer)).subarray(1 << 20));
    expect(await over).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('busy'))).toEqual(['busy.json']);
  }, 60_000);

  it('the lock of a killed process is taken over', async () => {
    const child = await waiting('dead');
    const over = exit(child);
    child.kill('SIGKILL');
    await over;
    expect(existsSync(path('dead.lock'))).toBe(true);
    expect(run(['fit', 'small.npy', '-k', '1', '--checkpoint', 'dead', '-q']).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('dead'))).toEqual([]);
  }, 60_000);

  it('a process on another machine keeps its lock while it gives signs of life', () => {
    const owner = { pid: 1, host: 'elsewhere', process: '00000000-1-1', token: 'x' };
    write('far.lock', `${JSON.stringify(owner)}\n`);
    const args = ['fit', 'small.npy', '-k', '1', '--checkpoint', 'far', '-q'];
    const { code, err } = run(args);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/process 1 on elsewhere.*delete .*far.lock/),
    });
    const long = new Date(Date.now() - 600_000);
    utimesSync(path('far.lock'), long, long);
    expect(run(args).code).toBe(0);
    expect(existsSync(path('far.lock'))).toBe(false);
  });

  it('a lock is not kept by another process that now has the same pid', () => {
    const { process: id } = lockOf('mine');
    const [host] = id.split('-');
    // This test's own pid, with another time of its start.
    const owner = { pid: process.pid, host: hostname(), process: `${host}-${process.pid}-1`, token: 'x' };
    write('reused.lock', `${JSON.stringify(owner)}\n`);
    const isLinux = process.platform === 'linux';
    expect(run(['fit', 'small.npy', '-k', '1', '--checkpoint', 'reused', '-q']).code).toBe(isLinux ? 0 : 1);
  });

  it('a file of the user with the name of the lock is not touched', () => {
    write('yarn.lock', 'left-pad@1.0.0\n');
    const long = new Date(Date.now() - 600_000);
    utimesSync(path('yarn.lock'), long, long);
    const { code, err } = run(['fit', 'small.npy', '-k', '1', '--checkpoint', 'yarn', '-q']);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/yarn.lock .* is another file/) });
    expect(readFileSync(path('yarn.lock'), 'utf8')).toBe('left-pad@1.0.0\n');
  });

  /** A lock as the command writes it. */
  function lockOf(name: string): { process: string } {
    const program = `const { CheckpointLock } = await import(${JSON.stringify(new URL('../../dist/command/checkpoint-lock.js', import.meta.url).href)});
      await CheckpointLock.acquire(${JSON.stringify(path(name))});
      console.log((await import('node:fs')).readFileSync(${JSON.stringify(path(`${name}.lock`))}, 'utf8'));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    return JSON.parse(stdout);
  }
});

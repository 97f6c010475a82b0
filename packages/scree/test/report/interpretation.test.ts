import { groupEllipse } from '@scree/analysis';
import { percent } from '@scree/analysis/describe';
import fc from 'fast-check';
import {
  analyze,
  analyzeModel,
  columnContributions,
  famd,
  makeReport,
  mca,
  pca,
  type Report,
  supplementary,
} from 'scree';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixedDecimals } from '../../src/report/columns.js';
import { categoryCentres, numericColumns } from '../../src/report/encoded-columns.js';
import { type NameArea, placeArrowNames, placeNames } from '../../src/report/figures/place-names.js';
import { labelsOf, noise } from './data.js';
import { report, tableOf, textOf } from './sound.js';

const COLUMNS = ['height', 'weight', 'age', 'income'];
const next = noise(5);
const ROWS = Array.from({ length: 90 }, (_, i) => {
  const [shared, own] = [(i % 3) + next(), next()];
  return [shared + 0.1 * next(), 2 * shared + 0.2 * next(), own, 3 * own - shared + 0.1 * next()];
});
const GROUPS = ROWS.map((_, i) => ['north', 'south', 'west'][i % 3]);
const POINTS = ROWS.map(([height, weight]) => [height + weight]);

describe('a report of columns, groups and rows that had no part in the fit', () => {
  let made: Report;
  let text: string;
  const model = pca(ROWS, { columnNames: COLUMNS, scale: 'unit', k: 3 });
  beforeAll(async () => {
    const analysis = await analyze(ROWS, {
      columnNames: COLUMNS,
      scale: 'unit',
      k: 3,
      bootstrap: 0,
      rotate: 'varimax',
      supplementary: {
        columns: POINTS,
        columnNames: ['points'],
        groups: { region: GROUPS, half: ROWS.map((_, i) => (i < 45 ? 'first' : 'second')) },
        rows: [[1, 2, 0, 3]],
        rowNames: ['the new one'],
      },
    });
    made = await report({ analysis, labels: labelsOf(GROUPS), labelName: 'region' });
    text = textOf(made);
  });

  it('has a figure of each', () => {
    expect(made.figures.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['correlations-1-2', 'contributions', 'cos2', 'groups-1-2', 'rotated-loadings', 'biplot']),
    );
    const svg = made.figures.find(({ name }) => name === 'scores-1-2')?.svg;
    expect(svg).toContain('the new one');
    expect(made.figures.find(({ name }) => name === 'correlations-1-2')?.svg).toContain('>points<');
  });

  it('has the numbers of columnContributions', async () => {
    const columns = columnContributions(await model);
    const named = new Map(columns.map((column) => [column.name, column]));
    const circle = tableOf(made, 'correlations-1-2').filter(([name]) => named.has(name));
    expect(circle).toHaveLength(4);
    for (const [name, first, second] of circle) {
      expect([first, second]).toEqual(
        named
          .get(name)
          ?.correlation.slice(0, 2)
          .map((r) => fixedDecimals(r, 3)),
      );
    }
    for (const [name, contribution, , other] of tableOf(made, 'contributions')) {
      const own = named.get(name)?.contribution ?? [];
      expect([contribution, other]).toEqual([percent(own[0] / 100), percent(own[1] / 100)].map(plain));
    }
    for (const [name, ...shares] of tableOf(made, 'cos2')) {
      expect(shares).toEqual(
        [...(named.get(name)?.cos2 ?? []), named.get(name)?.communality ?? 0].map((r) => fixedDecimals(r, 3)),
      );
    }
  });

  it('says what the components mean after how stable they are, with groups and supplementary columns', () => {
    expect(text).toMatch(/No bootstrap.*high score goes with.*PC1 \(\d+ %\): more income, less weight and height/s);
    expect(text).toMatch(/correlates with points \(r −\.9/);
    expect(text).toMatch(/separates the 3 levels of region \(η² \.\d\d\)/);
  });

  it('says which ellipse is which, how many rows are named and what the diamond is', () => {
    expect(text).toContain('Dashed ellipses: where the next row of a group is with 95 % probability');
    expect(text).toContain('Small filled ellipses: where a group’s true centre is, with 95 % confidence.');
    expect(text).toContain('The diamond is a row that had no part in the fit.');
  });

  it('writes names that were cut out in full below the figures of files', async () => {
    const long = [
      'a first name that is too long to be shown',
      'x'.repeat(150),
      'weight & <height> of the second kind',
      'd',
    ];
    const fitted = await pca(ROWS, { columnNames: long, scale: 'unit', k: 2 });
    const { figures, html } = await report({ model: fitted, source: ROWS });
    const contributions = figures.find(({ name }) => name === 'contributions')?.svg ?? '';
    expect(contributions).toContain(': a first name that is too long to be shown</text>');
    expect(contributions).toContain(': weight &amp; &lt;height&gt; of the second kind</text>');
    expect(contributions.match(/x{40,}<\/text>/g)?.length).toBeGreaterThan(1);
    expect(html).not.toContain(': a first name that is too long to be shown</text>');
  });

  it('does not say of new rows what groups have to do with the components', async () => {
    const other = await report({
      model: await model,
      source: ROWS,
      rows: 'new',
      labels: labelsOf(GROUPS),
      labelName: 'region',
    });
    expect(textOf(other)).toMatch(/PC1 \(\d+ %\): more income/);
    expect(textOf(other)).not.toContain('levels of region');
  });

  it('computes groups from all rows, with their weights, as supplementary() does', async () => {
    const fitted = await model;
    const weights = ROWS.map((_, i) => 1 + (i % 2));
    const { groups } = await supplementary(fitted, ROWS, { groups: { region: GROUPS }, weights });
    const weighted = await makeReport({
      title: 'weighted',
      model: fitted,
      source: ROWS,
      labels: labelsOf(GROUPS),
      labelName: 'region',
      weights,
    });
    expect(weighted.html).toContain(
      `region: η²</td><td class="number">135</td><td class="number">${fixedDecimals(groups[0].eta2[0], 3)}`,
    );
    for (const { vTest } of groups[0].levels) expect(weighted.html).toContain(`>${fixedDecimals(vTest[0], 2)}</td>`);
    expect(groupEllipse(groups[0].levels[0], [0, 1])?.semiAxes[0]).toBeGreaterThan(0);
  });
});

describe('a report of categories', () => {
  const TABLE = ROWS.map((row, i) => ({
    height: row[0],
    age: row[2],
    region: GROUPS[i],
    even: i % 2 ? 'odd' : 'even',
  }));

  it('has the centre of each level: the mean of the scores of its rows', async () => {
    const labels = TABLE.map(({ region, even }) => ({ region, even }));
    for (const [fitted, table, levels] of [
      [await famd(TABLE, { k: 3 }), TABLE, 5],
      [await mca(labels, { k: 3 }), labels, 5],
    ] as const) {
      const { data } = await fitted.transform(table);
      const centres = categoryCentres(await analyzeModel(fitted, table));
      expect(centres).toHaveLength(levels);
      for (const { column, level, center } of centres) {
        const own = TABLE.flatMap((row, i) => (row[column as 'region'] === level ? [i] : []));
        for (let c = 0; c < 3; c++) {
          const mean = own.reduce((sum, i) => sum + data[3 * i + c], 0) / own.length;
          expect(center[c]).toBeCloseTo(mean, 10);
        }
      }
    }
  });

  it('draws numbers in the circle and levels as centres', async () => {
    const fitted = await famd(TABLE, { k: 3 });
    expect(numericColumns(fitted).map((j) => fitted.columnNames?.[j])).toEqual(['height', 'age']);
    const made = await report({ model: fitted, source: TABLE });
    expect(
      tableOf(made, 'correlations-1-2')
        .map(([name]) => name)
        .sort(),
    ).toEqual(['age', 'height']);
    expect(tableOf(made, 'categories-1-2').map(([, level]) => level)).toEqual([
      'north',
      'south',
      'west',
      'even',
      'odd',
    ]);
  });

  it('has no circle if all columns are categories', async () => {
    const fitted = await mca(
      TABLE.map(({ region, even }) => ({ region, even })),
      { k: 2 },
    );
    const made = await report({ model: fitted, source: TABLE.map(({ region, even }) => ({ region, even })) });
    expect(made.figures.map(({ name }) => name)).not.toContain('correlations-1-2');
    expect(made.figures.map(({ name }) => name)).toContain('categories-1-2');
  });
});

describe('names beside points', () => {
  const frame: NameArea = { left: 0, right: 480, top: 0, bottom: 400 };
  const places = fc.array(
    fc.record({
      at: fc.tuple(fc.integer({ min: 0, max: 480 }), fc.integer({ min: 0, max: 400 })),
      name: fc.string({ minLength: 1, maxLength: 14 }),
    }),
    { maxLength: 60 },
  );
  const overlaps = (boxes: readonly NameArea[]): boolean =>
    boxes.some((a, i) =>
      boxes.some((b, j) => j < i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
    );

  it('never overlap, and stay inside the frame', () => {
    fc.assert(
      fc.property(places, (wanted) => {
        for (const names of [
          placeNames(wanted, frame),
          placeArrowNames(wanted, [240, 200], frame),
          placeArrowNames(wanted, [240, 200], frame, { drawAll: true }),
        ]) {
          const boxes = names.filter((name) => name !== undefined);
          expect(overlaps(boxes)).toBe(false);
          for (const { left, right, top, bottom } of boxes) {
            expect(left >= 0 && right <= 480 && top >= 0 && bottom <= 400).toBe(true);
          }
        }
      }),
    );
  });

  it('are all placed if there is room', () => {
    const apart = Array.from({ length: 12 }, (_, i) => ({
      at: [60 + 120 * (i % 4), 40 + 120 * Math.floor(i / 4)] as const,
      name: `row ${i}`,
    }));
    expect(placeNames(apart, frame).every((name) => name !== undefined)).toBe(true);
  });
});

function plain(words: string): string {
  return words.replace(/\u00a0/g, ' ');
}

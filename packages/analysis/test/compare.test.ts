import { type Matrix, pca } from '@scree/core';
import { random, randomRows } from '@scree/core/linalg';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tables, toCsr, toMatrix } from '../../core/test/support/data.js';
import { readGasoline } from '../../core/test/support/public-tables.js';
import { readTable } from '../../core/test/support/table.js';
import { compareModels, congruence, principalAngles, procrustes, rvCoefficient } from '../src/index.js';

const columnsOf = (rows: readonly (readonly number[])[], from: number, to: number): number[][] =>
  rows.map((row) => row.slice(from, to));

/** The same rows, block after block of the given sizes. */
async function* inBlocks(rows: readonly number[][], ...sizes: number[]): AsyncGenerator<Matrix> {
  for (let from = 0, at = 0; from < rows.length; at++) {
    const size = sizes[at % sizes.length];
    yield toMatrix(rows.slice(from, from + size));
    from += size;
  }
}

/** RV by its definition, on the products of the centred rows. */
function directRv(x: number[][], y: number[][]): number {
  const inner = (rows: number[][]): number[] => {
    const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
    const c = rows.map((row) => row.map((v, j) => v - mean[j]));
    return c.flatMap((a) => c.map((b) => a.reduce((sum, v, j) => sum + v * b[j], 0)));
  };
  const [a, b] = [inner(x), inner(y)];
  const product = (p: number[], q: number[]): number => p.reduce((sum, v, i) => sum + v * q[i], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

describe('rvCoefficient', () => {
  it('is that of FactoMineR::coeffRV for the decathlon, scaled and not', async () => {
    const { rows } = readTable('decathlon2');
    const [x, y] = [columnsOf(rows, 0, 5), columnsOf(rows, 5, 10)];
    expect(Math.abs((await rvCoefficient(x, y, { scale: 'unit' })) - 0.47393041038237)).toBeLessThan(1e-12);
    expect(Math.abs((await rvCoefficient(x, y)) - 0.14578666368996)).toBeLessThan(1e-12);
  });

  it('is that of FactoMineR for more columns than rows', async () => {
    const { spectra } = readGasoline();
    const [x, y] = [columnsOf(spectra, 0, 200), columnsOf(spectra, 200, 401)];
    expect(Math.abs((await rvCoefficient(x, y)) - 0.84143636258145)).toBeLessThan(1e-11);
    expect(Math.abs((await rvCoefficient(x, y, { scale: 'unit' })) - 0.84426459278475)).toBeLessThan(1e-11);
  });

  it('is the same for streams in blocks of other sizes, and for sparse rows', async () => {
    const { rows } = readTable('decathlon2');
    const [x, y] = [columnsOf(rows, 0, 5), columnsOf(rows, 5, 10)];
    const expected = await rvCoefficient(x, y);
    expect(Math.abs((await rvCoefficient(inBlocks(x, 3, 8), inBlocks(y, 5))) - expected)).toBeLessThan(1e-13);
    expect(Math.abs((await rvCoefficient(toCsr(x), inBlocks(y, 7, 1))) - expected)).toBeLessThan(1e-12);
  });

  it('agrees with its definition on any two tables, is symmetric, and 1 for a rotated table', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 30 }), fc.integer(), async (rows, width, seed) => {
        const { normal } = random(seed);
        const other = rows.map((row) => Array.from({ length: width }, () => normal() + 0.3 * row[0]));
        if (rows.every((row) => row.every((value, j) => value === rows[0][j]))) return;
        const rv = await rvCoefficient(rows, other);
        // The definition loses digits to the tables' offset of 1e6 spreads; so does what float64 stores.
        expect(Math.abs(rv - directRv(rows, other))).toBeLessThan(1e-7);
        expect(Math.abs(rv - (await rvCoefficient(other, rows)))).toBeLessThan(1e-9);
        expect(rv).toBeGreaterThanOrEqual(0);
        expect(rv).toBeLessThanOrEqual(1 + 1e-12);
      }),
      { numRuns: 60 },
    );
    const { rows } = readTable('decathlon2');
    const q = randomRows(10, 10, random(4));
    const turned = rows.map((row) =>
      Array.from({ length: 10 }, (_, c) => 3 + 2 * row.reduce((sum, v, j) => sum + v * q[c * 10 + j], 0)),
    );
    expect(Math.abs((await rvCoefficient(rows, turned)) - 1)).toBeLessThan(1e-12);
  });

  it('does not depend on the size of the numbers', async () => {
    const { rows } = readTable('decathlon2');
    const expected = await rvCoefficient(columnsOf(rows, 0, 5), columnsOf(rows, 5, 10));
    const tiny = rows.map((row) => row.map((v) => v * 1e-150));
    const large = rows.map((row) => row.map((v) => v * 1e140));
    expect(Math.abs((await rvCoefficient(columnsOf(tiny, 0, 5), columnsOf(large, 5, 10))) - expected)).toBeLessThan(
      1e-12,
    );
  });

  it('refuses tables of different rows, and a table that does not vary', async () => {
    const rows = [
      [1, 2],
      [3, 4],
      [5, 7],
    ];
    await expect(rvCoefficient(rows, rows.slice(1))).rejects.toThrow('The second table has 2 rows, the first has more');
    await expect(rvCoefficient(rows, [[1], [1], [1]])).rejects.toThrow('the same');
    await expect(rvCoefficient([[1]], [[1]])).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
  });
});

describe('procrustes', () => {
  const scoresOf = async (rows: number[][]): Promise<Matrix> =>
    (await pca(rows, { k: 2, scale: 'unit' })).transform(rows);

  it('is that of vegan::procrustes for scores of ten and of six events', async () => {
    const { rows } = readTable('decathlon2');
    const found = await procrustes(await scoresOf(rows), await scoresOf(columnsOf(rows, 0, 6)));
    expect(Math.abs(found.ss - 0.35987591646294)).toBeLessThan(1e-11);
    expect(Math.abs(found.correlation - 0.80007754845206)).toBeLessThan(1e-11);
    expect(Math.abs(found.scale - 0.9266580658297)).toBeLessThan(1e-11);
    expect(Math.abs(found.residual - 47.208657157772)).toBeLessThan(1e-9);
    expect(Math.abs(Math.abs(found.rotation.data[0]) - 0.999232854640385)).toBeLessThan(1e-11);
    expect(Math.abs(Math.abs(found.rotation.data[1]) - 0.039162510226336)).toBeLessThan(1e-11);
  });

  it('is that of vegan for tables of 10 and 4 columns, and for more columns than rows', async () => {
    const { rows } = readTable('decathlon2');
    expect(Math.abs((await procrustes(rows, columnsOf(rows, 0, 4))).ss - 0.85039265171555)).toBeLessThan(1e-11);
    const { spectra } = readGasoline();
    const { ss } = await procrustes(columnsOf(spectra, 0, 200), columnsOf(spectra, 200, 390));
    expect(Math.abs(ss - 0.16067283558612)).toBeLessThan(1e-10);
  });

  it.each([
    ['tall', 40, 3, 3],
    ['tall, of different widths', 40, 5, 2],
    ['tall, the second wider', 40, 2, 5],
    ['wide', 6, 9, 11],
    ['one wide', 6, 3, 11],
  ])('leaves the residual that it states when applied, and nothing near it leaves less: %s', async (_, n, p, q) => {
    const { normal, uniform } = random(n + p + q);
    const x = Array.from({ length: n }, () => Array.from({ length: p }, () => normal() + 5));
    const y = x.map((row) => Array.from({ length: q }, (_, j) => 3 * (row[j] ?? 0) + normal() - 2));
    const { rotation, scale, translation, residual } = await procrustes(x, y);
    const mean = (rows: number[][], j: number): number => rows.reduce((sum, row) => sum + row[j], 0) / n;
    // A rotated second table that is wider has columns besides, which hold the rest of its sum of squares.
    const left = (turn: Float64Array, factor: number, shift: ArrayLike<number>): number =>
      x.reduce((sum, row, i) => {
        const whole = q > p ? y[i].reduce((total, v, c) => total + (v - mean(y, c)) ** 2, 0) : 0;
        return row.reduce(
          (own, value, j) => {
            const fit = y[i].reduce((total, v, c) => total + v * turn[c * p + j], 0);
            const centred = y[i].reduce((total, v, c) => total + (v - mean(y, c)) * turn[c * p + j], 0);
            return own + (value - fit * factor - shift[j]) ** 2 - (q > p ? (factor * centred) ** 2 : 0);
          },
          sum + factor ** 2 * whole,
        );
      }, 0);
    const least = left(rotation.data, scale, translation);
    expect(Math.abs(least / residual - 1)).toBeLessThan(1e-9);
    for (let trial = 0; trial < 20; trial++) {
      // A small turn in a plane of the first table's columns.
      const turn = rotation.data.slice();
      const [c, s] = [Math.cos(0.02), Math.sin(0.02)];
      const one = Math.floor(uniform() * p);
      const two = (one + 1 + Math.floor(uniform() * (p - 1))) % p;
      for (let i = 0; i < q; i++) {
        const [u, v] = [turn[i * p + one], turn[i * p + two]];
        turn[i * p + one] = c * u - s * v;
        turn[i * p + two] = s * u + c * v;
      }
      const shift = Array.from(
        { length: p },
        (_, j) => mean(x, j) - scale * y[0].reduce((sum, _, i) => sum + mean(y, i) * turn[i * p + j], 0),
      );
      expect(left(turn, scale, shift)).toBeGreaterThan(least * (1 - 1e-9));
    }
    expect(left(rotation.data, scale * 1.01, translation)).toBeGreaterThan(least);
  });

  it('finds that a rotated, scaled and moved table is the same', async () => {
    const { rows } = readTable('decathlon2');
    const q = randomRows(10, 10, random(9));
    const turned = rows.map((row) =>
      Array.from({ length: 10 }, (_, c) => 7 + 0.5 * row.reduce((sum, v, j) => sum + v * q[c * 10 + j], 0)),
    );
    const { ss, scale } = await procrustes(rows, turned);
    expect(ss).toBeLessThan(1e-12);
    expect(Math.abs(scale - 2)).toBeLessThan(1e-9);
  });
});

describe('compareModels', () => {
  const halves = async () => {
    const { rows, columns } = readTable('decathlon2');
    const options = { k: 3, scale: 'unit', columnNames: columns } as const;
    return [await pca(rows.slice(0, 12), options), await pca(rows.slice(11), options)] as const;
  };

  it('has the congruence of psych::factor.congruence, and RV and Procrustes as R computes them from loadings', async () => {
    const [a, b] = await halves();
    const found = compareModels(a, b);
    const expected = [
      0.932763443042, 0.130136972696, 0.187708739933, 0.112913294079, 0.484197841472, 0.729616839853, 0.076131064942,
      0.631140654344, 0.48669868812,
    ];
    expected.forEach((value, i) => {
      expect(Math.abs(Math.abs(found.congruence.data[i]) - value)).toBeLessThan(1e-10);
    });
    expect(Math.abs(found.rv - 0.82544334466522)).toBeLessThan(1e-11);
    expect(Math.abs(found.procrustes.ss - 0.2083923087197)).toBeLessThan(1e-11);
    expect(found.matches.map(({ first, second }) => [first, second])).toEqual([
      [0, 0],
      [1, 2],
      [2, 1],
    ]);
    expect(found.angles).toEqual(principalAngles(a.components, b.components));
    expect(congruence(a.loadings, b.loadings)).toEqual(found.congruence);
  });

  it('finds a model equal to itself, and to one with its columns in another order', async () => {
    const { rows, columns } = readTable('decathlon2');
    const order = [3, 1, 4, 0, 9, 2, 6, 5, 8, 7];
    const a = await pca(rows, { k: 3, scale: 'unit', columnNames: columns });
    const b = await pca(
      rows.map((row) => order.map((j) => row[j])),
      { k: 3, scale: 'unit', columnNames: order.map((j) => columns[j]) },
    );
    for (const other of [a, b]) {
      const found = compareModels(a, other);
      expect(Math.max(...found.angles)).toBeLessThan(1e-7);
      expect(Math.abs(found.rv - 1)).toBeLessThan(1e-12);
      expect(found.procrustes.ss).toBeLessThan(1e-12);
      expect(found.matches.map(({ first, second }) => [first, second])).toEqual([
        [0, 0],
        [1, 1],
        [2, 2],
      ]);
      for (const match of found.matches) expect(Math.abs(match.congruence - 1)).toBeLessThan(1e-10);
      expect(found.warnings).toEqual([]);
    }
  });

  it('compares the columns that both have, and names the others', async () => {
    const { rows, columns } = readTable('decathlon2');
    const a = await pca(columnsOf(rows, 0, 7), { k: 2, columnNames: columns.slice(0, 7) });
    const b = await pca(columnsOf(rows, 2, 10), { k: 4, columnNames: columns.slice(2) });
    const found = compareModels(a, b);
    expect(found.columns).toEqual(columns.slice(2, 7));
    expect(found.onlyFirst).toEqual(columns.slice(0, 2));
    expect(found.onlySecond).toEqual(columns.slice(7));
    expect(found.angles).toHaveLength(2);
    expect(found.congruence).toMatchObject({ rows: 2, cols: 4 });
    expect(found.procrustes.rotation).toMatchObject({ rows: 4, cols: 2 });
  });

  it('warns of different scales, and refuses models without a common column', async () => {
    const { rows, columns } = readTable('decathlon2');
    const a = await pca(rows, { k: 2, columnNames: columns });
    expect(compareModels(a, await pca(rows, { k: 2, scale: 'unit' })).warnings).toMatchObject([
      { code: 'SCALES_DIFFER' },
    ]);
    const others = await pca(rows, { k: 2, columnNames: columns.map((name) => `${name}'`) });
    expect(() => compareModels(a, others)).toThrow('no column in common');
    const nameless = await pca(columnsOf(rows, 0, 4), { k: 2 });
    expect(() => compareModels(a, nameless)).toThrow('one of them has none');
  });
});

import { analyze } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { type Model, Moments, type PcaOptions, pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { pcaSync } from '../src/pca-sync.js';

const { normal, uniform } = random(Number(process.env.SCREE_SEED));
const names = ['a', 'b', 'c'];
const [n, d] = [30, 3];
const GAPS: readonly (readonly [row: number, column: number])[] = [[2, 0], [2, 2], [7, 1], [19, 0], [29, 2]]; // biome-ignore format: one line
const gapAt = (i: number, j: number): boolean => GAPS.some(([row, column]) => row === i && column === j);
const whole = Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => normal() * (j + 1) + 100 * j));
const incomplete = new Set(GAPS.map(([row]) => row));
const weights = Array.from({ length: n }, () => 0.5 + uniform());

/** Numbers with another value in the gaps. */
const withGaps = (gap: unknown): unknown[][] => whole.map((row, i) => row.map((x, j) => (gapAt(i, j) ? gap : x)));
const record = (row: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name, j) => [name, row[j]]));
const withoutKeys = whole.map((row, i) =>
  Object.fromEntries(names.flatMap((name, j) => (gapAt(i, j) ? [] : [[name, row[j]]]))),
);

/** Every form of data and every kind of gap. */
const forms: [string, () => unknown, boolean][] = [
  ...[null, undefined, Number.NaN, ''].flatMap((gap): [string, () => unknown, boolean][] => [
    [`rows with ${String(gap)}`, () => withGaps(gap), false],
    [`records with ${String(gap)}`, () => withGaps(gap).map(record), true],
    [
      `columns with ${String(gap)}`,
      () => Object.fromEntries(names.map((name, j) => [name, withGaps(gap).map((row) => row[j])])),
      true,
    ],
    [`an iterable of records with ${String(gap)}`, () => withGaps(gap).map(record)[Symbol.iterator](), true],
  ]),
  ['records without keys', () => withoutKeys, true],
  ['a matrix', () => ({ rows: n, cols: d, data: Float64Array.from(withGaps(Number.NaN).flat() as number[]) }), false],
  [
    'blocks',
    () =>
      [0, 10, 20].map((from) => ({
        rows: 10,
        cols: d,
        data: Float64Array.from(
          withGaps(Number.NaN)
            .slice(from, from + 10)
            .flat() as number[],
        ),
      })),
    false,
  ],
];

const same = (found: Model, expected: Model, digits = 1e-12): void => {
  expect(found.n).toBe(expected.n);
  for (const field of ['variances', 'mean', 'scale'] as const) {
    found[field].forEach((value, i) => {
      expect(Math.abs(value - expected[field][i])).toBeLessThan(digits * (1 + Math.abs(expected[field][i])));
    });
  }
};

describe.each(forms)('missing values in %s', (_, make, named) => {
  it.each([undefined, weights])('are dropped with their rows, as if the others had been given', async (given) => {
    const kept = whole.filter((_row, i) => !incomplete.has(i));
    const own = given?.filter((_weight, i) => !incomplete.has(i));
    const found = await pca(make() as never, { k: 2, missing: 'drop', weights: given });
    same(found, await pca(kept, { k: 2, weights: own }));
    const [warning] = found.warnings.filter(({ code }) => code === 'ROWS_DROPPED');
    expect(warning.details).toMatchObject({ count: incomplete.size, rows: n });
    expect(warning.message).toContain(
      named ? '"a" (2), "b" (1), "c" (2)' : '"column 1" (2), "column 2" (1), "column 3" (2)',
    );
  });

  it.each([undefined, weights])('are filled with the mean of the values that are there', async (given) => {
    const means = names.map((_name, j) => {
      const rows = whole.flatMap((row, i) => (gapAt(i, j) ? [] : [[row[j], given?.[i] ?? 1]]));
      return rows.reduce((sum, [x, w]) => sum + x * w, 0) / rows.reduce((sum, [, w]) => sum + w, 0);
    });
    const filled = whole.map((row, i) => row.map((x, j) => (gapAt(i, j) ? means[j] : x)));
    const found = await pca(make() as never, { k: 2, missing: 'mean', scale: 'unit', weights: given });
    same(found, await pca(filled, { k: 2, scale: 'unit', weights: given }));
    const [warning] = found.warnings.filter(({ code }) => code === 'VALUES_FILLED');
    expect(warning.details).toMatchObject({ values: GAPS.length, rows: n, with: 'mean' });
  });

  it('are an error by default, which names the first', async () => {
    const error = await pca(make() as never, { k: 2 }).catch((thrown) => thrown);
    expect(error).toMatchObject({ details: { row: 2 } });
    expect(error.message).toMatch(/[Rr]ow 3/);
  });
});

describe('missing', () => {
  it('leaves complete data as they are, with the same bits and without a warning', async () => {
    for (const missing of ['drop', 'mean'] as const) {
      const [found, expected] = [await pca(whole, { k: 2, missing }), await pca(whole, { k: 2 })];
      expect(found.toJSON()).toEqual(expected.toJSON());
    }
  });

  it('does not make text a number: the error names row, column and value', async () => {
    const [text, complete] = [withGaps(null).map(record), whole.map(record)];
    for (const rows of [text, complete]) rows[4].b = 'tall';
    for (const missing of ['error', 'drop', 'mean'] as const) {
      const error = await pca(missing === 'error' ? complete : text, { missing }).catch((thrown) => thrown);
      expect(error.code).toBe('NOT_A_NUMBER');
      expect(error.message).toMatch(/Row 5, column "b" holds "tall"/);
    }
  });

  it("takes columns of numbers wherever the first number is, with columns: 'numeric'", async () => {
    const rows = withGaps(null).map((row, i) => ({ id: `row ${i}`, ...record(row), a: i < 3 ? null : row[0] }));
    const model = await pca(rows, { columns: 'numeric', missing: 'drop' });
    expect(model.columnNames).toEqual(names);
    expect(model.warnings.map(({ code }) => code).sort()).toEqual(
      expect.arrayContaining(['COLUMNS_LEFT_OUT', 'ROWS_DROPPED']),
    );
  });

  it('refuses what cannot be: no complete row, an empty column, moments, pcaSync, other values', async () => {
    const none = whole.map((row, i) => row.map((x, j) => (j === i % d ? null : x)));
    await expect(pca(none as never, { missing: 'drop' })).rejects.toThrow(/No row is complete/);
    await expect(pca(whole.map(([a]) => [a, null]) as never, { missing: 'mean' })).rejects.toThrow(
      /Column 2 has no value/,
    );
    await expect(pca(await new Moments(3).add(whole), { missing: 'drop' })).rejects.toThrow(/missing cannot be chosen/);
    expect(() => pcaSync(whole, { missing: 'drop' })).toThrow(/too much for pcaSync/);
    await expect(pca(whole, { missing: 'median' } as unknown as PcaOptions)).rejects.toThrow(
      /missing is "median"; it must be/,
    );
  });

  it('keeps names, groups, supplementary columns and row numbers of analyze with their rows', async () => {
    const labels = whole.map((_row, i) => `row ${i}`);
    const beside = { columns: { z: whole.map((_row, i) => i) }, groups: { parity: labels.map((_label, i) => (i % 2 ? 'odd' : 'even')) } }; // biome-ignore format: one line
    const found = await analyze(withGaps(null).map(record) as never, {
      missing: 'drop',
      names: labels,
      supplementary: beside,
      k: 2,
    });
    expect(found.table.dropped).toBe(incomplete.size);
    const listed = found.rowContributions;
    const kept = labels.filter((_label, i) => !incomplete.has(i));
    expect(listed?.names).toEqual(kept);
    expect(listed?.numbers).toEqual(kept.map((label) => Number(label.slice(4)) + 1));
    const rows = whole.filter((_row, i) => !incomplete.has(i));
    const direct = await analyze(rows, {
      columnNames: names,
      k: 2,
      supplementary: {
        columns: { z: [...whole.keys()].filter((i) => !incomplete.has(i)) },
        groups: { parity: kept.map((label) => (Number(label.slice(4)) % 2 ? 'odd' : 'even')) },
      },
    });
    expect(JSON.stringify(found.supplementary)).toBe(JSON.stringify(direct.supplementary));
  });
});

describe('sparse rows', () => {
  it('with NaN among the stored values are refused, with the place', async () => {
    const data = Float64Array.of(1, 2, 3, Number.NaN, 4, 4, 8, 1);
    const csr = { rows: 4, cols: 2, indptr: [0, 2, 4, 6, 8], indices: [0, 1, 0, 1, 0, 1, 0, 1], data };
    await expect(pca(csr as never, { missing: 'drop' })).rejects.toMatchObject({ code: 'MISSING_VALUES', details: { row: 1, column: 1 } }); // biome-ignore format: one line
    expect((await pca({ ...csr, data: data.map((x) => x || 0) } as never, { missing: 'drop' })).n).toBe(4);
  });
});

import { describe, expect, it } from 'vitest';
import { runTaskSync } from '../../src/base/progress.js';
import { loadModel, type Model, pca } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { symmetricEigen } from '../../src/linalg/symmetric-eigen.js';
import { conditionalScores } from '../../src/model/conditional.js';
import { loadTransform } from '../../src/transform.js';

const { normal, uniform } = random(Number(process.env.SCREE_SEED));
const { NaN: gap } = Number;

/** Rows with two strong directions and noise. */
function table(n: number, d: number): number[][] {
  const mixing = Array.from({ length: 2 }, () => Array.from({ length: d }, () => 2 * normal()));
  return Array.from({ length: n }, () => {
    const z = [3 * normal(), normal()];
    return Array.from({ length: d }, (_, j) => 10 * j + z[0] * mixing[0][j] + z[1] * mixing[1][j] + 0.5 * normal());
  });
}

/** A⁻¹ of a symmetric positive definite matrix, from its eigenvectors. */
function inverse(a: Float64Array, size: number): Float64Array {
  const { values, vectors, count } = runTaskSync(symmetricEigen(a.slice(), size, size));
  const out = new Float64Array(size * size);
  for (let r = 0; r < count; r++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) out[i * size + j] += (vectors[r * size + i] * vectors[r * size + j]) / values[r];
    }
  }
  return out;
}

/** The conditional mean and covariance by their definition, from the covariance of the model in the user's units: C_mo C_oo⁻¹(x − mean)_o. */
function byDefinition(
  model: Model,
  row: readonly number[],
): { scores: number[]; errors: number[]; completed: number[] } {
  const { d, k, mean, scale, components } = model;
  const c = model.covariance().data;
  const observed = [...row.keys()].filter((j) => !Number.isNaN(row[j]));
  const missing = [...row.keys()].filter((j) => Number.isNaN(row[j]));
  const o = observed.length;
  const precision = inverse(Float64Array.from(observed.flatMap((i) => observed.map((j) => c[i * d + j]))), o);
  const slope = (m: number): number[] =>
    observed.map((_, b) => observed.reduce((sum, i, a) => sum + c[m * d + i] * precision[a * o + b], 0));
  const slopes = new Map(missing.map((m) => [m, slope(m)]));
  const completed = row.map((x, m) => {
    const own = slopes.get(m);
    return own ? mean[m] + observed.reduce((sum, j, b) => sum + own[b] * (row[j] - mean[j]), 0) : x;
  });
  const left = (a: number, b: number): number =>
    c[a * d + b] - observed.reduce((sum, j, at) => sum + (slopes.get(a) as number[])[at] * c[j * d + b], 0);
  const scores = Array.from({ length: k }, (_, r) =>
    completed.reduce((sum, x, j) => sum + (components.row(r)[j] * (x - mean[j])) / scale[j], 0),
  );
  const errors = Array.from({ length: k }, (_, r) => {
    const v = (j: number): number => components.row(r)[j] / scale[j];
    return Math.sqrt(
      missing.reduce((sum, a) => sum + missing.reduce((own, b) => own + v(a) * v(b) * left(a, b), 0), 0),
    );
  });
  return { scores, errors, completed };
}

const close = (found: ArrayLike<number>, expected: ArrayLike<number>, digits: number, size = 1): void => {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < found.length; i++) expect(Math.abs(found[i] - expected[i])).toBeLessThan(digits * size);
};

const withGaps = (row: readonly number[], share: number): number[] => {
  const gappy = row.map((x) => (uniform() < share ? gap : x));
  if (gappy.every(Number.isNaN)) gappy[0] = row[0];
  return gappy;
};

describe('conditionalScores', () => {
  it.each([
    [6, 2, 'none'],
    [9, 3, 'unit'],
    [5, 5, 'unit'],
    [12, 1, 'none'],
  ] as const)('agrees with C_mo C_oo⁻¹ of the model: %s columns, k = %s, scale: %s', async (d, k, scale) => {
    const rows = table(60, d);
    const model = await pca(rows, { k, scale });
    for (const share of [0.1, 0.5, 0.9]) {
      for (const row of rows.slice(0, 8).map((own) => withGaps(own, share))) {
        const [found, expected] = [conditionalScores(model, row), byDefinition(model, row)];
        // A model of all components has no noise: the smallest that is allowed changes digits from the seventh on.
        const digits = k === d ? 1e-4 : 1e-8;
        const size = Math.sqrt(model.totalVariance) * Math.max(...model.scale);
        close(found.scores, expected.scores, digits, size);
        close(found.completed, expected.completed, digits, size * 10);
        close(found.errors, expected.errors, k === d ? 1e-3 : 1e-7, size);
      }
    }
  });

  it('covers the score of the complete row as often as it says', async () => {
    const rows = table(2000, 6);
    const model = await pca(rows, { k: 2 });
    let inside = 0;
    for (const row of rows) {
      const { scores, errors } = conditionalScores(model, [row[0], row[1], gap, row[3], gap, gap]);
      const [whole] = [model.transformSync(row)];
      if (Math.abs(scores[0] - whole[0]) < 1.96 * errors[0]) inside++;
    }
    expect(inside / rows.length).toBeGreaterThan(0.92);
    expect(inside / rows.length).toBeLessThan(0.98);
  });
});

describe('transform of rows with missing values', () => {
  const rows = table(50, 5);
  const gappy = rows.map((row, i) => (i % 3 === 0 ? withGaps(row, 0.4) : row));
  const names = ['a', 'b', 'c', 'd', 'e'];

  it.each([false, 'pca'] as const)('has the expected scores and their errors, whiten: %s', async (whiten) => {
    const model = await pca(rows, { k: 2, scale: 'unit', whiten, columnNames: names });
    const { scores, errors } = await model.transform(gappy, { errors: true });
    const stored = loadTransform(loadModel(model.toBinary()).toBinary()).transform(gappy, { errors: true });
    close(stored.scores.data, scores.data, 1e-11, 10);
    close(stored.errors.data, errors.data, 1e-11, 10);
    gappy.forEach((row, i) => {
      const found = conditionalScores(model, row);
      const divisor = (c: number): number => (whiten ? Math.sqrt(model.variances[c]) : 1);
      close(
        scores.row(i),
        found.scores.map((z, c) => z / divisor(c)),
        1e-10,
        10,
      );
      close(
        errors.row(i),
        found.errors.map((z, c) => z / divisor(c)),
        1e-10,
        10,
      );
      if (!row.some(Number.isNaN)) expect([...errors.row(i)]).toEqual([0, 0]);
    });
    close((await model.transform(gappy)).data, scores.data, 1e-14);
    await expect(model.transform(gappy, { missing: 'error' })).rejects.toMatchObject({ code: 'NOT_FINITE' });
    close((await model.transform(gappy, { k: 1 })).data, scores.column(0), 1e-14);
  });

  it('reads null in records, and names a column that a record does not have', async () => {
    const model = await pca(rows, { k: 2, columnNames: names });
    const record = { a: rows[0][0], b: null, c: rows[0][2], d: Number.NaN, e: rows[0][4] };
    const expected = conditionalScores(model, [rows[0][0], gap, rows[0][2], gap, rows[0][4]]).scores;
    close((await model.transform(record)).data, expected, 1e-11, 10);
    close(loadTransform(model.toBinary()).transform(record).data, expected, 1e-11, 10);
    const { a: _, ...without } = record;
    await expect(model.transform([without])).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    expect(() => loadTransform(model.toBinary()).transform([without])).toThrow(/no column "a"/);
  });

  it('names a row without values and an infinite value', async () => {
    const model = await pca(rows, { k: 2, whiten: 'zca' });
    const empty = [rows[0], [gap, gap, gap, gap, gap]];
    await expect(model.transform(empty)).rejects.toMatchObject({ code: 'MISSING_VALUES', details: { row: 1 } });
    expect(() => loadTransform(model.toBinary()).transform(empty)).toThrow(/Row 2 has no value/);
    const infinite = [[gap, 1, 2, 3, Number.POSITIVE_INFINITY]];
    await expect(model.transform(infinite)).rejects.toMatchObject({ code: 'NOT_FINITE', details: { column: 4 } });
    await expect(model.transform(rows, { errors: true })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    const only = loadTransform(model.toBinary({ only: 'transform' }));
    expect(() => only.transform([[1, gap, 2, 3, 4]])).toThrow(/Store the whole model/);
  });
});

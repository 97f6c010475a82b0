import { pca } from '@scree/core';
import { autoencoderTerms, neighbourForces } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';

/** The mistakes that the chapters of docs/learn name, checked against definitions that are written out here. */

/** Numbers that look random and are the same every time. */
const scattered = (rows: number, cols: number, seed: number): number[][] =>
  Array.from({ length: rows }, (_, i) =>
    Array.from({ length: cols }, (_, j) => Math.sin(seed + 12.9898 * i + 78.233 * j + (i + 1) * (j + 1) * 4.37)),
  );

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const product = (a: number[][], b: number[][]): number[][] =>
  a.map((row) => b[0].map((_, j) => sum(row.map((value, l) => value * b[l][j]))));
const transposed = (a: number[][]): number[][] => a[0].map((_, j) => a.map((row) => row[j]));
const squares = (a: number[][]): number => sum(a.flat().map((value) => value * value));
const minus = (a: number[][], b: number[][], factor = 1): number[][] =>
  a.map((row, i) => row.map((value, j) => value - factor * b[i][j]));

const distances = (x: number[][]): number[][] =>
  x.map((a) => x.map((b) => sum(a.map((value, c) => (value - b[c]) ** 2))));
const centring = (n: number): number[][] =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0) - 1 / n));
const doublyCentred = (e: number[][]): number[][] => product(product(centring(e.length), e), centring(e.length));
const loss = (x: number[][], y: number[][]): number => squares(doublyCentred(minus(distances(x), distances(y))));

/** −4·Σⱼ(Dˣ − Dʸ)(yᵢ − yⱼ), as the note on gradient descent has it. */
const printedGradient = (x: number[][], y: number[][]): number[][] => {
  const d = doublyCentred(minus(distances(x), distances(y)));
  return y.map((here, i) => here.map((value, c) => -4 * sum(y.map((other, j) => d[i][j] * (value - other[c])))));
};

describe('chapter 3: forces', () => {
  const x = scattered(9, 4, 1);
  const y = scattered(9, 2, 2);

  it('the printed gradient is half of the exact one', () => {
    const h = 1e-5;
    const printed = printedGradient(x, y);
    for (const [i, c] of [
      [0, 0],
      [4, 1],
      [8, 0],
    ]) {
      const moved = (by: number): number[][] =>
        y.map((row, r) => row.map((value, e) => (r === i && e === c ? value + by : value)));
      const slope = (loss(x, moved(h)) - loss(x, moved(-h))) / (2 * h);
      expect(printed[i][c] / slope).toBeCloseTo(0.5, 6);
    }
  });

  it('the printed algorithm, which adds it, climbs; subtracting it descends', () => {
    const gradient = printedGradient(x, y);
    expect(loss(x, minus(y, gradient, -1e-5))).toBeGreaterThan(loss(x, y));
    expect(loss(x, minus(y, gradient, 1e-5))).toBeLessThan(loss(x, y));
  });

  it('a start of size 1 on data of size 0.01 explodes with a step that suits the data, and ours does not', async () => {
    const small = x.map((row) => row.map((value) => 0.01 * value));
    const { singularValues } = await pca(small, { k: 1 });
    const run = (start: number[][]): number => {
      let points = start;
      for (let step = 0; step < 6; step++) {
        points = minus(points, printedGradient(small, points), 0.25 / 8 / singularValues[0] ** 2);
      }
      return squares(points);
    };
    expect(run(y)).not.toBeLessThan(1e100);
    expect(run(y.map((row) => row.map((value) => (0.5 * singularValues[0] * value) / 3)))).toBeLessThan(
      4 * singularValues[0] ** 2,
    );
  });

  it('row and column means leave out the mean of all, which double centring has', () => {
    const e = distances(x);
    const rows = e.map(mean);
    const centred = doublyCentred(e);
    expect(centred[2][5]).toBeCloseTo(e[2][5] - rows[2] - rows[5] + mean(rows), 12);
    expect(centred[2][5]).not.toBeCloseTo(e[2][5] - rows[2] - rows[5], 3);
  });

  it('one of two centrings may be dropped from the trace only for centred points', () => {
    const gram = (points: number[][]): number[][] => product(points, transposed(points));
    const both = (a: number[][]): number => squares(doublyCentred(a));
    const one = (a: number[][]): number => squares(product(centring(a.length), a));
    const difference = minus(gram(x), gram(y));
    expect(one(difference) / both(difference)).toBeGreaterThan(1.01);
    const [xc, yc] = [x, y].map((points) => product(centring(9), points));
    const centred = minus(gram(xc), gram(yc));
    expect(one(centred)).toBeCloseTo(both(centred), 10);
  });

  it('nearest neighbours on either side of the mean repel; with the means alone they attract', () => {
    const { doubleCentred, meansOnly } = neighbourForces([[-0.1], [0.1], [5], [-5]]);
    expect(doubleCentred.nearestAttract).toBe(0.5);
    expect(meansOnly.nearestAttract).toBe(1);
  });
});

describe('chapter 4: the autoencoder and Oja', () => {
  const x = Float64Array.from(scattered(1, 5, 3)[0]);
  const weights = Float64Array.from(scattered(2, 5, 4).flat());
  const w = [weights.subarray(0, 5), weights.subarray(5)].map((row) => Array.from(row));

  it('the term with four W has a plus', () => {
    const wtw = product(transposed(w), w);
    const quadratic = sum(wtw.map((row, i) => sum(row.map((value, j) => value * x[i] * x[j]))));
    const quartic = sum(
      product(
        wtw,
        Array.from(x, (value) => [value]),
      ).map(([value]) => value * value),
    );
    const size = sum(Array.from(x, (value) => value * value));
    expect(autoencoderTerms({ rows: 2, cols: x.length, data: weights }, x).reconstruction).toBeCloseTo(
      size - 2 * quadratic + quartic,
      12,
    );
  });

  it('what is learned is rotated and not scaled, and ZCA is no minimum', async () => {
    const rows = scattered(40, 3, 5).map(([a, b, c]) => [3 * a, b, 0.4 * c]);
    const { trace } = await pca(rows, { k: 2, solver: 'autoencoder' });
    expect(trace?.at(-1)?.defect).toBeLessThan(1e-6);
    const { components, variances } = await pca(rows, { k: 'all' });
    const v = [0, 1, 2].map((r) => Array.from(components.data.subarray(3 * r, 3 * r + 3)));
    const zca = product(
      transposed(v),
      v.map((row, r) => row.map((value) => value / Math.sqrt(variances[r]))),
    );
    const errors = (all: number[][]): number =>
      sum(
        rows.map(
          (row) => autoencoderTerms({ rows: 3, cols: 3, data: Float64Array.from(all.flat()) }, row).reconstruction,
        ),
      );
    expect(errors(v)).toBeCloseTo(0, 10);
    expect(errors(zca)).toBeGreaterThan(1);
  });

  it('rows at an obtuse angle are drawn together, which charges would not be', () => {
    const at = (degrees: number): Float64Array =>
      Float64Array.from([1, 0, Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]);
    const change = (degrees: number): number => {
      const rows = at(degrees);
      const { orthogonalityGradient: g } = autoencoderTerms({ rows: 2, cols: 2, data: rows }, [0, 0]);
      const moved = rows.map((value, i) => value - 0.001 * g[i]);
      const cosine =
        (moved[0] * moved[2] + moved[1] * moved[3]) / (Math.hypot(moved[0], moved[1]) * Math.hypot(moved[2], moved[3]));
      return (Math.acos(cosine) * 180) / Math.PI - degrees;
    };
    expect(change(40)).toBeGreaterThan(0.01);
    expect(change(140)).toBeLessThan(-0.01);
    expect(Math.abs(change(90))).toBeLessThan(1e-12);
  });
});

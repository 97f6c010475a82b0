import { readFileSync } from 'node:fs';
import { type Data, type Model, pca, type RowSource } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { analyzed } from '../../../../analysis/test/support/analyzed.js';
import { modelFrom } from '../../../src/exchange/index.js';
import { random } from '../../../src/linalg/random.js';
import { pcaSync } from '../../../src/pca-sync.js';
import { toCsr, toMatrix } from '../../support/data.js';

const { normal } = random(Number(process.env.SCREE_SEED));

/** Correlations of d random columns that have something in common. */
function correlations(d: number, n = 3 * d): number[][] {
  const table = Array.from({ length: n }, () => {
    const common = normal();
    return Array.from({ length: d }, () => common + normal());
  });
  const means = Array.from({ length: d }, (_, j) => table.reduce((sum, row) => sum + row[j], 0) / n);
  const products = (i: number, j: number): number =>
    table.reduce((sum, row) => sum + (row[i] - means[i]) * (row[j] - means[j]), 0);
  return means.map((_, i) => means.map((_, j) => products(i, j) / Math.sqrt(products(i, i) * products(j, j))));
}

const warned = ({ warnings }: Pick<Model, 'warnings'>): boolean =>
  warnings.some(({ code }) => code === 'CORRELATION_MATRIX');

describe('a correlation matrix that is passed as rows gets a warning', () => {
  const matrix = correlations(7);
  const rounded = matrix.map((row) => row.map((x) => Number(x.toFixed(2))));
  const names = Array.from('abcdefg');
  const forms: [string, () => Data][] = [
    ['as lists', () => matrix],
    ['as a matrix', () => toMatrix(matrix)],
    ['as a float32 matrix', () => toMatrix(matrix, true)],
    ['as a sparse matrix', () => toCsr(matrix)],
    ['rounded to two digits', () => rounded],
    ['as records', () => matrix.map((row) => Object.fromEntries(row.map((x, j) => [names[j], x])))],
    ['as columns by name', () => Object.fromEntries(names.map((name, j) => [name, matrix.map((row) => row[j])]))],
    ['as a stream of rows', () => matrix.values()],
    ['as a stream of matrices', () => [toMatrix(matrix.slice(0, 3)), toMatrix(matrix.slice(3))]],
    ['as a source', () => source(matrix)],
  ];
  it.each(forms)('%s', async (_, make) => {
    expect(warned(await pca(make()))).toBe(true);
    for (const solver of ['svd', 'krylov'] as const) expect(warned(await pca(make(), { k: 2, solver }))).toBe(true);
    expect(warned(await pca(make(), { scale: 'unit', center: false }))).toBe(true);
    expect(warned(await analyzed(make(), { k: 'auto' }))).toBe(true);
  });

  it.each([2, 3, 40])('of %i columns', async (d) => {
    expect(warned(await pca(correlations(d)))).toBe(true);
    expect(warned(pcaSync(correlations(d)))).toBe(true);
  });

  it('once, with what to do about it', async () => {
    const { warnings } = await analyzed(matrix, { inspectColumns: true });
    expect(warnings.filter(({ code }) => code === 'CORRELATION_MATRIX')).toEqual([
      {
        code: 'CORRELATION_MATRIX',
        message: expect.stringMatching(
          /^These 7 rows of 7 columns look like a correlation matrix.*scale: 'unit'.*modelFrom/,
        ),
        details: { rows: 7 },
      },
    ]);
  });

  it('whose advice for a matrix alone is right: modelFrom gives its eigenvectors and eigenvalues', async () => {
    const { components, variances } = await modelFrom({ covariance: matrix, k: 'all' });
    expect(variances.reduce((sum, value) => sum + value, 0)).toBeCloseTo(7, 10);
    for (const [c, v] of components.toRows().entries()) {
      const image = matrix.map((row) => row.reduce((sum, x, j) => sum + x * v[j], 0));
      image.forEach((value, i) => {
        expect(value).toBeCloseTo(variances[c] * v[i], 10);
      });
    }
  });

  it('read from a file of published correlations', async () => {
    const text = readFileSync(new URL('../../fixtures/bfi-correlations.csv', import.meta.url), 'utf8').trim();
    const numbers = text.split('\n').map((line) => line.split(',').map(Number).filter(Number.isFinite));
    const square = numbers.filter((row) => row.length >= 10);
    expect(warned(await pca(square.map((row) => row.slice(-square.length))))).toBe(true);
  });
});

describe('no warning is given about', () => {
  const matrix = correlations(6);
  const changed = (i: number, j: number, value: number): number[][] =>
    matrix.map((row, r) => row.map((x, c) => (r === i && c === j ? value : x)));
  it.each<[string, number[][]]>([
    ['an identity matrix, as classes are coded', matrix.map((_, i) => matrix.map((_, j) => (i === j ? 1 : 0)))],
    ['zeros and ones', [[1, 0, 1], [0, 1, 1], [1, 1, 1]]],
    ['signs', [[1, -1], [-1, 1]]],
    ['a diagonal that is not 1', changed(3, 3, 0.99)],
    ['a matrix that is not symmetric', changed(1, 4, matrix[1][4] + 0.001)],
    ['numbers beyond 1', changed(0, 5, 1.5).map((row, i) => (i === 5 ? [1.5, ...row.slice(1)] : row))],
    ['more rows than columns', [...matrix, matrix[0]]],
    ['fewer rows than columns', matrix.slice(1)],
    ['a covariance matrix', matrix.map((row, i) => row.map((x, j) => x * (i + 1) * (j + 1)))],
    ['distances', matrix.map((row) => row.map((x) => 1 - x))],
    ['a shuffled correlation matrix', [matrix[1], matrix[0], ...matrix.slice(2)]],
    ['other square data', Array.from({ length: 6 }, () => Array.from({ length: 6 }, normal))],
  ])('%s', async (_, rows) => {
    expect(warned(await pca(rows))).toBe(false);
    expect(warned(await pca(rows.values()))).toBe(false);
  }); // biome-ignore format: one line each
});

function source(rows: number[][]): RowSource {
  const block = (from: number, to: number) => ({ kind: 'dense', rows: to - from, cols: 7, stride: 7, data: Float64Array.from(rows.slice(from, to).flat()) }) as const; // biome-ignore format: one line
  return { cols: 7, dtype: 'float64', rereadable: true, resident: false, blocks: () => [block(0, 2), block(2, 7)] };
}

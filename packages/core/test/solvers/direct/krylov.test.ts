import { describe, expect, it } from 'vitest';
import { type CsrMatrix, pca } from '../../../src/index.js';

/** Rows ±s·eⱼ: S is diagonal, with 2s² for column j, to the last bit. */
function diagonal(sizes: readonly number[]): CsrMatrix {
  const rows = 2 * sizes.length;
  return {
    rows,
    cols: sizes.length,
    indptr: Int32Array.from({ length: rows + 1 }, (_, i) => i),
    indices: Int32Array.from({ length: rows }, (_, i) => i >> 1),
    data: Float64Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? 1 : -1) * sizes[i >> 1]),
  };
}

describe('krylov with narrow blocks, on sparse rows', () => {
  const falling = Array.from({ length: 400 }, (_, j) => 1 + 40 / (1 + j));
  const cases: [string, number[], number][] = [
    ['values that are all different', falling, 30],
    ['more equal values than a block has vectors', [...Array(25).fill(30), ...falling], 40],
    ['nothing but equal values', Array(300).fill(3), 20],
    [
      'equal values at the end of what is wanted',
      [...falling.slice(0, 12), ...Array(60).fill(4), ...falling.slice(20)],
      30,
    ],
    ['two groups of equal values', [...Array(20).fill(9), ...Array(20).fill(8), ...falling.slice(8)], 50],
    ['fewer values above zero than are wanted', [...Array(12).fill(5), ...Array(300).fill(0)], 20],
  ];
  it.each(cases)('finds %s', async (_, sizes, k) => {
    const expected = sizes.map((s) => 2 * s * s).sort((a, b) => b - a);
    for (const seed of [1, 2, 3]) {
      const model = await pca(diagonal(sizes), { k, solver: 'krylov', ddof: 0, seed });
      const n = 2 * sizes.length;
      model.variances.forEach((variance, i) => {
        expect(Math.abs(variance * n - expected[i])).toBeLessThanOrEqual(1e-9 * expected[0]);
      });
      expect(Math.max(...model.certificate.residuals)).toBeLessThanOrEqual(1e-10);
    }
  });

  it('gives the same bits on any number of threads', async () => {
    const data = diagonal(Array.from({ length: 3000 }, (_, j) => 1 + 10 / (1 + j)));
    const [one, two] = [
      await pca(data, { k: 20, solver: 'krylov', threads: 1 }),
      await pca(data, { k: 20, solver: 'krylov', threads: 3 }),
    ];
    expect(two.components.data).toEqual(one.components.data);
    expect(two.variances).toEqual(one.variances);
  });
});

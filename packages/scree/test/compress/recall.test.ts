import { pca, recallAtTen } from 'scree';
import { describe, expect, it } from 'vitest';
import { correlated, sourceOf } from './support.js';

/** From the definition. */
function plainRecall(a: Float64Array, b: Float64Array, rows: number, cols: number, cosine: boolean): number {
  const near = (data: Float64Array, q: number, i: number): number => {
    let [product, square, distance] = [0, 0, 0];
    for (let j = 0; j < cols; j++) {
      const [x, y] = [Math.fround(data[q * cols + j]), Math.fround(data[i * cols + j])];
      product += x * y;
      square += y * y;
      distance += (x - y) ** 2;
    }
    return cosine ? product / Math.sqrt(square) : -distance;
  };
  const ten = (data: Float64Array, q: number): Set<number> =>
    new Set(
      Array.from({ length: rows }, (_, i) => i)
        .filter((i) => i !== q)
        .sort((i, j) => near(data, q, j) - near(data, q, i))
        .slice(0, 10),
    );
  let hits = 0;
  for (let q = 0; q < rows; q++) {
    const was = ten(a, q);
    for (const row of ten(b, q)) if (was.has(row)) hits++;
  }
  return hits / (10 * rows);
}

describe('recall of the ten nearest', () => {
  const [rows, cols] = [300, 12];
  const data = correlated(rows, cols, 5, 0.5);
  const matrix = { rows, cols, data };

  it.each(['cosine', 'euclidean'] as const)('agrees with its definition, by %s', async (metric) => {
    const model = await pca(matrix, { k: 5 });
    const back = await model.inverseTransform(await model.transform(matrix));
    const { recall, ...rest } = await recallAtTen(matrix, back, { metric });
    expect(rest).toEqual({ queries: 300, sample: 300, neighbours: 10, metric });
    expect(recall).toBeCloseTo(plainRecall(data, back.data as Float64Array, rows, cols, metric === 'cosine'), 10);
    expect(recall).toBeGreaterThan(0.3);
    expect(recall).toBeLessThan(1);
  });

  it('is 1 for the same rows, and for the same rows twice over', async () => {
    expect((await recallAtTen(matrix, sourceOf(matrix, 7))).recall).toBe(1);
    const twice = { rows: 2 * rows, cols, data: Float64Array.from([...data, ...data]) };
    expect((await recallAtTen(twice, twice, { metric: 'euclidean' })).recall).toBe(1);
  });

  it('is small for unrelated rows', async () => {
    const other = { rows, cols, data: correlated(rows, cols, 99, 0) };
    expect((await recallAtTen(matrix, other)).recall).toBeLessThan(0.15);
  });

  it('samples the same rows from both, however they are cut into blocks, and others with another seed', async () => {
    const options = { sample: 50, queries: 20 };
    const noisy = { rows, cols, data: data.map((value, i) => value + 0.3 * Math.sin(i * i)) };
    const first = await recallAtTen(matrix, noisy, options);
    expect(first).toMatchObject({ sample: 50, queries: 20 });
    expect(await recallAtTen(sourceOf(matrix, 11), sourceOf(noisy, 300), options)).toEqual(first);
    expect((await recallAtTen(matrix, sourceOf(matrix, 3), options)).recall).toBe(1);
    const recalls = await Promise.all(
      [1, 2, 3].map(async (seed) => (await recallAtTen(matrix, noisy, { ...options, seed })).recall),
    );
    expect(new Set(recalls).size).toBeGreaterThan(1);
  });

  it('works with few rows, and rejects rows that cannot be compared', async () => {
    const few = { rows: 4, cols, data: data.slice(0, 4 * cols) };
    expect(await recallAtTen(few, few)).toMatchObject({ recall: 1, neighbours: 3 });
    const one = { rows: 1, cols, data: data.slice(0, cols) };
    await expect(recallAtTen(one, one)).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
    await expect(recallAtTen(matrix, few)).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    await expect(recallAtTen(matrix, matrix, { sample: 0 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(recallAtTen(matrix, matrix, { metric: 'l1' as 'cosine' })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
  });
});

import { neighbourRecall, pca, recallAtTen } from 'scree';
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
    const { recall, ...rest } = await neighbourRecall(matrix, back, { metric });
    expect(rest).toEqual({ queries: 300, sample: 300, neighbours: 10, metric, cols: 12, vectorCols: 12 });
    expect(recall).toBeCloseTo(plainRecall(data, back.data as Float64Array, rows, cols, metric === 'cosine'), 10);
    expect(recall).toBeGreaterThan(0.3);
    expect(recall).toBeLessThan(1);
  });

  it('of reduced vectors is that of the scores an index stores: by cosine another than of the reconstructions', async () => {
    const some = 80;
    const away = { rows: some, cols, data: data.slice(0, some * cols).map((value) => value + 3) };
    const model = await pca(away, { k: 5 });
    const scores = await model.transform(away);
    const back = await model.inverseTransform(scores);
    const { recall, vectorCols } = await neighbourRecall(away, scores);
    expect(vectorCols).toBe(5);
    const padded = new Float64Array(some * cols);
    for (let i = 0; i < some; i++) padded.set(scores.data.subarray(i * 5, (i + 1) * 5), i * cols);
    expect(recall).toBeCloseTo(plainRecall(away.data, padded, some, cols, true), 10);
    // Centring changes angles, and no distances.
    expect(Math.abs((await neighbourRecall(away, back)).recall - recall)).toBeGreaterThan(0.01);
    const euclidean = { metric: 'euclidean' } as const;
    const [one, other] = [await neighbourRecall(away, scores, euclidean), await neighbourRecall(away, back, euclidean)];
    expect(one.recall).toBeCloseTo(other.recall, 2);
  });

  it('has its earlier name too', () => {
    expect(recallAtTen).toBe(neighbourRecall);
  });

  it('is 1 for the same rows, and for the same rows twice over', async () => {
    expect((await neighbourRecall(matrix, sourceOf(matrix, 7))).recall).toBe(1);
    const twice = { rows: 2 * rows, cols, data: Float64Array.from([...data, ...data]) };
    expect((await neighbourRecall(twice, twice, { metric: 'euclidean' })).recall).toBe(1);
  });

  it('is small for unrelated rows', async () => {
    const other = { rows, cols, data: correlated(rows, cols, 99, 0) };
    expect((await neighbourRecall(matrix, other)).recall).toBeLessThan(0.15);
  });

  it('samples the same rows from both, however they are cut into blocks, and others with another seed', async () => {
    const options = { sample: 50, queries: 20 };
    const noisy = { rows, cols, data: data.map((value, i) => value + 0.3 * Math.sin(i * i)) };
    const first = await neighbourRecall(matrix, noisy, options);
    expect(first).toMatchObject({ sample: 50, queries: 20 });
    expect(await neighbourRecall(sourceOf(matrix, 11), sourceOf(noisy, 300), options)).toEqual(first);
    expect((await neighbourRecall(matrix, sourceOf(matrix, 3), options)).recall).toBe(1);
    const recalls = await Promise.all(
      [1, 2, 3].map(async (seed) => (await neighbourRecall(matrix, noisy, { ...options, seed })).recall),
    );
    expect(new Set(recalls).size).toBeGreaterThan(1);
  });

  it('works with few rows, and rejects rows that cannot be compared', async () => {
    const few = { rows: 4, cols, data: data.slice(0, 4 * cols) };
    expect(await neighbourRecall(few, few)).toMatchObject({ recall: 1, neighbours: 3 });
    const one = { rows: 1, cols, data: data.slice(0, cols) };
    await expect(neighbourRecall(one, one)).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
    await expect(neighbourRecall(matrix, few)).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    const narrow = { rows, cols: 2, data: data.slice(0, 2 * rows) };
    await expect(neighbourRecall(narrow, matrix)).rejects.toThrow(/Pass first the original, then one vector per row/);
    await expect(neighbourRecall(matrix, matrix, { sample: 0 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(neighbourRecall(matrix, matrix, { metric: 'l1' as 'cosine' })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
  });
});

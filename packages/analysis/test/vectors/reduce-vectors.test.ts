import { type Matrix, pca } from '@scree/core';
import { matrixSource } from '@scree/core/data';
import { random } from '@scree/core/linalg';
import { ProgressTracker } from '@scree/core/pipeline';
import { describe, expect, it } from 'vitest';
import { codeNumbers } from '../../src/vectors/code-numbers.js';
import {
  encodeVector,
  loadQueryModel,
  type ReducedVectors,
  reduceVectors,
  type VectorStore,
} from '../../src/vectors/index.js';
import { chooseQueries } from '../../src/vectors/sample-queries.js';
import { plainNearest, plainNearness, topicVectors } from './support.js';

const seed = Number(process.env.SCREE_SEED);

/** The recall of held-out queries by sorting all distances, of embeddings and of stored vectors. */
async function plainRecall(
  result: ReducedVectors,
  { rows, cols, data }: Matrix<Float32Array>,
  queries: { readonly data: Float32Array; readonly own: Int32Array },
  at: number,
): Promise<{ recall: number; reranked: number }> {
  const row = (i: number): Float32Array => data.subarray(i * cols, (i + 1) * cols);
  const numbers = (code: ReturnType<typeof encodeVector>): Float32Array => codeNumbers(result.store, code, 1, result.k);
  const stored = Array.from({ length: rows }, (_, i) => numbers(result.code(i)));
  let [first, again, count] = [0, 0, 0];
  const start = Math.ceil(queries.own.length / 2);
  for (let q = start; q < queries.own.length; q++, count++) {
    const query = queries.data.subarray(q * cols, (q + 1) * cols);
    const own = queries.own[q];
    const exact = plainNearest(
      Array.from({ length: rows }, (_, i) => plainNearness(result.metric, query, row(i))),
      own,
      at,
    );
    const code = numbers(encodeVector(result.query, query));
    const near = stored.map((each) => plainNearness(result.search, code, each));
    const hits = (some: number): number => plainNearest(near, own, some).filter((i) => exact.includes(i)).length;
    first += hits(at);
    again += hits(5 * at);
  }
  return { recall: first / count / at, reranked: again / count / at };
}

const data = topicVectors(700, 24, seed);

describe('reduceVectors', () => {
  it.each([
    ['cosine', 'float16', 9],
    ['cosine', 'int8', 12],
    ['dot', 'int8', 10],
    ['l2', 'float32', 8],
    ['cosine', 'bit', 24],
    ['l2', 'bit', 13],
  ] as const)('measures what a search of the stored vectors finds: %s, %s, k = %i', async (metric, store, k) => {
    const result = await reduceVectors(data, { metric, store, k, seed, queries: 120, at: 7 });
    const progress = new ProgressTracker();
    const vectors = { source: matrixSource(data), n: data.rows };
    const expected = await plainRecall(result, data, await chooseQueries(vectors, 120, seed, progress), 7);
    expect(result).toMatchObject({ rows: 700, d: 24, k, store, metric, queries: { choosing: 60, heldOut: 60 } });
    expect(result.recall.value).toBeCloseTo(expected.recall, 10);
    expect(result.reranked.value).toBeCloseTo(expected.reranked, 10);
  });

  it('finds the fewest bytes whose recall holds on other queries', async () => {
    const result = await reduceVectors(data, { recall: 0.8, seed });
    expect(result.recall.high).toBeGreaterThan(0.8);
    expect(result.bytes).toBeLessThan(48);
    // Everything smaller that was tried keeps less than it should, up to the margin of the choice.
    for (const each of result.tried.filter(({ bytes }) => bytes < result.bytes / 1.15))
      expect(each.recall).toBeLessThan(0.86);
    const stores = new Set(result.tried.map(({ store, reduction }) => `${reduction} ${store}`));
    expect([...stores].sort()).toEqual([
      'first bit',
      'first float16',
      'first int8',
      'pca bit',
      'pca float16',
      'pca int8',
    ]);
  });

  it('stores the bits that encodeVector gives, with the model as bytes', async () => {
    for (const store of ['float32', 'float16', 'int8', 'bit'] as VectorStore[]) {
      const result = await reduceVectors(data, { store, k: 16, queries: 20 });
      const query = loadQueryModel(result.queryModel);
      for (let i = 0; i < data.rows; i += 13)
        expect(encodeVector(query, data.data.subarray(i * 24, (i + 1) * 24))).toEqual(result.code(i));
    }
  });

  it('does not depend on threads, blocks or the form of the data', async () => {
    const options = { recall: 0.7, queries: 60 };
    const expected = await reduceVectors(data, options);
    const half = 350 * 24;
    const blocks = [data.data.subarray(0, half), data.data.subarray(half)].map((part) => ({
      rows: 350,
      cols: 24,
      data: part,
    }));
    for (const other of [
      await reduceVectors(data, { ...options, threads: 1 }),
      await reduceVectors({ ...data, data: Float64Array.from(data.data) }, options),
      await reduceVectors(blocks, options),
    ]) {
      expect(other.codes).toEqual(expected.codes);
      expect(other.toJSON()).toEqual(expected.toJSON());
    }
  });

  it('hands stored vectors to `write` in order', async () => {
    const parts: number[] = [];
    const options = { store: 'int8', k: 5, queries: 20 } as const;
    const streamed = await reduceVectors(data, { ...options, write: (codes) => void parts.push(...codes) });
    expect(streamed.codes).toBeUndefined();
    expect(parts).toEqual([...((await reduceVectors(data, options)).codes as Int8Array)]);
  });

  it('recommends the first numbers if the vectors were made for it, and all numbers if PCA cannot help', async () => {
    const { normal } = random(seed + 1);
    const falling = Float32Array.from({ length: 600 * 32 }, (_, i) => normal() / (1 + (i % 32)) ** 2);
    const truncated = await reduceVectors({ rows: 600, cols: 32, data: falling }, { recall: 0.8 });
    expect(truncated.advice).toBe('truncate');
    expect(truncated.model).toBeUndefined();
    expect(String(truncated)).toMatch(/^Take the first \d+ of 32 numbers: /);
    const white = Float32Array.from({ length: 600 * 32 }, () => normal());
    const whole = await reduceVectors({ rows: 600, cols: 32, data: white }, { recall: 0.9 });
    expect(whole).toMatchObject({ advice: 'quantise', k: 32, store: 'int8' });
    expect(String(whole)).toMatch(/^Do not reduce: store all 32 numbers as int8, 32 bytes per vector instead of 128\./);
    const exact = await reduceVectors({ rows: 600, cols: 32, data: white }, { recall: 1, store: 'bit' });
    expect(exact.advice).toBe('below');
    expect(String(exact)).toMatch(/^The recall is below 1: /);
  });

  it('leaves queries out of the fit, and takes queries that are given', async () => {
    const k = 4;
    const given = await reduceVectors(data, {
      k,
      store: 'float32',
      metric: 'l2',
      whiten: false,
      queries: topicVectors(40, 24, seed + 5),
    });
    expect(given.queries).toEqual({ count: 40, choosing: 20, heldOut: 20, drawn: false });
    const all = await pca(data, { k });
    for (let i = 0; i < k; i++) expect((given.model?.variances[i] as number) / all.variances[i]).toBeCloseTo(1, 5);
    const drawn = await reduceVectors(data, { k, store: 'float32', metric: 'l2', whiten: false });
    expect(drawn.model?.plan).toBeDefined();
    expect(Math.abs((drawn.model?.variances[0] as number) / all.variances[0] - 1)).toBeGreaterThan(1e-6);
  });

  it('gives JSON without the vectors, and lines for a plot', async () => {
    const result = await reduceVectors(data, { recall: 0.8 });
    const json = JSON.parse(JSON.stringify(result));
    expect(json).toMatchObject({ rows: 700, k: result.k, recall: { at: 10, value: result.recall.value }, wanted: 0.8 });
    expect(json.tried.length).toBe(result.tried.length);
    expect(json).not.toHaveProperty('codes');
    const lines = result.plot();
    expect(lines.length).toBe(6);
    for (const { points } of lines)
      expect(points.map(({ bytes }) => bytes)).toEqual(points.map(({ bytes }) => bytes).sort((a, b) => a - b));
  });

  it('refuses what it cannot use', async () => {
    await expect(reduceVectors(data, { recal: 0.9 } as object)).rejects.toMatchObject({ code: 'UNKNOWN_OPTION' });
    await expect(reduceVectors(data, { recall: 1.5 })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(reduceVectors(data, { k: 25 })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    await expect(reduceVectors({ rows: 3, cols: 2, data: new Float32Array(6) })).rejects.toMatchObject({
      code: 'TOO_FEW_ROWS',
    });
    const broken = data.data.slice();
    broken[24 * 5 + 2] = Number.NaN;
    await expect(reduceVectors({ ...data, data: broken })).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 5, column: 2 },
    });
    await expect(reduceVectors(data, { queries: topicVectors(5, 3, 1) })).rejects.toMatchObject({
      code: 'WIDTH_MISMATCH',
    });
    await expect(reduceVectors(data, { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('writes SQL for pgvector', async () => {
    const result = await reduceVectors(data, { store: 'bit', k: 16, queries: 20 });
    const { index, query, rerank } = result.sql({ table: 'My Items', limit: 3 });
    expect(index).toBe('CREATE INDEX ON "My Items" USING hnsw (reduced bit_hamming_ops);');
    expect(query).toBe('SELECT id FROM "My Items" ORDER BY reduced <~> $1::bit(16) LIMIT 3;');
    expect(rerank).toBe(
      'SELECT id FROM (SELECT id, embedding FROM "My Items" ORDER BY reduced <~> $1::bit(16) LIMIT 15) AS candidates ORDER BY embedding <=> $2::vector(24) LIMIT 3;',
    );
  });
});

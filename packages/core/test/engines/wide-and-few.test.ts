import { describe, expect, it } from 'vitest';
import type { DenseBlock, Scaler } from '../../src/data/blocks/block.js';
import { chooseScaler, columnScales } from '../../src/data/statistics/scaling.js';
import { wasmEngine } from '../../src/engines/choose.js';
import type { DualScaler } from '../../src/engines/engine.js';
import { type Engine, pca, referenceEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';

const reference = referenceEngine();
const none = (): void => {};
const engines = await Promise.all([1, 2, 3, 8].map(async (threads) => (await wasmEngine({ threads })) as Engine));

function numbers(length: number, seed: number, offset = 0): Float64Array {
  const { normal } = random(seed);
  return Float64Array.from({ length }, () => offset + normal());
}

function blockOf(rows: number, cols: number, shared: boolean): DenseBlock {
  const values = numbers(rows * cols, rows + cols, 20);
  const data = shared ? new Float64Array(new SharedArrayBuffer(values.byteLength)) : values;
  data.set(values);
  return { kind: 'dense', rows, cols, stride: cols, data };
}

function scalerOf({ rows, cols }: DenseBlock, weighted: boolean): Scaler {
  const rootWeights = numbers(rows, 3).map(Math.abs);
  const scaler = { shift: numbers(cols, 1, 20), factor: numbers(cols, 2, 5) };
  return weighted ? { ...scaler, rootWeights } : scaler;
}

/** Largest difference as a share of the largest number. */
function difference(found: Float64Array, expected: Float64Array): number {
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return found.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0) / largest;
}

describe.each([
  [40, 9, 1],
  [700, 77, 5],
  [5003, 30, 12],
  [1000, 513, 21],
] as const)('%i rows of %i columns times %i vectors', (rows, cols, k) => {
  it.each([
    ['', false, false],
    [', shared', true, false],
    [', weighted', false, true],
  ] as const)(
    'have the same bits in the first pass and with kept rows, on any number of threads%s',
    async (_, shared, weighted) => {
      const block = blockOf(rows, cols, shared);
      const scaler = scalerOf(block, weighted);
      const vectors = numbers(k * cols, 4);
      const normal = async (engine: Engine, passes: readonly boolean[]): Promise<Float64Array[]> => {
        const loaded = await engine.load(block);
        const results: Float64Array[] = [];
        for (const measured of passes) {
          const out = new Float64Array(k * cols);
          await loaded.normal(scaler, vectors, k, out, none, measured);
          results.push(out);
        }
        loaded.release();
        return results;
      };
      const [expected] = await normal(reference, [false]);
      const [first] = await normal(engines[0], [true]);
      expect(difference(first, expected)).toBeLessThan(1e-13);
      for (const engine of engines) {
        for (const result of await normal(engine, [true, true, false, false])) expect(result).toEqual(first);
        for (const result of await normal(engine, [false, false])) expect(result).toEqual(first);
      }
    },
  );
});

describe('wide data', () => {
  const announced =
    (scale: 'none' | 'unit'): DualScaler =>
    (columns) =>
      chooseScaler(columns, columnScales(columns, scale, columns.weight - 1, true).scale, true);

  it.each([
    [37, 8200, false],
    [500, 9001, true],
    [3, 20_011, false],
  ])(
    'of %i × %i give the products of the reference engine, with the same bits on any number of threads',
    async (rows, cols, shared) => {
      const block = blockOf(rows, cols, shared);
      const k = 7;
      const scores = numbers(rows * k, 5);
      for (const weighted of [false, true]) {
        const scaler = scalerOf(block, weighted);
        const collect = async (engine: Engine): Promise<Float64Array> => {
          const out = numbers(k * cols, 6);
          await (await engine.load(block)).multiplyTransposed(scaler, scores, k, out, none);
          return out;
        };
        const first = await collect(engines[0]);
        expect(difference(first, await collect(reference))).toBeLessThan(1e-13);
        for (const engine of engines) expect(await collect(engine)).toEqual(first);
      }
    },
  );

  it.each([
    ['none', false, false],
    ['unit', false, false],
    ['unit', true, true],
  ] as const)(
    'have the same products, whether they are computed with the statistics or after them (scale %s, shared %s, weights %s)',
    async (scale, shared, weighted) => {
      const block = blockOf(100, 25_000, shared);
      const weights = weighted ? numbers(block.rows, 7).map((value) => Math.max(0, value)) : undefined;
      const at = { first: 0, weights, columnNames: undefined };
      // A constant column, a column whose sample does not show its size, and a column far from zero.
      for (let i = 0; i < block.rows; i++) {
        block.data[i * block.cols + 9000] = 7;
        block.data[i * block.cols + 9001] = i === 55 ? 1e12 : i % 2;
        block.data[i * block.cols + 24_999] += 1e9;
      }
      for (const engine of engines) {
        const dual = async (given: Scaler | undefined): Promise<{ scaler: Scaler; products: Float64Array }> => {
          const loaded = await engine.load(block);
          const columns = await loaded.summarise(at, undefined, none, given ? undefined : announced(scale));
          const chosen = announced(scale)(columns, 0) as Scaler;
          const used = given ?? { ...chosen, ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}) };
          const into = { products: new Float64Array(block.rows ** 2), size: block.rows, row: 0, column: 0 };
          await loaded.dual(used, loaded, used, into, none);
          for (let i = 0; i < block.rows; i++) into.products.fill(0, i * block.rows, i * block.rows + i);
          loaded.release();
          return { scaler: used, products: into.products };
        };
        const made = await dual(undefined);
        expect((await dual(made.scaler)).products).toEqual(made.products);
      }
    },
  );

  it('get the products for the requested scaler if it is not the announced one', async () => {
    const block = blockOf(60, 9000, false);
    const products = async (engine: Engine): Promise<Float64Array> => {
      const loaded = await engine.load(block);
      await loaded.summarise(
        { first: 0, weights: undefined, columnNames: undefined },
        undefined,
        none,
        announced('none'),
      );
      const into = { products: new Float64Array(3600), size: 60, row: 0, column: 0 };
      const scaler = scalerOf(block, false);
      await loaded.dual(scaler, loaded, scaler, into, none);
      for (let i = 0; i < 60; i++) into.products.fill(0, i * 60, i * 60 + i);
      return into.products;
    };
    expect(difference(await products(engines[1]), await products(reference))).toBeLessThan(1e-13);
  });

  it('with a value that is not finite are rejected with its row and column', async () => {
    const { data } = blockOf(50, 9000, false);
    data[20 * 9000 + 8500] = Number.NaN;
    await expect(pca({ rows: 50, cols: 9000, data }, { k: 2, solver: 'dual', engine: 'wasm' })).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 20, column: 8500 },
    });
  });
});

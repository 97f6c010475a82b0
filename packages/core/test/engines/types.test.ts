import { describe, expect, it } from 'vitest';
import { decodeHalf } from '../../src/data/blocks/float16.js';
import type { NumberArray } from '../../src/data/blocks/matrix.js';
import type { DenseBlock } from '../../src/data/index.js';
import { wasmEngine } from '../../src/engines/choose.js';
import { type Engine, type Matrix, pca, referenceEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';

const reference = referenceEngine();

const none = (): void => {};
const wasm = (await wasmEngine()) as Engine;
const [rows, cols, stride] = [700, 37, 41];

const types = {
  float64: (x: number) => Float64Array.of(x * 1e-3),
  float32: (x: number) => Float32Array.of(x * 1e-3),
  uint8: (x: number) => Uint8Array.of(x),
  'uint8 clamped': (x: number) => Uint8ClampedArray.of(x),
  int8: (x: number) => Int8Array.of(x),
  uint16: (x: number) => Uint16Array.of(x),
  int16: (x: number) => Int16Array.of(x),
  uint32: (x: number) => Uint32Array.of(x * 65537),
  int32: (x: number) => Int32Array.of(x * 65537),
  float16: (x: number) => Uint16Array.of(x),
};

/** Returns a block of this type whose numbers use the whole range of the type, and the same numbers as float64. */
function make(type: keyof typeof types): { block: DenseBlock; plain: DenseBlock } {
  const { uniform } = random(7);
  const sample = types[type](0);
  const data = new (sample.constructor as new (length: number) => NumberArray)(rows * stride);
  for (let at = 0; at < data.length; at++) {
    // Bits of float16, without infinities and NaN.
    const bits = Math.floor(uniform() * 65536) & (type === 'float16' ? 0xbbff : 0xffff);
    data[at] = types[type](bits)[0];
  }
  const half = type === 'float16';
  const values = Float64Array.from(half ? decodeHalf(data) : data);
  const shape = { kind: 'dense', rows, cols, stride } as const;
  return { block: { ...shape, data, half }, plain: { ...shape, data: values } };
}

describe.each(Object.keys(types) as (keyof typeof types)[])('%s data', (type) => {
  const { block, plain } = make(type);
  const scaler = {
    shift: Float64Array.from({ length: cols }, (_, j) => plain.data[j] / 2),
    factor: new Float64Array(cols).fill(2 ** -4),
    rootWeights: Float64Array.from({ length: rows }, (_, i) => (i % 7) / 4),
  };

  it('give passes the exact values of their numbers', async () => {
    for (const engine of [wasm, wasm.float32 as Engine, reference]) {
      const results: Buffer[] = [];
      for (const data of [block, plain]) {
        const loaded = await engine.load(data);
        const scatter = new Float64Array(cols * cols);
        const scores = new Float64Array(rows * 3);
        const products = new Float64Array(rows * rows);
        await loaded.gram(scaler, scatter, none);
        await loaded.multiply(scaler, Float64Array.from({ length: 3 * cols }, random(1).normal), 3, scores, none);
        await loaded.dual(scaler, loaded, scaler, { products, size: rows, row: 0, column: 0 }, none);
        const stats = await loaded.summarise({ first: 0, weights: undefined, columnNames: undefined }, undefined, none);
        const found = [scatter, scores, products, stats.mean, stats.spread, stats.min, stats.max];
        results.push(Buffer.concat(found.map((array) => Buffer.from(array.buffer))));
      }
      expect(Buffer.compare(results[0], results[1])).toBe(0);
    }
  });

  it('give the same fit as their float64 copies', async () => {
    const same = { rows, cols, stride };
    const matrix = { ...same, data: block.data, ...(block.half ? { dtype: 'float16' } : {}) } as Matrix<NumberArray>;
    for (const solver of ['covariance', 'dual', 'svd', 'krylov'] as const) {
      const options = { k: 3, solver, tolerance: 1e-10 };
      const model = await pca(matrix, options);
      const truth = await pca({ ...same, data: plain.data } as Matrix, options);
      expect(model.variances).toEqual(truth.variances);
      expect(model.components).toEqual(truth.components);
    }
  });
});

describe('half precision', () => {
  it('is decoded as IEEE 754 says', () => {
    const known: [number, number][] = [
      [0x0000, 0],
      [0x3c00, 1],
      [0xc000, -2],
      [0x7bff, 65504],
      [0x0001, 2 ** -24],
      [0x0400, 2 ** -14],
      [0x3555, 0.333251953125],
      [0x7c00, Number.POSITIVE_INFINITY],
      [0xfc00, Number.NEGATIVE_INFINITY],
    ];
    for (const [bits, value] of known) expect(decodeHalf(Uint16Array.of(bits))[0]).toBe(value);
    expect(decodeHalf(Uint16Array.of(0x7e00))[0]).toBeNaN();
  });

  it('rejects infinities with their row and column, and a dtype that does not match the data', async () => {
    const data = new Uint16Array(20).fill(0x3c00);
    data[7] = 0x7c00;
    const bits = { rows: 10, cols: 2, data, dtype: 'float16' as const };
    await expect(pca(bits)).rejects.toThrow(/row 4, column 2 is Infinity/);
    await expect(pca({ ...bits, data: new Float32Array(20) as never })).rejects.toThrow(/dtype is "float16"/);
    await expect(pca({ ...bits, dtype: 'bfloat16' as never })).rejects.toThrow(/dtype is "bfloat16"/);
  });
});

import { pca } from '@scree/core';
import { random } from '@scree/core/linalg';
import { ProgressTracker } from '@scree/core/pipeline';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BatchEncoder } from '../../src/vectors/batch-encoder.js';
import { encodeVector, loadQueryModel, type QueryModel, vectorText } from '../../src/vectors/encode-vector.js';
import { VectorProducts } from '../../src/vectors/products.js';
import { codesFor, entriesOf } from '../../src/vectors/query/codes.js';
import { roundComponents } from '../../src/vectors/query/exact-products.js';
import { projectorOf } from '../../src/vectors/query/projector.js';
import { looseRows } from '../../src/vectors/sample-queries.js';
import { writeQueryModel } from '../../src/vectors/write-query-model.js';
import { topicVectors } from './support.js';

/** A model with random unit rows as components. */
function randomModel(seed: number, d: number, k: number, rule: Partial<QueryModel>): QueryModel {
  const { normal, uniform } = random(seed);
  const basis = Float64Array.from({ length: k * d }, normal);
  for (let c = 0; c < k; c++) {
    const row = basis.subarray(c * d, (c + 1) * d);
    const norm = Math.hypot(...row);
    for (let j = 0; j < d; j++) row[j] /= norm;
  }
  return {
    ...{ d, k, metric: 'cosine', store: 'float32', search: 'cosine', step: 0.01 },
    components: roundComponents(basis),
    offset: Float64Array.from({ length: k }, () => 0.1 * normal()),
    weights: uniform() < 0.3 ? Float64Array.from({ length: k }, () => 1 + uniform()) : undefined,
    ...rule,
  };
}

const models = fc.record({
  seed: fc.nat(),
  d: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(1536, 8191, 8192)),
  k: fc.integer({ min: 1, max: 20 }),
  metric: fc.constantFrom('cosine', 'dot', 'l2'),
  store: fc.constantFrom('float32', 'float16', 'int8', 'bit'),
  scale: fc.constantFrom(1e-20, 1e-3, 1, 1e8),
});

afterEach(() => vi.restoreAllMocks());

describe('encodeVector', () => {
  it('gives the bits of the rows, after a round trip of the model', async () => {
    const products = await VectorProducts.open(2, new ProgressTracker());
    await fc.assert(
      fc.asyncProperty(models, async ({ seed, d, k, metric, store, scale }) => {
        const model = randomModel(seed, d, k, { metric, store } as Partial<QueryModel>);
        const { normal } = random(seed + 1);
        const rows = 5;
        const data = Float32Array.from({ length: rows * d }, () => scale * normal());
        data.fill(0, 0, d);
        const batch = await new BatchEncoder(model, products).encode(looseRows(data, d));
        const read = loadQueryModel(writeQueryModel(model));
        expect(read).toEqual(model);
        const entries = entriesOf(model.store, k);
        for (let i = 0; i < rows; i++) {
          const code = encodeVector(read, Array.from(data.subarray(i * d, (i + 1) * d)));
          expect(code).toEqual(batch.subarray(i * entries, (i + 1) * entries));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('computes products that are exact, in WebAssembly and in plain JavaScript', () => {
    fc.assert(
      fc.property(models, ({ seed, d, k }) => {
        const model = randomModel(seed, d, k, {});
        const { uniform } = random(seed + 2);
        const raw = Array.from({ length: d }, () => uniform() - 0.5);
        const norm = Math.hypot(...raw);
        const fixed = Float64Array.from(raw, (value) => Math.round((value / norm) * 2 ** 23));
        // Whole numbers without limits.
        const expected = Array.from({ length: k }, (_, c) => {
          let sum = 0n;
          for (let j = 0; j < d; j++)
            sum += BigInt((model.components?.[c * d + j] as number) * 2 ** 24) * BigInt(fixed[j]);
          return Number(sum);
        });
        const exact = (of: QueryModel) => {
          const projector = projectorOf(of);
          projector.fixed.set(fixed);
          return Array.from(projector.project(), (value) => value * 2 ** 24);
        };
        expect(exact(model)).toEqual(expected);
        vi.spyOn(WebAssembly, 'Memory').mockImplementation(function refuse(): never {
          throw new Error('no memory');
        });
        expect(exact({ ...model })).toEqual(expected);
        vi.restoreAllMocks();
      }),
      { numRuns: 40 },
    );
  });

  it('is within float32 rounding of the scores of the PCA model that it was made from', async () => {
    const data = topicVectors(200, 30, 3);
    const model = await pca(data, { k: 6, whiten: 'pca' });
    const query = loadQueryModel(model.toBinary({ only: 'transform', dtype: 'float32' }));
    const scores = await model.transform(data);
    for (let i = 0; i < 10; i++) {
      const code = encodeVector(query, data.data.subarray(i * 30, (i + 1) * 30));
      for (let c = 0; c < 6; c++) expect(code[c]).toBeCloseTo(scores.data[i * 6 + c], 4);
    }
    expect(() => loadQueryModel(model.toBinary())).toThrow(/only: 'transform'/);
  });

  it('refuses vectors of another length, numbers that are not finite, and damaged models', () => {
    const model = randomModel(1, 8, 3, {});
    expect(() => encodeVector(model, [1, 2])).toThrow('The vector has 2 numbers, and the model needs 8.');
    expect(() => encodeVector(model, [1, 2, Number.NaN, 4, 5, 6, 7, 8])).toThrow(/not finite/);
    const bytes = writeQueryModel(model);
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = bytes.slice();
      changed[at] ^= 4;
      expect(() => loadQueryModel(changed)).toThrow();
      expect(() => loadQueryModel(bytes.subarray(0, at))).toThrow();
    }
  });

  it('gives vectors as text for databases', () => {
    expect(vectorText('int8', Int8Array.of(1, -2))).toBe('[1,-2]');
    expect(vectorText('float16', Uint16Array.of(0x3c00, 0xb800, 1))).toBe(`[1,-0.5,${2 ** -24}]`);
    expect(vectorText('bit', Uint8Array.of(0b10110000, 0b01000000), 10)).toBe('1011000001');
    expect(vectorText('float32', codesFor('float32', 2))).toBe('[0,0]');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/data/blocks/block.js';
import { DataChecksum } from '../../../src/data/statistics/checksum.js';
import { random } from '../../../src/linalg/random.js';

const range = (cols: number) => ({ rows: 1, min: new Float64Array(cols), max: new Float64Array(cols).fill(1) });

function dense(data: Float64Array | Float32Array | Int32Array, cols: number, from = 0, to = data.length / cols): Block {
  return { kind: 'dense', rows: to - from, cols, stride: cols, data: data.subarray(from * cols, to * cols) };
}

function checksumOf(blocks: readonly Block[], weights: readonly (Float64Array | undefined)[] = []): number {
  const checksum = new DataChecksum();
  blocks.forEach((block, i) => {
    checksum.add(block, weights[i]);
  });
  return checksum.seed(0, range(blocks[0].cols));
}

describe('the checksum of data', () => {
  it('is the same however the rows are cut into blocks, dense and sparse, few rows and so many that most are left out', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 7, 900, 70_000),
        fc.constantFrom(10, 200_000),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
        fc.integer(),
        (cols, numbers, at, seed) => {
          const rows = Math.max(3, Math.ceil(numbers / cols));
          const data = new Float64Array(rows * cols).map(random(seed).normal);
          const cuts = [0, ...at.map((share) => Math.floor(share * rows)).sort((a, b) => a - b), rows];
          const parts = <Part>(part: (from: number, to: number) => Part): Part[] =>
            cuts.slice(1).map((to, i) => part(cuts[i], to));
          expect(checksumOf(parts((from, to) => dense(data, cols, from, to)))).toBe(checksumOf([dense(data, cols)]));
          const indptr = Int32Array.from({ length: rows + 1 }, (_, i) => i * cols);
          const indices = Int32Array.from(data, (_, i) => i % cols);
          const sparse = (from: number, to: number): Block => ({
            ...{ kind: 'sparse', rows: to - from, cols, indices, data },
            indptr: indptr.subarray(from, to + 1),
          });
          expect(checksumOf(parts(sparse))).toBe(checksumOf([sparse(0, rows)]));
        },
      ),
      { numRuns: 12 },
    );
  });

  it('depends on the numbers and not on their type', () => {
    const numbers = Array.from({ length: 60 }, (_, i) => (i * i) % 17);
    const all = [Float64Array, Float32Array, Int32Array].map((type) => checksumOf([dense(type.from(numbers), 6)]));
    expect(new Set(all).size).toBe(1);
    expect(checksumOf([dense(Float64Array.of(-0, 1), 2)])).toBe(checksumOf([dense(Float64Array.of(0, 1), 2)]));
  });

  it('changes with every number, sign, place, weight, range and seed', () => {
    const data = Float64Array.from({ length: 60 }, (_, i) => (i % 7) - 3.5);
    const put = (...entries: readonly (readonly [number, number])[]): number => {
      const other = data.slice();
      for (const [at, value] of entries) other[at] = value;
      return checksumOf([dense(other, 6)]);
    };
    const weights = (last: number) => [Float64Array.from({ length: 10 }, (_, i) => (i === 9 ? last : 1))];
    const found = [
      checksumOf([dense(data, 6)]),
      ...Array.from(data, (value, at) => put([at, -value])),
      ...Array.from(data, (value, at) => put([at, value * (1 + 2 ** -52)])),
      put([0, data[1]], [1, data[0]]),
      checksumOf([dense(data.slice().reverse(), 6)]),
      checksumOf([dense(data, 6)], weights(1)),
      checksumOf([dense(data, 6)], weights(2)),
      new DataChecksum().seed(0, range(6)),
      new DataChecksum().seed(1, range(6)),
      new DataChecksum().seed(2 ** 40, range(6)),
      new DataChecksum().seed(0, { ...range(6), rows: 2 }),
      new DataChecksum().seed(0, { ...range(6), max: new Float64Array(6).fill(3) }),
    ];
    expect(new Set(found).size).toBe(found.length);
  });

  it('is that of the data times a power of two', () => {
    const data = Float64Array.from({ length: 60 }, (_, i) => ((i * i) % 7) - 3);
    const of = (factor: number) => {
      const checksum = new DataChecksum();
      checksum.add(
        dense(
          data.map((x) => factor * x),
          6,
        ),
        new Float64Array(10).fill(2),
      );
      const ends = { rows: 10, min: new Float64Array(6).fill(-3 * factor), max: new Float64Array(6).fill(3 * factor) };
      // Rows on a cluster are not seen, and the ranges are all there is.
      return [checksum.seed(1, ends), new DataChecksum().seed(1, ends)];
    };
    expect(of(2 ** 70)).toEqual(of(1));
    expect(of(-(2 ** -200))).not.toEqual(of(1));
    expect(of(3)).not.toEqual(of(1));
  });

  it('takes no notice of what a row of weight 0 holds', () => {
    const weights = [Float64Array.of(1, 0, 1)];
    const of = (middle: number) => checksumOf([dense(Float64Array.of(1, 2, middle, middle, 5, 6), 2)], weights);
    expect(of(Number.NaN)).toBe(of(3));
  });
});

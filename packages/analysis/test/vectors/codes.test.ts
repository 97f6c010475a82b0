import { decodeHalf } from '@scree/core/data';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepFor } from '../../src/vectors/candidates.js';
import { codeBytes, codesFor, entriesOf, storeNumbers, toHalf } from '../../src/vectors/query/codes.js';

describe('stored numbers', () => {
  it('of half precision decode to themselves, all 65,536', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const values = decodeHalf(all);
    const wrong = all.filter((bits, i) => Number.isFinite(values[i]) && toHalf(values[i]) !== bits);
    expect([...wrong]).toEqual([]);
  });

  it('of half precision are the nearest ones, with ties to the even one', () => {
    // Independent of the encoder: the neighbours of a number in the sorted list of all finite half-precision numbers.
    const finite = decodeHalf(Uint16Array.from({ length: 0x7c00 }, (_, i) => i));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0x7bfe }),
        fc.constantFrom(0, 0.25, 0.5, 0.75, 0.4999, 0.5001),
        (i, part) => {
          const [low, high] = [finite[i], finite[i + 1]];
          const value = Math.fround(low + part * (high - low));
          const [below, above] = [value - low, high - value];
          const nearest = below < above ? i : above < below ? i + 1 : i % 2 === 0 ? i : i + 1;
          expect(toHalf(value)).toBe(nearest);
          expect(toHalf(-value)).toBe(0x8000 | nearest);
        },
      ),
    );
    expect(toHalf(65519)).toBe(0x7bff);
    expect(toHalf(-1e30)).toBe(0xfbff);
  });

  it('of int8 are the nearest steps, clipped at 127, and bits are signs from the highest bit on', () => {
    const z = Float32Array.of(0.26, -0.26, 0.24, 100, -100, 0, 1e-9, -1e-9, 0.5);
    const int8 = codesFor('int8', 9);
    storeNumbers('int8', z, 0, 9, 0.1, int8, 0);
    expect([...int8]).toEqual([3, -3, 2, 127, -127, 0, 0, 0, 5]);
    const bits = codesFor('bit', 9).fill(255);
    storeNumbers('bit', z, 0, 9, 1, bits, 0);
    expect([...bits]).toEqual([0b10110010, 0b10000000]);
  });

  it('take the bytes that their type takes', () => {
    for (const store of ['float32', 'float16', 'int8', 'bit'] as const) {
      expect(codesFor(store, 13, 3).byteLength).toBe(3 * codeBytes(store, 13));
      expect(codesFor(store, 13, 3).length).toBe(3 * entriesOf(store, 13));
    }
  });

  it('have a step that clips few large numbers, and none of uniform ones', () => {
    const uniform = Float32Array.from({ length: 1001 }, (_, i) => i / 500 - 1);
    expect(stepFor(uniform)).toBeCloseTo(1 / 127, 6);
    expect(stepFor(Float32Array.of(...uniform, 3))).toBeCloseTo(3 / 127, 6);
    const many = Float32Array.from({ length: 100_001 }, (_, i) => (i === 0 ? 2 : i / 50_000 - 1));
    expect(stepFor(many)).toBeLessThan(1.3 / 127);
    expect(stepFor(new Float32Array(5))).toBe(1);
  });
});

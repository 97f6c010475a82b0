import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisTicks, timesPower } from '../../src/charts/point-cloud/ticks.js';

describe('ticks', () => {
  it('are round, within the range, about as many as requested, and written with all their digits', () => {
    const sizes = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        sizes,
        fc.double({ min: 1e-3, max: 1, noNaN: true }),
        fc.integer({ min: -12, max: 12 }),
        (a, b, power) => {
          const [low, high] = [a * 10 ** power, (a + b) * 10 ** power];
          const { values, texts, exponent } = axisTicks(low, high, 6);
          expect(values.length).toBeGreaterThanOrEqual(2);
          expect(values.length).toBeLessThanOrEqual(11);
          values.forEach((value, i) => {
            expect(value >= low && value <= high + 1e-9 * (high - low)).toBe(true);
            const read = Number(texts[i].replace('−', '-')) * 10 ** exponent;
            expect(Math.abs(read - value)).toBeLessThanOrEqual(1e-6 * (high - low));
          });
          expect(new Set(texts).size).toBe(texts.length);
        },
      ),
    );
  });

  it('are written without needless digits', () => {
    expect(axisTicks(-1.2, 1.1, 5).texts).toEqual(['−1.0', '−0.5', '0.0', '0.5', '1.0']);
    expect(axisTicks(0, 3e6, 3)).toEqual({ values: [0, 1e6, 2e6, 3e6], texts: ['0', '1', '2', '3'], exponent: 6 });
    expect(axisTicks(-1, 2, 3, 60)).toEqual({ values: [-1, 0, 1, 2], texts: ['−1', '0', '1', '2'], exponent: 60 });
    expect(axisTicks(0.01, 0.03, 2, -300).exponent).toBe(-302);
    expect(timesPower(6)).toBe(' × 10⁶');
    expect(timesPower(-12)).toBe(' × 10⁻¹²');
    expect(timesPower(0)).toBe('');
  });

  it('are empty for an empty range', () => {
    expect(axisTicks(1, 1, 5).values).toEqual([]);
    expect(axisTicks(Number.NaN, 1, 5).values).toEqual([]);
  });
});

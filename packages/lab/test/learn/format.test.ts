import { describe, expect, it } from 'vitest';
import { angleText, unitsFor, withDecimals } from '../../src/learn/shared/format.js';

describe('numbers on the screens', () => {
  it('have digits at every size of the data', () => {
    expect(unitsFor(4.7).text(3.214)).toBe('3.21');
    expect(unitsFor(4.7, 4).text(0.01234)).toBe('0.012');
    expect(unitsFor(0.47).text(0.3214)).toBe('0.321');
    expect(unitsFor(1234).text(1000)).toBe('1000.00');
    expect(unitsFor(1.47e-7).text(1.03e-7)).toBe('1.03\u00a0×\u00a010⁻⁷');
    expect(unitsFor(1.0489170174785e13).text(-1.03e13)).toBe('−1.03\u00a0×\u00a010¹³');
    expect(unitsFor(1e13).mantissa(4e12)).toBe('0.40');
    expect(unitsFor(0).text(0)).toBe('0.00');
  });

  it('write angles in one way, and with a minus sign', () => {
    expect(angleText(0.5)).toBe('28.6°');
    expect(angleText(1e-8)).toBe('5.7\u00a0×\u00a010⁻⁷°');
    expect(withDecimals(-0.5)).toBe('−0.50');
  });
});

import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import {
  tailChiSquared,
  tailF,
  upperBeta,
  upperChiSquared,
  upperF,
  upperNormal,
} from '../src/statistics/distributions.js';

/** Relative to the expected value. */
function expectClose(value: number, expected: number, tolerance: number): void {
  expect(Math.abs(value - expected) / Math.abs(expected), `${value}, not ${expected}`).toBeLessThan(tolerance);
}

describe('quantiles agree with scipy 1.x (isf) to ten digits:', () => {
  it.each([
    [0.5, 1, 10, 0.4897369211583547],
    [0.5, 2, 48, 0.7032536794438087],
    [0.5, 3, 175, 0.7917438518024047],
    [0.5, 10, 7.5, 1.0234912501242526],
    [0.5, 50, 120, 0.9922082765661704],
    [0.5, 3, 1000000, 0.788658500101779],
    [0.05, 1, 10, 4.964602743730711],
    [0.05, 2, 48, 3.1907273359284987],
    [0.05, 3, 175, 2.6562339442347684],
    [0.05, 10, 7.5, 3.479359174010458],
    [0.05, 50, 120, 1.4565192951036434],
    [0.05, 3, 1000000, 2.604918176976153],
    [0.01, 1, 10, 10.04428927339658],
    [0.01, 2, 48, 5.076663807086122],
    [0.01, 3, 175, 3.895486253999503],
    [0.01, 10, 7.5, 6.177173579878133],
    [0.01, 50, 120, 1.700018480861196],
    [0.01, 3, 1000000, 3.781641803633711],
    [1e-4, 1, 10, 38.57715317420358],
    [1e-4, 2, 48, 11.227182422929832],
    [1e-4, 3, 175, 7.455404402782181],
    [1e-4, 10, 7.5, 24.605277702508083],
    [1e-4, 50, 120, 2.3192696036150022],
    [1e-4, 3, 1000000, 7.03590855911296],
  ])('F, probability %s, %s and %s degrees of freedom', (p, a, b, expected) => {
    expectClose(upperF(p, a, b), expected, 1e-10);
  });

  it.each([
    [0.05, 0.5, 0.5, 0.9938441702975689],
    [0.05, 1.5, 87, 0.04379631239150468],
    [0.05, 20, 3, 0.961776488993582],
    [1e-4, 0.5, 0.5, 0.999999975325989],
    [1e-4, 1.5, 87, 0.11393439371526515],
    [1e-4, 20, 3, 0.9959016262535447],
  ])('a beta variable, probability %s, parameters %s and %s', (p, a, b, expected) => {
    expectClose(upperBeta(p, a, b), expected, 1e-10);
  });

  it.each([
    [0.9, 0.3, 2.7145719281791e-7],
    [0.9, 1, 0.015790774093431225],
    [0.9, 7.19, 2.955903252547863],
    [0.9, 20000, 19744.12175009947],
    [0.05, 0.3, 1.651174872908939],
    [0.05, 1, 3.8414588206941285],
    [0.05, 7.19, 14.343251079803295],
    [0.05, 20000, 20330.10382393225],
    [1e-9, 0.3, 32.93311318887192],
    [1e-9, 1, 37.324893051362324],
    [1e-9, 7.19, 56.34390447377491],
    [1e-9, 20000, 21222.97272882221],
  ])('chi-squared, probability %s, %s degrees of freedom', (p, a, expected) => {
    expectClose(upperChiSquared(p, a), expected, 1e-10);
  });

  it.each([
    [0.7, -0.5244005127080407],
    [0.05, 1.6448536269514729],
    [0.025, 1.9599639845400545],
    [1e-9, 5.9978070150076865],
  ])('a normal variable, probability %s', (p, expected) => {
    expectClose(upperNormal(p), expected, 1e-10);
  });
});

describe('quantiles that have a formula', () => {
  it('are right where tails are tiny: F with 1 and 1, with 2 and d, chi-squared with 2 degrees of freedom', () => {
    for (const p of [0.3, 0.05, 1e-6, 1e-12, 1e-30]) {
      expectClose(upperF(p, 1, 1), Math.tan((Math.PI / 2) * p) ** -2, 1e-12);
      for (const d of [3, 48, 1e4]) expectClose(upperF(p, 2, d), (d / 2) * Math.expm1((-2 / d) * Math.log(p)), 1e-12);
      expectClose(upperChiSquared(p, 2), -2 * Math.log(p), 1e-12);
      expectClose(upperBeta(p, 1, 5), -Math.expm1(Math.log(p) / 5), 1e-12);
    }
  });

  it('approach one another: F with many degrees of freedom is chi-squared, and F of (d1, d2) is 1/F of (d2, d1)', () => {
    const rng = random(Number(process.env.SCREE_SEED ?? 1));
    for (let run = 0; run < 30; run++) {
      const [d1, d2, p] = [0.5 + 60 * rng.uniform(), 0.5 + 60 * rng.uniform(), 0.001 + 0.99 * rng.uniform()];
      expectClose(upperF(p, d1, d2) * upperF(1 - p, d2, d1), 1, 1e-9);
      expectClose(d1 * upperF(p, d1, 1e9), upperChiSquared(p, d1), 1e-6);
      expectClose(tailF(upperF(p, d1, d2), d1, d2), p, 1e-11);
      expectClose(tailChiSquared(upperChiSquared(p, d1), d1), p, 1e-11);
    }
  });

  it('are 0 where everything is beyond, and infinite where nothing is', () => {
    expect(upperF(1, 3, 4)).toBe(0);
    expect(upperF(0, 3, 4)).toBe(Number.POSITIVE_INFINITY);
    expect(upperNormal(0.5)).toBe(0);
    expect(upperNormal(0.95)).toBe(-upperNormal(1 - 0.95));
  });
});

import { upperChiSquared, upperNormal } from '../statistics/distributions.js';

/** θ₁, θ₂/θ₁² and θ₃/θ₁³ of eigenvalues: cubes of large eigenvalues would overflow. */
export interface PowerSums {
  readonly sum: number;
  readonly second: number;
  readonly third: number;
}

export function powerSums(values: ArrayLike<number>): PowerSums {
  let [sum, second, third] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) sum += Math.max(0, values[i]);
  for (let i = 0; i < values.length; i++) {
    const share = Math.max(0, values[i]) / sum;
    second += share ** 2;
    third += share ** 3;
  }
  return { sum, second, third };
}

/** The limit of Q that the eigenvalues left out give: Jackson and Mudholkar's, or Box's if they have none. */
export function residualLimitOf(values: ArrayLike<number>, beyond: number): number | null {
  const sums = powerSums(values);
  return sums.sum > 0 ? (jacksonMudholkarLimit(sums, beyond) ?? boxLimit(sums.sum, 1 / sums.second, beyond)) : null;
}

/**
 * Jackson & Mudholkar: (Q/θ₁)^h is nearly normal with h = 1 − 2θ₁θ₃/(3θ₂²), mean 1 + θ₂h(h − 1)/θ₁² and standard deviation
 * |h|·√(2θ₂)/θ₁. Null if the base of the power would be negative.
 */
export function jacksonMudholkarLimit({ sum, second, third }: PowerSums, beyond: number): number | null {
  const h = 1 - (2 * third) / (3 * second * second);
  const off = upperNormal(beyond) * Math.sqrt(2 * second) + second * (h - 1);
  if (!(1 + h * off > 0)) return null;
  return sum * (Math.abs(h) < 1e-9 ? Math.exp(off) : (1 + h * off) ** (1 / h));
}

/** The quantile of χ² with h degrees of freedom, scaled to this mean; its variance is 2·mean²/h. */
export function boxLimit(mean: number, h: number, beyond: number): number {
  return (mean / h) * upperChiSquared(beyond, h);
}

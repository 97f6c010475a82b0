import { norm, powerOfTwo, scale } from './vector.js';

/**
 * The Householder reflector of x: overwrites x with v (v₀ = 1) such that (I − τvvᵀ)x = βe₁, |β| = ‖x‖.
 * β has the sign opposite to x₀, so that nothing cancels; entries whose squares could vanish or overflow are multiplied by a power
 * of two first, so that tiny vectors reflect as well as large ones. τ = 0 means that x is a multiple of e₁ already.
 * Golub & Van Loan §5.1.
 */
export function reflector(x: Float64Array, start: number, length: number): { beta: number; tau: number } {
  const alpha = x[start];
  let largest = 0;
  for (let i = 1; i < length; i++) {
    const magnitude = Math.abs(x[start + i]);
    if (magnitude > largest) largest = magnitude;
  }
  if (largest === 0) {
    x[start] = 1;
    return { beta: alpha, tau: 0 };
  }
  largest = Math.max(largest, Math.abs(alpha));
  if (largest < 2 ** -400 || largest > 2 ** 400) {
    const unit = powerOfTwo(largest);
    scale(1 / unit, x, start, length);
    const { beta, tau } = reflector(x, start, length);
    return { beta: beta * unit, tau };
  }
  const beta = (alpha > 0 ? -1 : 1) * norm(x, start, length);
  const pivot = alpha - beta;
  x[start] = 1;
  scale(1 / pivot, x, start + 1, length - 1);
  return { beta, tau: -pivot / beta };
}

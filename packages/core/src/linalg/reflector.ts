import { dot, powerOfTwo, scale } from './vector.js';

/**
 * The Householder reflector of x: overwrites x with v (v₀ = 1) such that (I − τvvᵀ)x = βe₁, |β| = ‖x‖. β has the opposite sign of x₀, so
 * that there is no cancellation. Entries whose squares could underflow or overflow are multiplied by a power of two first. τ = 0 means that
 * x is a multiple of e₁ already. Golub & Van Loan §5.1.
 */
export function reflector(x: Float64Array, start: number, length: number): { beta: number; tau: number } {
  let unit = 1;
  let squares = dot(x, start, x, start, length);
  if (squares < 2 ** -800 || squares > 2 ** 800) {
    let largest = 0;
    for (let i = 0; i < length; i++) largest = Math.max(largest, Math.abs(x[start + i]));
    unit = powerOfTwo(largest);
    scale(1 / unit, x, start, length);
    squares = dot(x, start, x, start, length);
  }
  const alpha = x[start];
  let last = length - 1;
  while (last > 0 && x[start + last] === 0) last--;
  x[start] = 1;
  if (last <= 0) return { beta: alpha * unit, tau: 0 };
  const beta = (alpha > 0 ? -1 : 1) * Math.sqrt(squares);
  const pivot = alpha - beta;
  scale(1 / pivot, x, start + 1, length - 1);
  return { beta: beta * unit, tau: -pivot / beta };
}

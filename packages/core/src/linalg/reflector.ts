/**
 * The Householder reflector of x: overwrites x with v (v₀ = 1) such that (I − τvvᵀ)x = βe₁, |β| = ‖x‖.
 * β has the sign opposite to x₀, so that nothing cancels; entries are scaled by the largest before they are squared,
 * so that tiny vectors reflect as well as large ones. τ = 0 means that x is a multiple of e₁ already.
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
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const scaled = x[start + i] / largest;
    sum += scaled * scaled;
  }
  const beta = (alpha > 0 ? -largest : largest) * Math.sqrt(sum);
  const pivot = alpha - beta;
  x[start] = 1;
  for (let i = 1; i < length; i++) x[start + i] /= pivot;
  return { beta, tau: -pivot / beta };
}

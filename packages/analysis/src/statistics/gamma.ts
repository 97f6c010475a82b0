import { logarithm, type Random } from '@scree/core/linalg';

/**
 * A gamma variate of the given shape ≥ 1/2 and scale 1 (Marsaglia & Tsang 2000): dv with d = shape − 1/3, v = (1 + z/√(9d))³ and z
 * normal, accepted if ln u < z²/2 + d(1 − v + ln v). Their first test, u < 1 − 0.0331z⁴, accepts most of these without a logarithm.
 * Shapes below 1 are one higher, times u^(1/shape).
 */
export function gamma(shape: number, rng: Random): number {
  if (shape < 1) {
    // u² is u^(1/shape) for 1/2, the only shape below 1 of χ².
    const root = rng.uniform();
    return gamma(shape + 1, rng) * root * root;
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const z = rng.normal();
    const root = 1 + c * z;
    const v = root * root * root;
    const u = rng.uniform();
    if (v <= 0) continue;
    const square = z * z;
    if (u < 1 - 0.0331 * square * square) return d * v;
    const logV = v < 1 ? logarithm(v) : v > 1 ? -logarithm(1 / v) : 0;
    if (u > 0 && logarithm(u) < square / 2 + d * (1 - v + logV)) return d * v;
  }
}

/** χ² with a whole number of degrees of freedom: a squared normal for 1, twice a gamma variate of half the shape for more. */
export function chiSquare(freedom: number, rng: Random): number {
  return freedom === 1 ? rng.normal() ** 2 : 2 * gamma(freedom / 2, rng);
}

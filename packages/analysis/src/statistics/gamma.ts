import { logarithm, type Random } from '@scree/core/linalg';

/**
 * A gamma variate of the given shape ≥ 1/2 and scale 1 (Marsaglia & Tsang 2000): dv with v = (1 + cz)³, z normal, accepted where
 * ln u < z²/2 + d − dv + d·ln v. χ² with m degrees of freedom is twice that of shape m/2. Shapes below 1 are one higher, times u^(1/shape).
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
    const v = (1 + c * z) ** 3;
    const u = rng.uniform();
    if (v <= 0 || u === 0) continue;
    const logV = v < 1 ? logarithm(v) : v > 1 ? -logarithm(1 / v) : 0;
    if (logarithm(u) < (z * z) / 2 + d - d * v + d * logV) return d * v;
  }
}

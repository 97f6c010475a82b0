import { logarithm, type Random } from '@scree/core/linalg';

/**
 * χ² with a whole number of degrees of freedom: a squared normal for 1, else twice a gamma variate of shape a = df/2 (Marsaglia &
 * Tsang 2000): g·v with g = a − 1/3 and v = (1 + x/√(9g))³ for normal x, kept where ln u < x²/2 + g(1 − v + ln v).
 */
export function chiSquare(freedom: number, { uniform, normal }: Random): number {
  if (freedom === 1) return normal() ** 2;
  const g = freedom / 2 - 1 / 3;
  for (;;) {
    const x = normal();
    const root = 1 + x / Math.sqrt(9 * g);
    if (root <= 0) continue;
    const v = root * root * root;
    const u = uniform();
    const square = x * x;
    if (u < 1 - 0.0331 * square * square) return 2 * g * v;
    const lnV = v < 1 ? logarithm(v) : v === 1 ? 0 : -logarithm(1 / v);
    if (u > 0 && logarithm(u) < square / 2 + g * (1 - v + lnV)) return 2 * g * v;
  }
}

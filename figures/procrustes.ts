/**
 * The orthogonal 2 × 2 matrix R that brings points Y (n × 2) closest to Z, and YR: the best rotation or the best reflection,
 * whichever is better, from M = YᵀZ. `misfit` is ‖YR − Z‖/‖Z‖.
 */
export function align(y: Float64Array, z: Float64Array): { points: Float64Array; misfit: number } {
  const m = [0, 0, 0, 0];
  for (let at = 0; at < y.length; at += 2) {
    m[0] += y[at] * z[at];
    m[1] += y[at] * z[at + 1];
    m[2] += y[at + 1] * z[at];
    m[3] += y[at + 1] * z[at + 1];
  }
  const turn = Math.hypot(m[0] + m[3], m[1] - m[2]);
  const mirror = Math.hypot(m[0] - m[3], m[1] + m[2]);
  const sign = turn >= mirror ? 1 : -1;
  const angle = Math.atan2(m[1] - sign * m[2], m[0] + sign * m[3]);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const points = new Float64Array(y.length);
  let [square, size] = [0, 0];
  for (let at = 0; at < y.length; at += 2) {
    points[at] = c * y[at] - sign * s * y[at + 1];
    points[at + 1] = s * y[at] + sign * c * y[at + 1];
    square += (points[at] - z[at]) ** 2 + (points[at + 1] - z[at + 1]) ** 2;
    size += z[at] ** 2 + z[at + 1] ** 2;
  }
  return { points, misfit: Math.sqrt(square / size) };
}

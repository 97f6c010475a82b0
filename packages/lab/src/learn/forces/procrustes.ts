import type { Matrix } from '@scree/core';

/** Z turned (and mirrored, where that fits better) in the plane to lie on Y as well as it can: both n × 2 and about their means. */
export function turnedToFit(z: Matrix<Float64Array>, y: Matrix<Float64Array>): Matrix<Float64Array> {
  const m = [0, 0, 0, 0];
  for (let i = 0; i < z.rows; i++) {
    for (let a = 0; a < 2; a++) for (let b = 0; b < 2; b++) m[2 * a + b] += z.data[2 * i + a] * y.data[2 * i + b];
  }
  // The Q that is orthogonal and makes tr(QᵀZᵀY) largest is a turn by atan2(s, c), or a mirrored one.
  const turn = [m[0] + m[3], m[2] - m[1]];
  const mirror = [m[0] - m[3], m[1] + m[2]];
  const mirrored = Math.hypot(...mirror) > Math.hypot(...turn);
  const [c, s] = unit(mirrored ? mirror : turn);
  const q = mirrored ? [c, s, s, -c] : [c, -s, s, c];
  const data = new Float64Array(z.rows * 2);
  for (let i = 0; i < z.rows; i++) {
    const [u, v] = [z.data[2 * i], z.data[2 * i + 1]];
    data[2 * i] = u * q[0] + v * q[2];
    data[2 * i + 1] = u * q[1] + v * q[3];
  }
  return { rows: z.rows, cols: 2, data };
}

function unit([x, y]: readonly number[]): readonly [number, number] {
  const length = Math.hypot(x, y);
  return length > 0 ? [x / length, y / length] : [1, 0];
}

/** Scores of points about their mean on rows that are a basis (k × d). */
export function scoresOn(points: Matrix<Float64Array>, rows: Float64Array, k: number): Matrix<Float64Array> {
  const { rows: n, cols: d } = points;
  const data = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) {
      for (let j = 0; j < d; j++) data[i * k + c] += points.data[i * d + j] * rows[c * d + j];
    }
  }
  return { rows: n, cols: k, data };
}

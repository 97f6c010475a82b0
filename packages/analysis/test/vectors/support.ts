import type { Matrix } from '@scree/core';
import { random } from '@scree/core/linalg';

/** OpenVectors about a few topics, whose spectrum falls slowly, away from the origin. */
export function topicVectors(rows: number, cols: number, seed: number, mean = 0.05): Matrix<Float32Array> {
  const { normal } = random(seed);
  const topics = Math.max(2, cols >> 2);
  const basis = Float64Array.from({ length: topics * cols }, normal);
  const data = new Float32Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const z = Array.from({ length: topics }, (_, t) => normal() / (1 + t) ** 0.5);
    for (let j = 0; j < cols; j++) {
      let value = mean + 0.1 * normal();
      for (let t = 0; t < topics; t++) value += 0.3 * z[t] * basis[t * cols + j];
      data[i * cols + j] = value;
    }
  }
  return { rows, cols, data };
}

/** Nearness from the definition, in float64: larger is nearer. */
export function plainNearness(search: string, q: ArrayLike<number>, x: ArrayLike<number>): number {
  let [product, square, distance] = [0, 0, 0];
  for (let j = 0; j < q.length; j++) {
    product += q[j] * x[j];
    square += x[j] * x[j];
    distance += (q[j] - x[j]) ** 2;
  }
  if (search === 'cosine') return square > 0 ? product / Math.sqrt(square) : 0;
  return search === 'l2' ? -distance : product;
}

/** The `count` nearest rows, by sorting all of them; equally near rows by their index. */
export function plainNearest(nearness: readonly number[], own: number, count: number): number[] {
  const order = nearness.map((_, i) => i).filter((i) => i !== own);
  return order.sort((a, b) => nearness[b] - nearness[a] || a - b).slice(0, count);
}

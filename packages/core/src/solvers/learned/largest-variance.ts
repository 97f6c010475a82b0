import type { Random } from '../../linalg/random.js';
import { norm, scale } from '../../linalg/vector.js';
import type { Query, Reply } from './rule.js';

const VECTORS = 4;
const ROUNDS = 6;

/**
 * An estimate of σ₁²: v ← Sv/‖Sv‖ for a few random v, and the largest ‖Sv‖ of the last round. It is never above σ₁² and at most a
 * few percent below, which is accurate enough for a step size.
 */
export function* largestVariance(d: number, { normal }: Random): Generator<Query, number, Reply> {
  const k = Math.min(VECTORS, d);
  let vectors: Float64Array = new Float64Array(k * d).map(normal);
  let largest = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    largest = 0;
    for (let r = 0; r < k; r++) {
      const length = norm(vectors, r * d, d);
      largest = Math.max(largest, length);
      if (length > 0) scale(1 / length, vectors, r * d, d);
    }
    if (round < ROUNDS) vectors = (yield { pass: 'normal', vectors, k }).product;
  }
  return largest;
}

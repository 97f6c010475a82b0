import type { Task } from '../../base/progress.js';
import { addCombinationSteps } from '../../linalg/row-products.js';
import type { HebbianRule } from './learn-options.js';

/** Half of what is stable on the whole data where σ₁ = 1. */
export const HEBBIAN_STEP = 0.5;

/** The direction of a rule's step for weights W and N = WC: N − MW, M = NWᵀ or its lower triangle. */
export function* hebbianDirection(
  rule: HebbianRule,
  weights: Float64Array,
  image: Float64Array,
  m: Float64Array,
  k: number,
  d: number,
): Task<Float64Array> {
  const inhibition = rule === 'sanger' ? m.map((value, at) => (at % k <= Math.floor(at / k) ? value : 0)) : m;
  const direction = image.slice();
  yield* addCombinationSteps(-1, inhibition, k, weights, k, d, direction);
  return direction;
}

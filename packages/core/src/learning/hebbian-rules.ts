import { OptionError } from '../errors.js';
import { addCombination, rowProducts } from '../linalg/rows.js';
import type { HebbianRule } from './learn-options.js';

/** Half of what is stable on the whole data where σ₁ = 1. */
export const HEBBIAN_STEP = 0.5;

/** The direction of a rule's step for weights W and N = WC: N − MW, M = NWᵀ or its lower triangle. */
export function hebbianDirection(
  rule: HebbianRule,
  weights: Float64Array,
  image: Float64Array,
  k: number,
  d: number,
  m = rowProducts(image, k, weights, k, d),
): Float64Array {
  const inhibition = rule === 'sanger' ? m.map((value, at) => (at % k <= Math.floor(at / k) ? value : 0)) : m;
  const direction = image.slice();
  addCombination(-1, inhibition, k, weights, k, d, direction);
  return direction;
}

/** Oja's own rule has one neuron. */
export function checkNeurons(rule: HebbianRule, k: number): void {
  if (rule !== 'oja' || k === 1) return;
  throw new OptionError(
    'BAD_OPTION',
    `Oja's rule has one neuron, so k must be 1, not ${k}. Use rule: 'subspace' or 'sanger' for more.`,
    { option: 'learn.rule', value: k, expected: 1 },
  );
}

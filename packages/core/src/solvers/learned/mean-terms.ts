import type { Task } from '../../base/progress.js';
import { addCombinationSteps, rowProductSteps } from '../../linalg/row-products.js';
import type { HebbianRule } from './learn-options.js';

/** The terms of the autoencoder's loss, averaged over rows, and the gradient of the loss. */
export interface MeanTerms {
  readonly reconstruction: number;
  readonly orthogonality: number;
  /** ∂L_PCA/∂W (k × d). */
  readonly gradient: Float64Array;
  /** max |WWᵀ − I|. */
  readonly defect: number;
}

/**
 * The autoencoder's terms (`autoencoder-terms.ts`), averaged over rows. Needs only N = WC, C = Σxxᵀ/n. With M = NWᵀ and P = WWᵀ
 *
 *   mean L_AE = tr C − 2·tr M + tr(MP),   its gradient 2[ MW − N + PN − N ].
 *
 * So after C is computed, the cost of an epoch does not depend on the number of rows.
 */
export function* meanTerms(
  weights: Float64Array,
  image: Float64Array,
  trace: number,
  alpha: number,
  k: number,
  d: number,
): Task<MeanTerms> {
  const m = yield* rowProductSteps(image, k, weights, k, d);
  const p = yield* rowProductSteps(weights, k, weights, k, d);
  const share = 2 * (1 - alpha);
  const gradient = image.map((value, at) => -2 * share * value - 4 * alpha * weights[at]);
  // MW and W_rec = PW together, then PN.
  const both = m.map((value, at) => share * value + 4 * alpha * p[at]);
  yield* addCombinationSteps(1, both, k, weights, k, d, gradient);
  yield* addCombinationSteps(share, p, k, image, k, d, gradient);
  return {
    reconstruction: reconstructionLoss(m, p, trace, k),
    orthogonality: orthogonalityLoss(p, k),
    gradient,
    defect: defectOf(p, k),
  };
}

/** ‖I − P‖², P = WWᵀ. */
export function orthogonalityLoss(p: Float64Array, k: number): number {
  return p.reduce((sum, value, at) => sum + (value - (at % (k + 1) === 0 ? 1 : 0)) ** 2, 0);
}

/** max |P − I|. */
export function defectOf(p: Float64Array, k: number): number {
  return p.reduce((most, value, at) => Math.max(most, Math.abs(value - (at % (k + 1) === 0 ? 1 : 0))), 0);
}

/** Mean ‖x − WᵀWx‖² = tr C − 2·tr M + tr(MP), M = WCWᵀ, P = WWᵀ. */
export function reconstructionLoss(m: Float64Array, p: Float64Array, trace: number, k: number): number {
  let loss = trace;
  for (let i = 0; i < k; i++) {
    loss -= 2 * m[i * k + i];
    for (let j = 0; j < k; j++) loss += m[i * k + j] * p[j * k + i];
  }
  return loss;
}

/** Half of the largest stable step on all rows, in units of σ₁ = 1. */
export const HEBBIAN_STEP = 0.5;

/** The direction of a step of a Hebbian rule for weights W and N = WC: N − MW. M is NWᵀ or its lower triangle. */
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

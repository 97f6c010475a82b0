import { DataError, type Model } from '@scree/core';
import { subspaceAngles } from '@scree/core/linalg';
import { checkModel } from '../check-model.js';
import { boxLimit } from './residual-limit.js';
import { checkLevel } from './row-limits.js';

/** Whether the components of two models span different subspaces. */
export interface SubspaceChange {
  /** Largest angle between the two subspaces, in radians. */
  readonly angle: number;
  /** Σ sin² of all angles between them: 0 if they are the same, at most the smaller of k and d − k. */
  readonly distance: number;
  /**
   * `distance` of two samples of the same rows is below this with probability `level`. Null if it cannot be computed: a model does not have all
   * eigenvalues, or λₖ and λₖ₊₁ are so close that the rows do not determine the subspace.
   */
  readonly bound: number | null;
  /** True if `distance` is above the bound. */
  readonly changed: boolean;
}

/**
 * Compares the subspaces of two models of different rows, such as those of a stream now and a while ago. To first order (Anderson 1963), for
 * normal rows of one population,
 *
 *   Σ sin² θ = Σ_{i≤k<j} χ²₁·λᵢλⱼ/(λᵢ − λⱼ)²·(1/n₁ + 1/n₂),
 *
 * a sum of independent χ² variates, whose quantile is Box's. n is the effective number of rows of a stream that forgets. If both models saw some
 * of the same rows, their distance is smaller, and an alarm is rarer.
 *
 * ```ts
 * const before = await s.model();
 * await s.add(rows);
 * if (subspaceChange(before, await s.model(), 0.999).changed) console.log('the columns are related in another way');
 * ```
 */
export function subspaceChange(before: Model, after: Model, level = 0.99): SubspaceChange {
  checkModel(before);
  checkModel(after);
  checkLevel(level);
  const { d } = before;
  const k = Math.min(before.k, after.k);
  if (after.d !== d) {
    throw new DataError('WIDTH_MISMATCH', `The models have ${d} and ${after.d} columns.`, {
      value: after.d,
      expected: d,
    });
  }
  const angles = subspaceAngles(before.components.data.slice(0, k * d), k, after.components.data.slice(0, k * d), k, d);
  const distance = angles.reduce((sum, angle) => sum + Math.sin(angle) ** 2, 0);
  const bound = boundOf(before, after, k, level);
  return { angle: angles[angles.length - 1] ?? 0, distance, bound, changed: bound !== null && distance > bound };
}

function boundOf(before: Model, after: Model, k: number, level: number): number | null {
  const { d } = before;
  const [first, second] = [before, after].map(({ spectrum, totalWeight }) => ({ spectrum, n: totalWeight }));
  if (!first.spectrum || !second.spectrum || !(first.n > 1 && second.n > 1)) return null;
  // Both samples say something of the same eigenvalues.
  const values = Array.from({ length: d }, (_, j) => {
    const [a, b] = [first.spectrum?.[j] ?? 0, second.spectrum?.[j] ?? 0];
    return (first.n * a + second.n * b) / (first.n + second.n);
  });
  let [mean, squares] = [0, 0];
  for (let i = 0; i < k; i++) {
    for (let j = k; j < d; j++) {
      const gap = values[i] - values[j];
      const weight = ((values[i] * values[j]) / (gap * gap)) * (1 / first.n + 1 / second.n);
      mean += weight;
      squares += weight * weight;
    }
  }
  if (!Number.isFinite(mean) || !(squares > 0)) return null;
  const bound = boxLimit(mean, (mean * mean) / squares, 1 - level);
  // The first order is no longer right if the subspace may turn far.
  return bound < Math.min(k, d - k) / 2 ? bound : null;
}

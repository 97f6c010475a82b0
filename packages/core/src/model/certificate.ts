import type { Solution } from '../solvers/solver.js';

/** How far the answer can be from the truth: every number is a bound, component by component. */
export interface Certificate {
  /** ‖Cv − λv‖/λ₁, measured. */
  readonly residuals: readonly number[];
  /** |variance − exact variance| is at most this, in the units of the variances. */
  readonly varianceBounds: readonly number[];
  /** The angle between a component and the exact one is at most this, in radians; π/2 where nothing is certain. */
  readonly angleBounds: readonly number[];
  /** The largest principal angle between the subspace and the exact one is at most this, in radians. */
  readonly subspaceAngleBound: number;
  /** max |VVᵀ − I|: how far from orthonormal the components are. */
  readonly orthonormality: number;
}

/** The solver's accuracy in the frame's units, from which certificate and uniqueness both follow. */
export interface Accuracy {
  readonly certificate: Certificate;
  /** How far each eigenvalue of S may be off. */
  readonly valueBounds: readonly number[];
  /** How far the eigenvalue after the last may be off. */
  readonly nextBound: number;
}

/**
 * Turns measured residuals into bounds.
 *
 * With V orthonormal, Θ its values and R = SV − VΘ, k eigenvalues of S lie within ‖R‖ of Θ (Kahan; Parlett §11.5). An
 * eigenvalue a distance g from all others is within r²/g of its value (Kato–Temple), and its vector within
 * asin(r/g) of its axis (Davis–Kahan; Parlett §11.7). r is the measured residual plus what rounding can have hidden
 * from it: `roundoff`, and the basis' own defect. A solver that never squared B knows σ to `singularBound` = β, hence
 * λ to 2σβ + β² and the axis to √2·β over the gap between singular values (Wedin 1972), apart from the rounding of the
 * mean (`centring`), which adds to S itself. The better bound is taken.
 *
 * What is assumed: that no eigenvalue larger than the last was missed. The direct solvers compute them all. Krylov from
 * a random start can only miss one that lies within `search` residuals of one it has (see `Solution`), so where the
 * distance to the neighbours is not larger than that, it is what the bounds say.
 */
export function certify(
  solution: Solution,
  { roundoff, centring }: { readonly roundoff: number; readonly centring: number },
  defect: number,
  toVariance: number,
): Accuracy {
  const { k, values, residuals, next, singularBound, search = 1 } = solution;
  const largest = Math.max(values[0], 0);
  const hidden = roundoff + k * defect * largest;
  const together = search * Math.hypot(...residuals, search > 1 && next ? next.bound : 0) + hidden;
  const beyond = next ? next.value + search * next.bound : Number.NEGATIVE_INFINITY;
  const roots = values.map((value) => Math.sqrt(Math.max(0, value)));
  const nextRoot = next ? Math.sqrt(next.value) : Number.NEGATIVE_INFINITY;

  const valueBounds: number[] = [];
  const angleBounds: number[] = [];
  for (let i = 0; i < k; i++) {
    const residual = residuals[i] + hidden;
    let gap = values[i] - beyond;
    let rootGap = roots[i] - nextRoot;
    for (let j = Math.max(0, i - 1); j <= Math.min(k - 1, i + 1); j++) {
      if (j === i) continue;
      gap = Math.min(gap, Math.abs(values[i] - values[j]) - together);
      rootGap = Math.min(rootGap, Math.abs(roots[i] - roots[j]));
    }
    let valueBound = together;
    if (gap > 0) valueBound = Math.min(valueBound, residuals[i] ** 2 / gap + hidden);
    let sine = gap > 0 ? residual / gap : 1;
    if (singularBound !== undefined) {
      valueBound = Math.min(valueBound, 2 * roots[i] * singularBound + singularBound ** 2 + centring);
      sine = Math.min(sine, wedin(singularBound, rootGap) + (gap > 0 ? centring / gap : centring > 0 ? 1 : 0));
    }
    valueBounds.push(valueBound);
    angleBounds.push(Math.asin(Math.min(1, sine)));
  }
  let subspaceSine = 0;
  if (next) {
    const gap = values[k - 1] - beyond;
    subspaceSine = gap > 0 ? together / gap : 1;
    if (singularBound !== undefined)
      subspaceSine = Math.min(
        subspaceSine,
        wedin(singularBound, roots[k - 1] - nextRoot) + (gap > 0 ? centring / gap : 1),
      );
  }
  return {
    valueBounds,
    nextBound: next?.bound ?? 0,
    certificate: {
      residuals: Array.from(residuals, (residual) => (largest > 0 ? residual / largest : 0)),
      varianceBounds: valueBounds.map((bound) => bound * toVariance),
      angleBounds,
      subspaceAngleBound: Math.asin(Math.min(1, subspaceSine)),
      orthonormality: defect,
    },
  };
}

/** sin of the turn that an error of `bound` in B can give singular vectors whose values are `gap` from the others. */
export function wedin(bound: number, gap: number): number {
  if (gap === Number.POSITIVE_INFINITY) return 0;
  return gap > 2 * bound ? (Math.SQRT2 * bound) / (gap - bound) : 1;
}

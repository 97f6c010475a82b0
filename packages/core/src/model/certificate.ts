import { hypotenuse, norm } from '../linalg/vector.js';
import type { Solution } from '../solvers/solver.js';

/** Bounds on the numerical error of each component. */
export interface Certificate {
  /** ‖Cv − λv‖/λ₁: measured, or an upper bound if the rows could be read only once. */
  readonly residuals: readonly number[];
  /** Upper bounds on |variance − exact variance|, in the units of the variances. */
  readonly varianceBounds: readonly number[];
  /** Upper bounds on the angle between a component and the exact one, in radians; π/2 if no bound is known. */
  readonly angleBounds: readonly number[];
  /** Upper bound on the largest principal angle between the subspace and the exact one, in radians. */
  readonly subspaceAngleBound: number;
  /** max |VVᵀ − I|: the deviation of the components from orthonormality. */
  readonly orthonormality: number;
  /**
   * False if the components come from other software: only their orthonormality was measured, and the bounds say so (Infinity,
   * π/2).
   */
  readonly checked?: false;
}

/** The accuracy of the solver, in units of the scaled data. Certificate and uniqueness are derived from it. */
export interface Accuracy {
  readonly certificate: Certificate;
  /** Upper bounds on the error of each eigenvalue of S. */
  readonly valueBounds: readonly number[];
  /** Upper bounds on how far each eigenvalue lies below its computed value. */
  readonly below: readonly number[];
  /**
   * Upper bounds, in radians, on the rotation that mixes components i and i + 1. The last entry bounds the rotation of the whole
   * subspace; there is none if k = d.
   */
  readonly turns: readonly number[];
}

/** The distance between two neighbouring components, in eigenvalues and in singular values. */
interface Gap {
  readonly value: number;
  readonly root: number;
}

/**
 * Computes error bounds from measured residuals.
 *
 * Let V be orthonormal with values Θ, and R = SV − VΘ. Then k eigenvalues of S lie within ‖R‖ of Θ (Kahan; Parlett §11.5). An
 * eigenvalue at a distance g from all others lies within r²/g of the Rayleigh quotient (Kato–Temple), and its vector within
 * asin(r/g) of its axis (Davis–Kahan; Parlett §11.7). r is the measured residual plus the rounding errors that it cannot show:
 * `roundoff`, and the defect of the basis. A solver that does not square B knows σ to `singularBound` = β. Hence it knows λ to
 * 2σβ + β², and the axis to √2·β over the gap between singular values (Wedin 1972). The rounding of means and scales changes S
 * itself, so `scalingError` is added. The smaller bound is used.
 *
 * The residuals prove that the values belong to some eigenvalues of S. The bounds assume that no larger eigenvalue was missed.
 * Direct solvers compute all eigenvalues. Krylov iteration from a random start misses an eigenvalue only if it lies within
 * `search` residuals of one that was found (see `Solution`), except with a tiny probability. So the residuals are multiplied by
 * `search`, and the solver itself searches for missed directions (`block-krylov.ts`). A solver that brackets its eigenvalues
 * assumes nothing: the bound is the bracket, or that of Kato–Temple if it is smaller.
 */
export function certify(
  solution: Solution,
  { roundoff, scalingError }: { readonly roundoff: number; readonly scalingError: number },
  defect: number,
  toVariance: number,
): Accuracy {
  const { k, values, residuals, next, singularBound, bracket, rayleigh = false, search = 1 } = solution;
  const largest = Math.max(values[0], 0);
  const hidden = roundoff + k * defect * largest;
  const together = search * hypotenuse(norm(residuals), search > 1 && next ? next.bound : 0) + hidden;
  const root = (i: number): number => Math.sqrt(Math.max(0, values[i]));
  // The rounding error of variances below 2^-1022, which are multiples of 2^-1074. The factor `toVariance` may be rounded so too.
  const lost = Number.MIN_VALUE * (1 + largest);

  /** Lower bounds on the distances between components i and i + 1, in eigenvalues and in singular values. */
  const gaps: Gap[] = [];
  for (let i = 0; i + 1 < k; i++) {
    const value = values[i] - values[i + 1] - (bracket ? bracket.above[i + 1] + hidden : together);
    gaps.push({ value, root: root(i) - root(i + 1) });
  }
  if (next) {
    const value = values[k - 1] - next.value - search * next.bound;
    gaps.push({ value, root: root(k - 1) - Math.sqrt(next.value) });
  }
  /** sin of the largest rotation across a gap that is consistent with `residual`. */
  const sine = (residual: number, gap: Gap): number => {
    const bySquare = gap.value > 0 ? residual / gap.value : 1;
    if (singularBound === undefined) return bySquare;
    const shift = scalingError === 0 ? 0 : gap.value > 0 ? scalingError / gap.value : 1;
    return Math.min(bySquare, wedin(singularBound, gap.root) + shift);
  };

  const relative: number[] = [];
  const valueBounds: number[] = [];
  const angleBounds: number[] = [];
  for (let i = 0; i < k; i++) {
    relative.push(largest > 0 ? residuals[i] / largest : 0);
    let gap = Number.POSITIVE_INFINITY;
    let turn = 0;
    for (let side = Math.max(0, i - 1); side <= i && side < gaps.length; side++) {
      gap = Math.min(gap, gaps[side].value);
      turn = Math.max(turn, sine(residuals[i] + hidden, gaps[side]));
    }
    let bound = bracket ? Math.max(bracket.above[i], bracket.below) + hidden : together;
    if (rayleigh && gap > 0) bound = Math.min(bound, residuals[i] ** 2 / gap + hidden);
    if (singularBound !== undefined)
      bound = Math.min(bound, 2 * root(i) * singularBound + singularBound ** 2 + scalingError);
    valueBounds.push(bound);
    angleBounds.push(angle(turn));
  }
  return {
    valueBounds,
    below: bracket ? valueBounds.map((bound) => Math.min(bound, bracket.below + hidden)) : valueBounds,
    turns: gaps.map((gap) => angle(sine(together, gap))),
    certificate: Object.freeze({
      residuals: Object.freeze(relative),
      varianceBounds: Object.freeze(valueBounds.map((bound) => bound && bound * toVariance + lost)),
      angleBounds: Object.freeze(angleBounds),
      subspaceAngleBound: next ? angle(sine(together, gaps[k - 1])) : 0,
      orthonormality: defect,
    }),
  };
}

/** sin of the largest rotation of singular vectors by an error of `bound` in B, if their values lie `gap` from the others. */
function wedin(bound: number, gap: number): number {
  return gap > 2 * bound ? (Math.SQRT2 * bound) / (gap - bound) : 1;
}

/** The angle of a sine. A bound above 1 gives π/2. */
export function angle(sine: number): number {
  return Math.asin(Math.min(1, sine));
}

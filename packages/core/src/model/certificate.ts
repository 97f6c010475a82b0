import { hypotenuse, norm } from '../linalg/vector.js';
import type { Solution } from '../solvers/solver.js';

/** Bounds on the numerical error of the result, component by component. */
export interface Certificate {
  /** ‖Cv − λv‖/λ₁, measured; or the most it can be, where the rows were read once and are gone. */
  readonly residuals: readonly number[];
  /** |variance − exact variance| is at most this, in the units of the variances. */
  readonly varianceBounds: readonly number[];
  /** The angle between a component and the exact one is at most this, in radians; π/2 where no bound is known. */
  readonly angleBounds: readonly number[];
  /** The largest principal angle between the subspace and the exact one is at most this, in radians. */
  readonly subspaceAngleBound: number;
  /** max |VVᵀ − I|: how far from orthonormal the components are. */
  readonly orthonormality: number;
}

/** The solver's accuracy in units of the scaled data, from which certificate and uniqueness both follow. */
export interface Accuracy {
  readonly certificate: Certificate;
  /** How far each eigenvalue of S may be off. */
  readonly valueBounds: readonly number[];
  /** How far below its value each may be. */
  readonly below: readonly number[];
  /**
   * How far, in radians, component i and the one after it may have been turned into one another, for each i but where
   * there is none after it. The last entry speaks of the whole subspace.
   */
  readonly turns: readonly number[];
}

/** The distance of two neighbours in eigenvalues and in singular values. */
interface Gap {
  readonly value: number;
  readonly root: number;
}

/**
 * Turns measured residuals into bounds.
 *
 * With V orthonormal, Θ its values and R = SV − VΘ, k eigenvalues of S lie within ‖R‖ of Θ (Kahan; Parlett §11.5). An
 * eigenvalue a distance g from all others is within r²/g of the Rayleigh quotient (Kato–Temple), and its vector within
 * asin(r/g) of its axis (Davis–Kahan; Parlett §11.7). r is the measured residual plus what rounding can have hidden
 * from it: `roundoff`, and the basis' own defect. A solver that never squared B knows σ to `singularBound` = β, hence
 * λ to 2σβ + β² and the axis to √2·β over the gap between singular values (Wedin 1972), apart from the rounding of
 * means and scales (`scalingError`), which adds to S itself. The better bound is taken.
 *
 * The residuals prove that the values belong to some eigenvalues. That no larger one was missed is assumed here. The direct solvers compute
 * them all. Krylov from a random start can only miss one that lies within `search` residuals of one it has (see `Solution`), but for a tiny
 * probability, so where the distance to the neighbours is not larger than that, it is what the bounds say; and it looks for others before
 * it claims this (`block-krylov.ts`). A solver that brackets its eigenvalues
 * assumes nothing: the bracket is the bound, and Kato–Temple's where that is less.
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
  // What variances lose below 2^-1022: they are rounded to multiples of 2^-1074 there, and so may be what values are multiplied by.
  const lost = Number.MIN_VALUE * (1 + largest);

  /** Distances from component i to the one after it, as far as they are certain: in eigenvalues and in singular values. */
  const gaps: Gap[] = [];
  for (let i = 0; i + 1 < k; i++) {
    const value = values[i] - values[i + 1] - (bracket ? bracket.above[i + 1] + hidden : together);
    gaps.push({ value, root: root(i) - root(i + 1) });
  }
  if (next) {
    const value = values[k - 1] - next.value - search * next.bound;
    gaps.push({ value, root: root(k - 1) - Math.sqrt(next.value) });
  }
  /** sin of the turn that `residual` allows across a gap. */
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

/** sin of the turn that an error of `bound` in B can give singular vectors whose values are `gap` from the others. */
function wedin(bound: number, gap: number): number {
  return gap > 2 * bound ? (Math.SQRT2 * bound) / (gap - bound) : 1;
}

/** The angle of a sine that may be any bound; π/2 from 1 on. */
export function angle(sine: number): number {
  return Math.asin(Math.min(1, sine));
}

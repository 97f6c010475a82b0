import { type Matrix, principalAngles } from 'scree';
import type { Fit } from './contender.js';

/** One measure of accuracy for everybody. */

/** The accurate answer: k components and k + 1 variances. */
export interface Truth {
  readonly variances: ArrayLike<number>;
  readonly components: Matrix;
  readonly by: string;
}

export interface Errors {
  /** max |λᵢ − λᵢ*| / λ₁*. */
  readonly variance?: number;
  /** Largest principal angle to the true subspace, in radians. */
  readonly angle?: number;
}

export function errorsOf({ variances, components }: Fit, truth: Truth): Errors {
  const k = truth.components.rows;
  const errors: { variance?: number; angle?: number } = {};
  if (variances) {
    errors.variance = 0;
    for (let i = 0; i < k; i++) {
      errors.variance = Math.max(errors.variance, Math.abs(variances[i] - truth.variances[i]) / truth.variances[0]);
    }
  }
  if (components) errors.angle = principalAngles(components, truth.components)[k - 1];
  return errors;
}

/** (λ_k − λ_{k+1})/λ₁: what a residual is divided by to become an angle. */
export function gapOf({ variances, components: { rows: k } }: Truth): number {
  return (variances[k - 1] - variances[k]) / variances[0];
}

/**
 * What an answer is off by when its residual ‖Cv − λv‖/λ₁ is the tolerance (1e-10, 1e-6 for float32 data): variances by the
 * tolerance, the subspace by tolerance/gap (Davis–Kahan). Who is within both is as accurate as scree promises to be.
 */
export function barOf(type: 'float64' | 'float32', gap: number): Required<Errors> {
  const tolerance = type === 'float64' ? 1e-10 : 1e-6;
  return { variance: tolerance, angle: tolerance / gap };
}

/** How many times over the bar; 1 or less is within. */
export function excess({ variance, angle }: Errors, bar: Required<Errors>): number {
  return Math.max(variance === undefined ? 0 : variance / bar.variance, angle === undefined ? 0 : angle / bar.angle);
}

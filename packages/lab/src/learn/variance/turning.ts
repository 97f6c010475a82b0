import type { Matrix } from '@scree/core';
import { axesOf } from '../shared/axes.js';
import { areVariancesEqual } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { EpochRun } from '../shared/playback.js';

/** The variance that a line through the mean of a plane cloud keeps, for every angle. */
export interface Turning {
  readonly total: number;
  /** Angle of the principal axis, from −π/2 to π/2. */
  readonly axis: number;
  /** True if λ₁ = λ₂. Then every line keeps the same variance, and the principal axis is not determined. */
  readonly isRound: boolean;
  /** uᵀCu: the variance along a line at that angle. The rest of the total is lost. */
  kept(angle: number): number;
}

export function turningOf(points: Matrix<Float64Array>): Turning {
  const eigen = axesOf(points);
  const { values, vectors } = eigen;
  const axis = lineAngle(Math.atan2(vectors[1], vectors[0]));
  return {
    total: values[0] + values[1],
    axis,
    isRound: areVariancesEqual(eigen, 1),
    kept: (angle) => values[0] * Math.cos(angle - axis) ** 2 + values[1] * Math.sin(angle - axis) ** 2,
  };
}

/** The angle of a line, from −π/2 up to π/2. After half a turn a line is the same again. */
export function lineAngle(angle: number): number {
  return angle - Math.PI * Math.round(angle / Math.PI);
}

export interface Turned extends Moment {
  readonly angle: number;
  /** Angle to the principal axis, from −π/2 to π/2. */
  readonly off: number;
}

/** A line is on the axis below this angle, in radians. */
export const ON_AXIS = 1e-6;
/** Step of the gradient ascent in units of 1/(λ₁ − λ₂). The remaining angle shrinks to 88 % with every step. */
const STEP = 0.06;
/** At a right angle to the axis the gradient is zero and the line would not move, so it is first turned by this angle, in radians. */
const NUDGE = 0.01;

/**
 * Gradient ascent on the variance kept: kept'(θ) = −(λ₁ − λ₂)·sin 2(θ − θ₁). If λ₁ = λ₂, every line is equally good, and the line
 * does not move.
 */
export function climb({ axis, isRound }: Turning, from: number): EpochRun<Turned> {
  let epoch = -1;
  let off = lineAngle(from - axis);
  if (!isRound && Math.PI / 2 - Math.abs(off) < NUDGE) off = Math.sign(off || 1) * (Math.PI / 2 - NUDGE);
  let done = false;
  return {
    next() {
      if (done) return undefined;
      epoch++;
      if (epoch > 0) off -= STEP * Math.sin(2 * off);
      done = isRound || Math.abs(off) < ON_AXIS;
      return { epoch, angle: axis + off, off, converged: done };
    },
  };
}

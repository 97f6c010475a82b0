import type { Matrix } from '@scree/core';
import { meet } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { Road } from '../shared/playback.js';
import { covarianceOf, eigenOf } from '../shared/small-matrix.js';

/** What a line through the mean of a plane cloud keeps and loses, for every direction of it. */
export interface Turning {
  readonly total: number;
  /** Angle of the principal axis, from −π/2 to π/2. */
  readonly axis: number;
  /** Whether λ₁ = λ₂: every line keeps as much, and there is no principal axis. */
  readonly level: boolean;
  /** uᵀCu: the variance along a line at that angle. What is lost is the rest of the total. */
  kept(angle: number): number;
}

export function turningOf(points: Matrix<Float64Array>): Turning {
  const c = covarianceOf(points);
  const eigen = eigenOf(c, 2);
  const { vectors } = eigen;
  return {
    total: c[0] + c[3],
    axis: lineAngle(Math.atan2(vectors[1], vectors[0])),
    level: meet(eigen, 1),
    kept: (angle) => {
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      return c[0] * x * x + 2 * c[1] * x * y + c[3] * y * y;
    },
  };
}

/** An angle of a line, which is the same after half a turn: from −π/2 up to π/2. */
export function lineAngle(angle: number): number {
  return angle - Math.PI * Math.round(angle / Math.PI);
}

export interface Turned extends Moment {
  readonly angle: number;
  /** To the principal axis, from −π/2 to π/2. */
  readonly off: number;
}

/** Below this a line is on the axis, in radians. */
export const ON_AXIS = 1e-6;
/** Step of the climb in units of 1/(λ₁ − λ₂): the turn that is left shrinks to 88 % with every step. */
const STEP = 0.06;
/** A line that lies across would not know which way to turn: its slope is zero. */
const NUDGE = 0.01;

/**
 * Climbs to the most variance: kept'(θ) = −(λ₁ − λ₂)·sin 2(θ − θ₁), and a step goes along it. Without a gap every line is as good, and it stays.
 */
export function climb({ axis, level }: Turning, from: number): Road<Turned> {
  let epoch = -1;
  let off = lineAngle(from - axis);
  if (!level && Math.PI / 2 - Math.abs(off) < NUDGE) off = Math.sign(off || 1) * (Math.PI / 2 - NUDGE);
  let done = false;
  return {
    next() {
      if (done) return undefined;
      epoch++;
      if (epoch > 0) off -= STEP * Math.sin(2 * off);
      done = level || Math.abs(off) < ON_AXIS;
      return { epoch, angle: axis + off, off, converged: done };
    },
  };
}

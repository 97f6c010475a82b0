import type { Matrix } from '../../data/blocks/matrix.js';
import { subspaceAngles } from '../../linalg/subspace-angles.js';
import type { EpochState } from './rule.js';

/** One epoch of a solver that learns, in its trace and for `onEpoch`. Lengths are in units in which σ₁ = 1. */
export interface Epoch {
  /**
   * Counted from 0: the start, or with batches the first pass over them. With an anchor, all numbers are those of the start of
   * the epoch.
   */
  readonly epoch: number;
  /** The loss, in units in which the largest variance is 1, so that it does not depend on the scale of the data. */
  readonly loss: number;
  /** The terms of the loss, by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** The length of the step from this state, in units of 1/σ₁². */
  readonly step: number;
  /** Rows per step, if a step does not use all rows. */
  readonly batch?: number;
  /**
   * max |WWᵀ − I|, the deviation of weights from orthonormality. For points: max |AAᵀ − G²| relative to max |G²| (A = YᵀB, G =
   * YᵀY).
   */
  readonly defect: number;
  /** The largest principal angle to the exact subspace, in radians, if that was given. */
  readonly angle?: number;
  /** The largest ‖Sv − θv‖/λ₁ of the subspace, in epochs that measure it. */
  readonly residual?: number;
}

/** Makes the record of an epoch from the state of the rule, with the angle to the exact subspace if it is known. */
export function makeEpoch(
  state: EpochState,
  epoch: number,
  exact: Matrix<Float64Array> | undefined,
  d: number,
  k: number,
  residual: number | undefined,
): Epoch {
  const { loss, terms, step, batch, defect, rows } = state;
  return {
    epoch,
    loss,
    terms,
    step,
    ...(batch === undefined ? {} : { batch }),
    defect,
    ...(exact && rows.every(Number.isFinite) ? { angle: largestAngle(rows, k, exact.data, exact.rows, d) } : {}),
    ...(residual === undefined ? {} : { residual }),
  };
}

/** The largest principal angle between the spans of two sets of rows; π/2 if a set does not have full rank. */
export function largestAngle(a: Float64Array, ka: number, b: Float64Array, kb: number, d: number): number {
  const angles = subspaceAngles(a, ka, b.subarray(0, kb * d), kb, d);
  return angles.length < Math.min(ka, kb) ? Math.PI / 2 : angles[angles.length - 1];
}

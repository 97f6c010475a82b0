import type { Matrix } from '../../data/blocks/matrix.js';
import { subspaceAngles } from '../../linalg/subspace-angles.js';
import type { EpochState } from './rule.js';

/** One epoch of a solver that learns, as its trace and `onEpoch` report it. Lengths are in units where σ₁ = 1. */
export interface Epoch {
  /** Counted from 0: the start, or with batches the first pass over them. With an anchor, all numbers are those of where the epoch began. */
  readonly epoch: number;
  /** The loss, in units in which the largest variance is 1: no number here depends on the scale of the data. */
  readonly loss: number;
  /** The terms of the loss, by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** The step that was taken from here, in units of 1/σ₁². */
  readonly step: number;
  /** Rows per step, if not all. */
  readonly batch?: number;
  /** How far from orthonormal the weights are, max |WWᵀ − I|; of points, how far |AAᵀ − G²| is from 0 relative to G² (A = YᵀB, G = YᵀY). */
  readonly defect: number;
  /** The largest principal angle to the exact subspace, in radians, where that was given. */
  readonly angle?: number;
  /** The worst ‖Sv − θv‖/λ₁ of the subspace, in epochs in which it was measured. */
  readonly residual?: number;
}

/** The record of an epoch: the rule's state, and its angle to the exact subspace where that is known. */
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

/** The largest principal angle between the spans of two sets of rows; π/2 where one is not wholly spanned. */
export function largestAngle(a: Float64Array, ka: number, b: Float64Array, kb: number, d: number): number {
  const angles = subspaceAngles(a, ka, b.subarray(0, kb * d), kb, d);
  return angles.length < Math.min(ka, kb) ? Math.PI / 2 : angles[angles.length - 1];
}

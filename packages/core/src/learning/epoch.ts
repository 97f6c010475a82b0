/** One epoch of a solver that learns, as its trace and `onEpoch` tell it. Lengths are in units where σ₁ = 1. */
export interface Epoch {
  /** Counted from 0, the start. */
  readonly epoch: number;
  /** What is minimised, in units in which the largest variance is 1: no number here depends on the data's scale. */
  readonly loss: number;
  /** The parts that the loss is made of, by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** The step that was taken from here, in units of 1/σ₁². */
  readonly step: number;
  /** Rows a step saw, where it was not all of them. */
  readonly batch?: number;
  /** How far from orthonormal the weights are: max |WWᵀ − I|. */
  readonly defect: number;
  /** The largest principal angle to the exact subspace, in radians, where that was given. */
  readonly angle?: number;
  /** The worst ‖Sv − θv‖/λ₁ of the subspace, in epochs in which it was measured. */
  readonly residual?: number;
}

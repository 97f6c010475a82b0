import type { Matrix } from '../../data/matrix.js';
import type { Epoch } from './epoch.js';
import type { DescentKind } from './rule.js';

export type PointsRule = 'factored' | 'pairwise';
export type HebbianRule = 'oja' | 'subspace' | 'sanger';

/** How the solvers that learn go about it. Each solver takes the options that mean something to it and refuses the others. */
export interface LearnOptions {
  /**
   * points: `'factored'` (default) or `'pairwise'`; hebbian: `'subspace'` (default), `'sanger'` or `'oja'` (k = 1).
   */
  readonly rule?: PointsRule | HebbianRule;
  /** Readings of the data after which not having converged is an error. */
  readonly epochs?: number;
  /**
   * Length of a step in units of 1/σ₁², or for Adam as a share of the size of a weight. Left out, it is chosen, and shortened where the
   * loss grows.
   */
  readonly step?: number;
  /** Epochs after which the step is half of what it was: η/(1 + epoch/decay). Left out, the noise of batches is taken out otherwise. */
  readonly decay?: number;
  /** Rows a step sees. Left out: all of them (autoencoder), or a sixteenth, at most 256 (hebbian). */
  readonly batch?: number;
  /** Weight of the orthonormality term, 0 ≤ α < 1. Default 0: the reconstruction error alone leads to orthonormal rows. */
  readonly alpha?: number;
  /** What is done with a gradient. Default `'momentum'`. */
  readonly descent?: DescentKind;
  /** Share of the last step that is added to the next, 0 ≤ μ < 1. Left out, it grows until the gradient turns round. */
  readonly momentum?: number;
  /** The exact subspace, where it is known: rows that span it. The trace then has the angle to it. */
  readonly exact?: Matrix<Float64Array>;
  /** Called after every epoch, with rows that span the subspace so far and, by `points`, the points themselves (n × k). */
  readonly onEpoch?: (epoch: Epoch, state: LearnState) => void;
}

/** Where learning stands: what it shows is valid until it goes on. */
export interface LearnState {
  /** Rows whose span is the subspace found so far: k × d. */
  readonly rows: Float64Array;
  /** The embedded points, n × k, of rules that move points, where σ₁ is about 1; rows with weights have √w times theirs. */
  readonly points?: Float64Array;
  /** What points are to be multiplied by to be scores, in the data's units. */
  readonly unit?: number;
}

import type { Matrix } from '../../data/blocks/matrix.js';
import type { Epoch } from './epoch.js';
import type { DescentKind } from './rule.js';

/** The name of a rule by which points descend. */
export type PointsRule = 'factored' | 'pairwise';
/** The name of a Hebbian rule. */
export type HebbianRule = 'oja' | 'subspace' | 'sanger';

/** Options of the solvers that learn. Each solver accepts the options that apply to it and rejects the others. */
export interface LearnOptions {
  /**
   * points: `'factored'` (default) or `'pairwise'`; hebbian: `'subspace'` (default), `'sanger'` or `'oja'` (k = 1).
   */
  readonly rule?: PointsRule | HebbianRule;
  /** Most readings of the data. Not having converged by then is an error. */
  readonly epochs?: number;
  /**
   * Length of a step in units of 1/σ₁², or for Adam as a share of the size of a weight. Default: chosen by the rule, and shortened when
   * the loss grows.
   */
  readonly step?: number;
  /** Epochs after which the step is half of what it was: η/(1 + epoch/decay). Default: no decay, and the noise of batches is removed in another way. */
  readonly decay?: number;
  /** Rows per step. Default: all of them (autoencoder), or a sixteenth, at most 256 (hebbian). */
  readonly batch?: number;
  /** Weight of the orthonormality term, 0 ≤ α < 1. Default 0: the reconstruction error alone leads to orthonormal rows. */
  readonly alpha?: number;
  /** How a gradient becomes a step. Default `'momentum'`. */
  readonly descent?: DescentKind;
  /** Share of the last step that is added to the next, 0 ≤ μ < 1. Default: it grows until the gradient changes direction. */
  readonly momentum?: number;
  /** The exact subspace, where it is known: rows that span it. The trace then contains the angle to it. */
  readonly exact?: Matrix<Float64Array>;
  /** Called after every epoch, with rows that span the subspace so far and, by `points`, the points themselves (n × k). */
  readonly onEpoch?: (epoch: Epoch, state: LearnState) => void;
}

/** The current state of learning. Its arrays are valid until learning continues. */
export interface LearnState {
  /** Rows whose span is the subspace found so far: k × d. */
  readonly rows: Float64Array;
  /** The embedded points, n × k, of rules that move points, where σ₁ is about 1; rows with weights have √w times theirs. */
  readonly points?: Float64Array;
  /** Points times this are scores, in the units of the data. */
  readonly unit?: number;
}

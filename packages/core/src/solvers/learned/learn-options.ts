import type { Matrix } from '../../data/blocks/matrix.js';
import type { Epoch } from './epoch.js';
import type { DescentKind } from './rule.js';

/** The name of a rule that moves points. */
export type PointsRule = 'factored' | 'pairwise';
/** The name of a Hebbian rule. */
export type HebbianRule = 'oja' | 'subspace' | 'sanger';

/** Options of the solvers that learn. Each solver accepts the options that apply to it and rejects the others. */
export interface LearnOptions {
  /**
   * points: `'factored'` (default) or `'pairwise'`; hebbian: `'subspace'` (default), `'sanger'` or `'oja'` (k = 1).
   */
  readonly rule?: PointsRule | HebbianRule | undefined;
  /** Largest number of epochs. The fit fails if it has not converged by then. */
  readonly epochs?: number | undefined;
  /**
   * Length of a step in units of 1/σ₁²; for Adam, a share of the size of a weight. Default: chosen by the rule, and shortened
   * when the loss grows.
   */
  readonly step?: number | undefined;
  /**
   * Number of epochs after which the step is half as long: η/(1 + epoch/decay). Default: no decay. The noise of batches is then
   * removed by an anchor.
   */
  readonly decay?: number | undefined;
  /** Rows per step. Default: all of them (autoencoder), or a sixteenth, at most 256 (hebbian). */
  readonly batch?: number | undefined;
  /** Weight of the orthonormality term, 0 ≤ α < 1. Default 0: the reconstruction error alone leads to orthonormal rows. */
  readonly alpha?: number | undefined;
  /** The method of descent. Default `'momentum'`. */
  readonly descent?: DescentKind | undefined;
  /** Share of the last step that is added to the next step, 0 ≤ μ < 1. Default: grows until the gradient changes direction. */
  readonly momentum?: number | undefined;
  /** The exact subspace, if it is known: rows that span it. The trace then contains the angle to it. */
  readonly exact?: Matrix<Float64Array> | undefined;
  /** Called after every epoch, with rows that span the current subspace and, for `points`, the points (n × k). */
  readonly onEpoch?: ((epoch: Epoch, state: LearnState) => void) | undefined;
}

/** The state of learning after an epoch. Its arrays are valid until learning continues. */
export interface LearnState {
  /** Rows that span the current subspace (k × d). */
  readonly rows: Float64Array;
  /**
   * The points (n × k), for rules that move points, in units in which σ₁ is about 1. The point of a row of weight w is multiplied
   * by √w.
   */
  readonly points?: Float64Array;
  /** Scores in the units of the data are points times this. */
  readonly unit?: number;
}

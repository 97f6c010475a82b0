/** The number of components that criteria advise, as a model stores it. The criteria are in @scree/analysis. */

/** The result of one criterion for the number of components. */
export interface Criterion {
  /** The name of the criterion in the registry of @scree/analysis, for example `parallel`. */
  readonly name: string;
  /** The number of components that it chooses; null if it does not apply to these data or was not computed. */
  readonly k: number | null;
  /** Its value for each number of components k, or for each component: the registry says which. */
  readonly values: readonly number[];
  /** The threshold for each of `values`, if the criterion has thresholds. */
  readonly thresholds?: readonly number[];
  /** Its result as a sentence, or the reason why it does not apply. */
  readonly sentence: string;
  /** The requirement that the data do not meet, if the criterion does not apply: see `CriterionMethod`. */
  readonly obstacle?: Obstacle;
}

/**
 * A requirement of criteria: variance, centred data, rows without weights, a correlation matrix, or a part of the data that was
 * not kept.
 */
export type Obstacle =
  | 'variance'
  | 'centered'
  | 'unweighted'
  | 'correlation'
  | 'columnVariances'
  | 'covariance'
  | 'folds'
  | 'rows';

/** The number of components to keep, the reason, and the results of all criteria. */
export interface Choice {
  /** 0 if no component stands out from noise. */
  readonly k: number;
  readonly reason: string;
  /** The criteria that choose k. */
  readonly agree: readonly string[];
  readonly criteria: readonly Criterion[];
  /** All variances, largest first. */
  readonly spectrum: readonly number[];
}

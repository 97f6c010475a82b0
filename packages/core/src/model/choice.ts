/** How many components criteria advise, as a model stores it. The criteria are in @scree/analysis. */

/** What one criterion says about the number of components. */
export interface Criterion {
  /** Its name in the registry of @scree/analysis, such as `parallel`. */
  readonly name: string;
  /** Its choice; null where it does not apply to these data, or was not computed. */
  readonly k: number | null;
  /** Its value for each number of components k, or for each component: the registry says which. */
  readonly values: readonly number[];
  /** The value that each of `values` must exceed, where the criterion compares with one. */
  readonly thresholds?: readonly number[];
  /** What it says here, or why it does not apply. */
  readonly sentence: string;
  /** What it needs that the data do not have, where that is why it does not apply: see `CriterionMethod`. */
  readonly obstacle?: Obstacle;
}

/** Variance, centred data, rows without weights, a correlation matrix; or what was not kept of the data. */
export type Obstacle =
  | 'variance'
  | 'centered'
  | 'unweighted'
  | 'correlation'
  | 'columnVariances'
  | 'covariance'
  | 'folds'
  | 'rows';

/** How many components to keep, why, and what each criterion says. */
export interface Choice {
  /** 0 where nothing stands out of noise. */
  readonly k: number;
  readonly reason: string;
  /** Criteria that choose the same number. */
  readonly agree: readonly string[];
  readonly criteria: readonly Criterion[];
  /** All variances, largest first. */
  readonly spectrum: readonly number[];
}

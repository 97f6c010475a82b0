import type { Model } from '@scree/core';

/** Parts of an analysis that may be missing. */
export type AnalysisPart =
  | 'choice'
  | 'stability'
  | 'secondLook'
  | 'unusual'
  | 'rows'
  | 'supplementaryRows'
  | 'rotation';

/** Why a part of an analysis was not computed. `describeReason` makes a sentence of it. */
export type ReasonCode =
  /** An option left it out. */
  | 'NOT_ASKED'
  | 'FEW_ROWS'
  /** The table is large, so the part is computed only on request. */
  | 'LARGE_TABLE'
  | 'NO_VARIANCE'
  | 'ONE_COLUMN'
  /** The rows can be read only once, and are too many to keep. */
  | 'READ_ONCE'
  /** Moments have no rows. */
  | 'NO_ROWS'
  /** A sketch has only the leading variances. */
  | 'SKETCH'
  /** The solver found only the leading variances, and the table is too large to be read again by default. */
  | 'LEADING_VARIANCES'
  /** The columns are codes of categories. */
  | 'CATEGORIES'
  /** The model was fitted to means of groups. */
  | 'GROUP_MEANS'
  /** There are more rows than the limit of the list. */
  | 'MANY_ROWS'
  /** No component stands out of noise. */
  | 'NO_STRUCTURE'
  /** The fit is robust already. */
  | 'ROBUST'
  /** The stored model does not have it. */
  | 'STORED'
  /** The data do not suit the method; `message` says why. */
  | 'UNSUITABLE';

/** Why a part of an analysis was not computed, as data. */
export interface Reason {
  readonly code: ReasonCode;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The message of the method, if the method refused the data. */
  readonly message?: string;
}

/** The reason of each part that was not computed. */
export type NotComputed = { readonly [Part in AnalysisPart]?: Reason };

/**
 * Returns true if the rows of a fit differ. Singular values are compared too, because the variance of numbers near 1e-200 is below the
 * smallest float64.
 */
export function hasVariance({
  totalVariance,
  singularValues,
}: Pick<Model, 'totalVariance' | 'singularValues'>): boolean {
  return totalVariance > 0 || singularValues[0] > 0 || Number.isNaN(totalVariance);
}

import type { Model } from '@scree/core';

/** Parts of an analysis that may not be computed. */
export type AnalysisPart = 'choice' | 'stability' | 'unusual' | 'rows' | 'supplementaryRows' | 'rotation';

/** Why a part of an analysis is not there. `describeReason` makes a sentence of it. */
export type ReasonCode =
  /** It was asked to be left out. */
  | 'NOT_ASKED'
  | 'FEW_ROWS'
  /** The table is so large that it is only done if it is asked for. */
  | 'LARGE_TABLE'
  | 'NO_VARIANCE'
  | 'ONE_COLUMN'
  /** The rows can be read only once, and are too many to keep. */
  | 'READ_ONCE'
  /** Moments have no rows. */
  | 'NO_ROWS'
  /** A sketch has the leading variances only. */
  | 'SKETCH'
  /** The solver found only the leading variances, and the table is too large to read it again unasked. */
  | 'LEADING_VARIANCES'
  /** The columns are codes of categories. */
  | 'CATEGORIES'
  /** The model is one of means of groups. */
  | 'GROUP_MEANS'
  /** There are more rows than are listed. */
  | 'MANY_ROWS'
  /** No component stands out of noise. */
  | 'NO_STRUCTURE'
  /** A stored model does not say it. */
  | 'STORED'
  /** The data do not suit the method; `message` says why. */
  | 'UNSUITABLE';

/** Why a part of an analysis is not there, for programs. */
export interface Reason {
  readonly code: ReasonCode;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The sentence of the method itself, if it is the method that refused the data. */
  readonly message?: string;
}

/** Reasons by part. Parts that are there are not in it. */
export type NotComputed = { readonly [Part in AnalysisPart]?: Reason };

/** Whether the rows of a fit differ. The variance alone does not tell: that of numbers near 1e-200 is below the smallest float64. */
export function hasVariance({
  totalVariance,
  singularValues,
}: Pick<Model, 'totalVariance' | 'singularValues'>): boolean {
  return totalVariance > 0 || singularValues[0] > 0;
}

import type { Matrix, Model, PcaOptions, Progress } from '@scree/core';

/** What the page and its worker say to each other. Every message carries the number of the fit it belongs to. */

export interface FitRequest {
  readonly id: number;
  readonly matrix: Matrix<Float64Array>;
  readonly columnNames: readonly string[];
  readonly options: Pick<PcaOptions, 'k' | 'scale' | 'solver'>;
}

/** What the page shows of a model: plain data, because a model itself cannot be posted. */
export interface Fit
  extends Pick<
    Model,
    'components' | 'varianceRatios' | 'totalVariance' | 'n' | 'plan' | 'certificate' | 'uniqueness' | 'warnings'
  > {
  /** Time of the fit in the worker, without the way there and back. */
  readonly milliseconds: number;
  /** Scores along the first component, one a row. */
  readonly first: Float64Array;
  /** Scores along the second; undefined when there is one component only. */
  readonly second?: Float64Array;
}

export type FitEvent =
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly id: number; readonly fit: Fit }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

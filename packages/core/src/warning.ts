export type WarningCode =
  | 'CONSTANT_COLUMN'
  | 'CONSTANT_DATA'
  | 'RANK_BELOW_K'
  | 'SUBSPACE_NOT_UNIQUE'
  | 'AXES_NOT_UNIQUE'
  | 'BELOW_ACCURACY'
  | 'VARIANCE_UNDERFLOW'
  | 'NOT_WHITENED'
  | 'NOT_CONVERGED'
  | 'NOT_CHECKED'
  /** Components were rotated: their variances are not eigenvalues. */
  | 'ROTATED'
  /** Models that are compared scale their columns differently. */
  | 'SCALES_DIFFER'
  /** A covariate adds nothing to those before it. */
  | 'COVARIATE_DROPPED'
  /** The data were changed while they were analysed: an array, or a file. */
  | 'SOURCE_CHANGED'
  /** Whole numbers beyond 2^53 were rounded to float64. */
  | 'INTEGERS_ROUNDED'
  /** A slower engine, fewer threads or less memory was used than usual, because the machine refused more. */
  | 'ENGINE_FALLBACK';

/** A fact that the user should know about a model that is otherwise correct. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** The same for programs: which columns, how many values, which cause. */
  readonly details?: Readonly<Record<string, unknown>>;
}

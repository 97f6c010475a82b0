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
  | 'NOT_CHECKED';

/** Something the user should know about a model that is right as far as it goes. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** Sizes and tolerances that several modules share. */

/** Largest square matrix that is allocated: 16384² float64 are 2 GB. */
export const LARGEST_SQUARE = 16384;

/** Most columns data may have: more cannot be indexed by the integers that sparse data are stored with. */
export const MOST_COLUMNS = 2 ** 31 - 1;

/** Widest data whose d × d scatter is kept (134 MB with its copy) where rows could be kept or read again instead. */
export const WIDEST_SCATTER = 2896;

/** Residual ‖Sv − λv‖/λ₁ that iterative solvers must reach by default: the precision of the storage type. */
export const DEFAULT_TOLERANCE = { float32: 1e-6, float64: 1e-10 } as const;

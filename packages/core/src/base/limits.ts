/** Sizes and tolerances that several modules share. */

/** Maximum size of a square matrix: 16384² float64 take 2 GB. */
export const LARGEST_SQUARE = 16384;

/** Maximum number of columns: sparse data have 32-bit column indexes. */
export const MOST_COLUMNS = 2 ** 31 - 1;

/** Maximum columns for which the d × d scatter is kept (134 MB with its copy), if the rows could be kept or read again instead. */
export const WIDEST_SCATTER = 2896;

/** Default tolerance of iterative solvers for the residual ‖Sv − λv‖/λ₁: the precision of the storage type. */
export const DEFAULT_TOLERANCE = { float32: 1e-6, float64: 1e-10 } as const;

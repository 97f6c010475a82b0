import { dot } from '@scree/core/linalg';

/** The PCA of one replicate, or of the sample itself (replicate 0). Variances are variances of scaled data. */
export interface Replicate {
  /** The centre, in the units of the data. */
  readonly mean: Float64Array;
  /** The divisors of the columns. */
  readonly scale: Float64Array;
  /** Variances of the first k components, largest first, and of all columns together. */
  readonly values: Float64Array;
  readonly total: number;
  /** The components, k × d. */
  readonly vectors: Float64Array;
  /** Standard deviation of each scaled column. */
  readonly deviations: Float64Array;
  /** The replicate's variance along each component of the sample: uᵢᵀC_b uᵢ. */
  readonly along: Float64Array;
}

/** Replicates in their order, the sample first. */
export type Replicates = AsyncGenerator<Replicate, void, void>;

/** Options of every method of computing replicates. */
export interface ReplicateOptions {
  readonly k: number;
  readonly replicates: number;
  readonly center: boolean;
  readonly ddof: number;
  readonly columnWeights?: ArrayLike<number> | undefined;
}

/** uᵢᵀCuᵢ for the k rows u; C is given by its upper triangle. */
export function variancesAlong(matrix: Float64Array, d: number, axes: Float64Array, k: number): Float64Array {
  const out = new Float64Array(k);
  for (let c = 0; c < k; c++) {
    let sum = 0;
    for (let i = 0; i < d; i++) {
      const ui = axes[c * d + i];
      const rest = dot(matrix, i * d + i + 1, axes, c * d + i + 1, d - i - 1);
      sum += ui * (matrix[i * d + i] * ui + 2 * rest);
    }
    out[c] = Math.max(0, sum);
  }
  return out;
}

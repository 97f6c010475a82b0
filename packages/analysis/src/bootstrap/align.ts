import { combineRows, dot, rowProducts, svd, symmetricEigen, transpose } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';

/** A comparison of a replicate's components with the sample's. */
export interface Comparison {
  /** Cosines between the replicate's axis i and the sample's axis j, k × k. */
  readonly cosines: Float64Array;
  /** Angle between axis i and axis i, in radians. */
  readonly angles: Float64Array;
  /** Largest principal angle between the first m axes, for m = 1 to k. */
  readonly subspaceAngles: Float64Array;
  /** True if components i and i + 1 have exchanged places. */
  readonly swaps: readonly boolean[];
}

/**
 * Compares two sets of k orthonormal rows of length d. Axes of the replicate beyond its `rank` have no variance and so no direction:
 * 90°.
 */
export function compareAxes(
  vectors: Float64Array,
  sample: Float64Array,
  k: number,
  d: number,
  rank: number,
): Comparison {
  const cosines = rowProducts(vectors, k, sample, k, d).fill(0, rank * k);
  const at = (i: number, j: number): number => Math.abs(cosines[i * k + j]);
  const angles = Float64Array.from({ length: k }, (_, i) =>
    i < rank ? axisAngle(vectors, sample, i * d, d, cosines[i * k + i]) : Math.PI / 2,
  );
  const swaps = Array.from({ length: k - 1 }, (_, i) => at(i, i + 1) > at(i, i) && at(i + 1, i) > at(i + 1, i + 1));
  return { cosines, angles, subspaceAngles: leadingAngles(cosines, k, angles[0]), swaps };
}

/** The angle between two unit vectors, ignoring signs. Small angles are accurate to rounding too. */
function axisAngle(a: Float64Array, b: Float64Array, at: number, d: number, cosine: number): number {
  const sign = cosine < 0 ? -1 : 1;
  let square = 0;
  for (let j = at; j < at + d; j++) square += (a[j] - sign * b[j]) ** 2;
  return 2 * Math.asin(Math.min(Math.SQRT1_2, Math.sqrt(square) / 2));
}

/**
 * sin²θ of the largest principal angle between the first m axes is the largest eigenvalue of I − GGᵀ, with G the leading m × m cosines.
 * Accurate to 1e-8, far below the sampling error.
 */
function leadingAngles(cosines: Float64Array, k: number, first: number): Float64Array {
  const out = new Float64Array(k);
  out[0] = first;
  for (let m = 2; m <= k; m++) {
    const rest = new Float64Array(m * m);
    for (let i = 0; i < m; i++) {
      for (let j = i; j < m; j++) rest[i * m + j] = (i === j ? 1 : 0) - dot(cosines, i * k, cosines, j * k, m);
    }
    out[m - 1] = Math.asin(Math.sqrt(Math.min(1, Math.max(0, runTaskSync(symmetricEigen(rest, m, 0)).values[0]))));
  }
  return out;
}

/** The replicate's loadings √λ·v (k × d), each with the sign that is closer to the sample's. */
export function signedLoadings(values: Float64Array, vectors: Float64Array, cosines: Float64Array): Float64Array {
  const k = values.length;
  const d = vectors.length / k;
  return vectors.map((entry, at) => {
    const i = Math.floor(at / d);
    return (cosines[i * k + i] < 0 ? -1 : 1) * Math.sqrt(values[i]) * entry;
  });
}

/** The orthogonal k × k matrix Q that brings rows L closest to the sample's rows L₀: QL ≈ L₀. With LL₀ᵀ = UΣVᵀ it is VUᵀ. */
export function rotationOnto(loadings: Float64Array, sample: Float64Array, k: number, d: number): Float64Array {
  const { left, right } = svd(rowProducts(loadings, k, sample, k, d), k, k);
  return combineRows(transpose(right, k, k), k, left, k, k);
}

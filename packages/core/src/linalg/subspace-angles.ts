import { svd } from './svd.js';
import { axpy, dot } from './vector.js';

/** A direction whose singular value is below this share of the largest is not in the span, to the precision of float64. */
const SPANNED = 1e-12;

/**
 * Principal angles between the spans of `aRows` and `bRows` rows of ℝᵈ, smallest first, in radians.
 *
 * cos θ are the singular values of QₐQᵦᵀ, and sin θ those of Qᵦ(I − QₐᵀQₐ). The smaller of the two is accurate (Björck & Golub 1973), so θ
 * = atan2(sin, cos) is exact to rounding for small angles too. The number of angles is the dimension of the smaller subspace. Dependent
 * rows add no angles.
 */
export function subspaceAngles(
  a: Float64Array,
  aRows: number,
  b: Float64Array,
  bRows: number,
  d: number,
): Float64Array {
  const [large, small] = [span(a, aRows, d), span(b, bRows, d)].sort((x, y) => y.count - x.count);
  const cosines = new Float64Array(small.count * large.count);
  const outside = small.basis.slice();
  for (let i = 0; i < small.count; i++) {
    for (let j = 0; j < large.count; j++) {
      const cosine = dot(small.basis, i * d, large.basis, j * d, d);
      cosines[i * large.count + j] = cosine;
      axpy(-cosine, large.basis, j * d, outside, i * d, d);
    }
  }
  const cos = svd(cosines, small.count, large.count).values;
  const sin = svd(outside, small.count, d).values;
  return Float64Array.from(cos, (c, i) => Math.atan2(sin[small.count - 1 - i], Math.min(1, c)));
}

/** Orthonormal rows with the span of the given rows. */
function span(vectors: Float64Array, rows: number, d: number): { basis: Float64Array; count: number } {
  const { values, right } = svd(vectors, rows, d);
  const count = values.filter((value) => value > SPANNED * values[0]).length;
  return { basis: right.slice(0, count * d), count };
}

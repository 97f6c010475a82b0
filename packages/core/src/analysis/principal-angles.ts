import type { FloatArray, Matrix } from '../data/matrix.js';
import { isMatrix } from '../data/to-block.js';
import { DataError, show } from '../errors.js';
import { svd } from '../linalg/svd.js';
import { axpy, dot } from '../linalg/vector.js';

/** A direction whose singular value is below this share of the largest is not spanned, as far as float64 can say. */
const SPANNED = 1e-12;

/**
 * Principal angles between two subspaces of ℝᵈ, each spanned by the rows of a matrix, smallest first, in radians.
 *
 * cos θ are the singular values of QₐQᵦᵀ and sin θ those of Qᵦ(I − QₐᵀQₐ); the one that is small is the accurate one
 * (Björck & Golub 1973), so θ = atan2(sin, cos) is right to rounding for small angles too. As many angles as the
 * smaller subspace has dimensions; rows that depend on others add none.
 */
export function principalAngles(a: Matrix, b: Matrix): Float64Array {
  for (const matrix of [a, b]) {
    if (isMatrix(matrix) && ArrayBuffer.isView(matrix.data)) continue;
    throw new DataError('BAD_DATA', `A subspace is given by a matrix { rows, cols, data }, not by ${show(matrix)}.`);
  }
  if (a.cols !== b.cols) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `Subspaces of ${a.cols} and ${b.cols} dimensions have no angles between them.`,
    );
  }
  const spans = [span(a), span(b)].sort((x, y) => y.count - x.count);
  const [large, small] = spans;
  const d = a.cols;
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

/** Orthonormal rows that span what the rows of a matrix span. */
function span({ rows, cols, data, stride = cols }: Matrix<FloatArray>): { basis: Float64Array; count: number } {
  const packed = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) packed.set(data.subarray(i * stride, i * stride + cols), i * cols);
  if (!packed.every(Number.isFinite)) {
    throw new DataError('NOT_FINITE', 'A vector that spans the subspace has a value that is not finite.');
  }
  const { values, right } = svd(packed, rows, cols);
  const count = values.filter((value) => value > SPANNED * values[0]).length;
  return { basis: right.slice(0, count * cols), count };
}

import { DataError, type Matrix } from '@scree/core';
import { isMatrix } from '@scree/core/data';
import { subspaceAngles } from '@scree/core/linalg';
import { describeValue } from '@scree/core/pipeline';

/**
 * Principal angles between two subspaces of ℝᵈ, each spanned by the rows of a matrix, smallest first, in radians. Their number is the
 * dimension of the smaller subspace; dependent rows add no dimension. Small angles are accurate to rounding.
 */
export function principalAngles(a: Matrix, b: Matrix): Float64Array {
  for (const matrix of [a, b]) {
    if (isMatrix(matrix) && ArrayBuffer.isView(matrix.data)) continue;
    throw new DataError(
      'BAD_DATA',
      `A subspace is given by a matrix { rows, cols, data }, not by ${describeValue(matrix)}.`,
    );
  }
  if (a.cols !== b.cols) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `Subspaces of ${a.cols} and ${b.cols} dimensions have no angles between them.`,
    );
  }
  return subspaceAngles(packed(a), a.rows, packed(b), b.rows, a.cols);
}

/** The rows as float64 without gaps between them. */
function packed({ rows, cols, data, stride = cols }: Matrix): Float64Array {
  const vectors = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) vectors.set(data.subarray(i * stride, i * stride + cols), i * cols);
  if (vectors.every(Number.isFinite)) return vectors;
  throw new DataError('NOT_FINITE', 'A vector that spans the subspace has a value that is not finite.');
}

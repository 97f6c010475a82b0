import { DataError, type Matrix } from '@scree/core';
import { isMatrix, withJson } from '@scree/core/data';
import { subspaceAngles } from '@scree/core/linalg';
import { describeValue } from '@scree/core/pipeline';
import { packedMatrix } from './compare-models.js';

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
  return withJson(subspaceAngles(finiteRows(a), a.rows, finiteRows(b), b.rows, a.cols));
}

/** The rows as float64, which must be finite. */
function finiteRows(matrix: Matrix): Float64Array {
  const vectors = packedMatrix(matrix);
  if (vectors.every(Number.isFinite)) return vectors;
  throw new DataError('NOT_FINITE', 'A vector that spans the subspace has a value that is not finite.');
}

import type { Matrix } from '../data/matrix.js';
import { DataError } from '../errors.js';
import { orthonormalise } from './orthonormalise.js';
import { random } from './random.js';
import { svd } from './svd.js';
import { axpy, dot } from './vector.js';

/**
 * Principal angles between two subspaces of ℝᵈ, each spanned by the rows of a matrix, smallest first, in radians.
 *
 * cos θ are the singular values of QₐQᵦᵀ and sin θ those of Qᵦ(I − QₐᵀQₐ); the one that is small is the accurate one
 * (Björck & Golub 1973), so θ = atan2(sin, cos) is right to rounding for small angles too. min(countA, countB) angles.
 */
export function principalAngles(a: Matrix<Float64Array>, b: Matrix<Float64Array>): Float64Array {
  if (a.rows < b.rows) return principalAngles(b, a);
  const d = a.cols;
  if (b.cols !== d) {
    throw new DataError('WIDTH_MISMATCH', `Subspaces of ${d} and ${b.cols} dimensions have no angle between them.`);
  }
  const rng = random(1);
  const qa = a.data.slice(0, a.rows * d);
  const qb = b.data.slice(0, b.rows * d);
  orthonormalise(qa, a.rows, d, rng);
  orthonormalise(qb, b.rows, d, rng);
  const cosines = new Float64Array(b.rows * a.rows);
  for (let i = 0; i < b.rows; i++) {
    for (let j = 0; j < a.rows; j++) cosines[i * a.rows + j] = dot(qb, i * d, qa, j * d, d);
  }
  const outside = qb.slice();
  for (let i = 0; i < b.rows; i++) {
    for (let j = 0; j < a.rows; j++) axpy(-cosines[i * a.rows + j], qa, j * d, outside, i * d, d);
  }
  const cos = svd(cosines, b.rows, a.rows).values;
  const sin = svd(outside, b.rows, d).values;
  return Float64Array.from(cos, (c, i) => Math.atan2(sin[b.rows - 1 - i], Math.min(1, c)));
}

import { orthonormalise } from '../linalg/orthonormalise.js';
import type { Random } from '../linalg/random.js';
import { addCombination, rowProducts } from '../linalg/rows.js';
import { symmetricEigen } from '../linalg/symmetric-eigen.js';
import { dot } from '../linalg/vector.js';
import { complete } from '../pace.js';
import { residualNorms } from '../solvers/residuals.js';
import type { Answer, Ask } from './rule.js';

/** The best that a subspace has to offer: orthonormal rows v in it, θ = vᵀSv, and how far Sv is from θv. */
export interface RitzPairs {
  readonly basis: Float64Array;
  readonly values: Float64Array;
  readonly residuals: Float64Array;
}

/**
 * Rayleigh–Ritz: the span of k rows is turned to its principal axes, the eigenvectors of T = QSQᵀ for an orthonormal basis Q. Rows
 * that depend on others are replaced by random directions.
 */
export function* rayleighRitz(
  rows: Float64Array,
  k: number,
  d: number,
  rng: Random,
): Generator<Ask, RitzPairs, Answer> {
  const q = rows.slice();
  complete(orthonormalise(q, k, d, rng));
  const { product: image } = yield { pass: 'normal', vectors: q, k };
  const { vectors } = complete(symmetricEigen(rowProducts(q, k, image, k, d), k, k));
  const basis = new Float64Array(k * d);
  const turned = new Float64Array(k * d);
  addCombination(1, vectors, k, q, k, d, basis);
  addCombination(1, vectors, k, image, k, d, turned);
  const values = Float64Array.from({ length: k }, (_, r) => dot(basis, r * d, turned, r * d, d));
  return { basis, values, residuals: residualNorms(turned, basis, values, k, d) };
}

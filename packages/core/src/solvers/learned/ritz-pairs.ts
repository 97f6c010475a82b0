import type { Task } from '../../base/progress.js';
import { cholesky, invertLower } from '../../linalg/cholesky.js';
import { orthonormalise } from '../../linalg/orthonormalise.js';
import type { Random } from '../../linalg/random.js';
import { addCombinationSteps, rowProductSteps } from '../../linalg/row-products.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import { dot } from '../../linalg/vector.js';
import { residualNorms } from '../residuals.js';
import { type PassRequest, type PassResult, withPauses } from './rule.js';

/** The Ritz pairs of a subspace: orthonormal rows v, values θ = vᵀSv, and residuals ‖Sv − θv‖. */
export interface RitzPairs {
  readonly basis: Float64Array;
  readonly values: Float64Array;
  readonly residuals: Float64Array;
}

/**
 * Cholesky makes rows orthonormal without losing digits if at least this share of the square of each row remains after projecting
 * out the others.
 */
const SEPARATED_SHARE = 1e-4;

/**
 * Rayleigh–Ritz: computes the principal axes of the span of k rows, the eigenvectors of T = QSQᵀ for an orthonormal basis Q.
 * Dependent rows are replaced by random directions. If WS is known (`known`) and the rows W are well separated, no pass is
 * needed: with WWᵀ = LLᵀ, Q = L⁻¹W and QS = L⁻¹WS. `solvers/rayleigh-ritz.ts` does the same on an engine, with different
 * rounding. `descend` has no engine.
 */
export function* ritzPairs(
  rows: Float64Array,
  k: number,
  d: number,
  rng: Random,
  known?: Float64Array,
): Generator<PassRequest, RitzPairs, PassResult> {
  const lower = known && cholesky(yield* withPauses(rowProductSteps(rows, k, rows, k, d)), k, SEPARATED_SHARE);
  if (known && lower) {
    const inverse = invertLower(lower, k);
    const q = yield* withPauses(multiplyRows(inverse, rows, k, d));
    return yield* withPauses(rotateToAxes(q, yield* withPauses(multiplyRows(inverse, known, k, d)), k, d));
  }
  const q = rows.slice();
  yield* withPauses(orthonormalise(q, k, d, rng));
  const { product } = yield { pass: 'normal', vectors: q, k };
  return yield* withPauses(rotateToAxes(q, product, k, d));
}

/** Rotates orthonormal rows Q and their images QS to the eigenvectors of QSQᵀ. */
function* rotateToAxes(q: Float64Array, image: Float64Array, k: number, d: number): Task<RitzPairs> {
  const { vectors } = yield* symmetricEigen(yield* rowProductSteps(q, k, image, k, d), k, k);
  const basis = yield* multiplyRows(vectors, q, k, d);
  const turned = yield* multiplyRows(vectors, image, k, d);
  const values = Float64Array.from({ length: k }, (_, r) => dot(basis, r * d, turned, r * d, d));
  return { basis, values, residuals: residualNorms(turned, basis, values, k, d) };
}

/** CR for k × k coefficients C and k rows R. */
function* multiplyRows(coefficients: Float64Array, rows: Float64Array, k: number, d: number): Task<Float64Array> {
  const out = new Float64Array(k * d);
  yield* addCombinationSteps(1, coefficients, k, rows, k, d, out);
  return out;
}

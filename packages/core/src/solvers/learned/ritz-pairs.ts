import type { Task } from '../../base/progress.js';
import { cholesky, invertLower } from '../../linalg/cholesky.js';
import { orthonormalise } from '../../linalg/orthonormalise.js';
import type { Random } from '../../linalg/random.js';
import { addCombinationSteps, rowProductSteps } from '../../linalg/row-products.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import { dot } from '../../linalg/vector.js';
import { residualNorms } from '../residuals.js';
import { type PassRequest, type PassResult, withPauses } from './rule.js';

/** The Ritz pairs of a subspace: orthonormal rows v in it, θ = vᵀSv, and how far Sv is from θv. */
export interface RitzPairs {
  readonly basis: Float64Array;
  readonly values: Float64Array;
  readonly residuals: Float64Array;
}

/** Share of its square that a row must keep after the others are projected out for Cholesky to make it orthonormal without losing digits. */
const APART = 1e-4;

/**
 * Rayleigh–Ritz: the span of k rows is turned to its principal axes, the eigenvectors of T = QSQᵀ for an orthonormal basis Q. Rows
 * that depend on others are replaced by random directions. Where WS is known (`known`) and the rows W are well apart, QS is known too:
 * with WWᵀ = LLᵀ, Q = L⁻¹W and QS = L⁻¹WS.
 * `solvers/rayleigh-ritz.ts` does the same on an engine, with other bits; `descend` has no engine and runs this step by step.
 */
export function* ritzPairs(
  rows: Float64Array,
  k: number,
  d: number,
  rng: Random,
  known?: Float64Array,
): Generator<PassRequest, RitzPairs, PassResult> {
  const lower = known && cholesky(yield* withPauses(rowProductSteps(rows, k, rows, k, d)), k, APART);
  if (known && lower) {
    const inverse = invertLower(lower, k);
    const q = yield* withPauses(combined(inverse, rows, k, d));
    return yield* withPauses(turn(q, yield* withPauses(combined(inverse, known, k, d)), k, d));
  }
  const q = rows.slice();
  yield* withPauses(orthonormalise(q, k, d, rng));
  const { product } = yield { pass: 'normal', vectors: q, k };
  return yield* withPauses(turn(q, product, k, d));
}

/** Orthonormal rows Q and their images QS, turned to the eigenvectors of QSQᵀ. */
function* turn(q: Float64Array, image: Float64Array, k: number, d: number): Task<RitzPairs> {
  const { vectors } = yield* symmetricEigen(yield* rowProductSteps(q, k, image, k, d), k, k);
  const basis = yield* combined(vectors, q, k, d);
  const turned = yield* combined(vectors, image, k, d);
  const values = Float64Array.from({ length: k }, (_, r) => dot(basis, r * d, turned, r * d, d));
  return { basis, values, residuals: residualNorms(turned, basis, values, k, d) };
}

/** CR for k × k coefficients C and k rows R. */
function* combined(coefficients: Float64Array, rows: Float64Array, k: number, d: number): Task<Float64Array> {
  const out = new Float64Array(k * d);
  yield* addCombinationSteps(1, coefficients, k, rows, k, d, out);
  return out;
}

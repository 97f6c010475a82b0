import { multiplySymmetric } from '../../engines/vector-block.js';
import type { QR } from '../../linalg/qr.js';
import { addCombinationSteps } from '../../linalg/row-products.js';
import { transpose } from '../../linalg/transpose.js';
import { norm } from '../../linalg/vector.js';
import { residualNorms } from '../residuals.js';
import type { RowsProblem } from '../solver.js';

/**
 * Bounds on residuals are used instead of measured residuals only if they are at most this share of the tolerance, and of the
 * distance between eigenvalues.
 */
const TOLERANCE_SHARE = 0.1;
const GAP_SHARE = 1e-6;

/**
 * Upper bounds on ‖Sv − λv‖ for v from eigenvectors u of K = BBᵀ, without another pass over the data. Returns undefined if the
 * bounds are too large.
 *
 * ρ = ‖Ku − λu‖ is measured. ε bounds the rounding of K, that of Ku, and ‖B‖ times that of the images z = Bᵀu. With z = Σᵢ≤ⱼ
 * rᵢⱼvᵢ + e, where e is the rounding error of QR, and Sz − λz = Bᵀ(Ku − λu):
 *
 * ‖Svⱼ − λⱼvⱼ‖ ≤ (σ₁·(ρⱼ + 3ε) + λ₁‖eⱼ‖ + Σᵢ<ⱼ|rᵢⱼ|·(λᵢ − λⱼ + residualᵢ))/|rⱼⱼ|.
 *
 * Overwrites `images`, and fills the lower triangle of `products`.
 */
export async function residualsFromProducts(
  problem: RowsProblem,
  products: Float64Array,
  values: Float64Array,
  vectors: Float64Array,
  images: Float64Array,
  { q, r }: QR,
): Promise<Float64Array | undefined> {
  const { d, progress, tolerance, passes } = problem;
  const n = passes.rows;
  const count = vectors.length / n;
  const error = (problem.roundoff - problem.scalingError) * passes.dualShare;
  const largest = values[0] + error;
  let gap = values[0];
  for (let i = 0; i < count && i + 1 < values.length; i++) gap = Math.min(gap, values[i] - values[i + 1]);
  const most = Math.min(TOLERANCE_SHARE * tolerance * values[0], GAP_SHARE * gap);
  // The bound from the rounding of K alone.
  if (!(3 * error * Math.sqrt(largest) <= most * Math.sqrt(values[count - 1]))) return undefined;
  const multiplied = await multiplySymmetric(products, vectors, count, n, problem);
  const residuals = residualNorms(multiplied, vectors, values, count, n);
  await progress.follow(addCombinationSteps(-1, transpose(r, count, count), count, q, count, d, images));
  for (let j = 0; j < count; j++) {
    let sum = Math.sqrt(largest) * (residuals[j] + 3 * error) + largest * norm(images, j * d, d);
    for (let i = 0; i < j; i++) sum += Math.abs(r[i * count + j]) * (values[i] - values[j] + residuals[i]);
    residuals[j] = sum / Math.abs(r[j * count + j]);
  }
  return residuals.every((residual) => residual <= most) ? residuals : undefined;
}

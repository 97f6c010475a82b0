import { multiplySymmetric } from '../../engines/vector-block.js';
import { type QR, qr } from '../../linalg/qr.js';
import { addCombinationSteps } from '../../linalg/row-products.js';
import { eigenFlops } from '../../linalg/symmetric-eigen.js';
import { transpose } from '../../linalg/transpose.js';
import { dot, norm } from '../../linalg/vector.js';
import { type MaybePromise, settle, type Waiting, wait } from '../../maybe-promise.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type RowsProblem, type Solution } from '../solver.js';
import { eigenvalueBound } from './covariance.js';

/**
 * Residuals are bounded by those of K where another reading of the data, which would measure them more closely, takes time: from so many
 * numbers on. They must be at most this share of the tolerance, and of the distance between eigenvalues.
 */
const MANY_NUMBERS = 2 ** 22;
const TOLERANCE_SHARE = 0.1;
const GAP_SHARE = 1e-6;

/**
 * The dual trick for wide data: eigenvectors u of K = BBᵀ (n × n), then v = Bᵀu/‖Bᵀu‖.
 *
 * Never forms d × d: n²·d + 4/3·n³ flops and n² numbers of memory. K and S have the same eigenvalues above zero.
 * Where u belongs to a zero eigenvalue Bᵀu is zero but for rounding; Householder QR of all Bᵀu gives such components a direction
 * orthogonal to the others, and makes the small ones orthogonal where rounding in K has turned them.
 * Weakness: squares B, as `covariance` does.
 */
export function solveDual(problem: RowsProblem): MaybePromise<Solution> {
  return settle(byRowProducts(problem));
}

function* byRowProducts(problem: RowsProblem): Waiting<Solution> {
  const { d, passes, progress, wanted, scatterTrace } = problem;
  const n = passes.rows;
  const most = Math.min(n, d);
  const products = yield* wait(passes.dual());
  const choose = (values: Float64Array): number => Math.min(most, countWanted(wanted, values, scatterTrace));
  const expected = 'count' in wanted ? wanted.count : most / 2;
  progress.begin('eigenvectors', eigenFlops(n, expected));
  const onStep = (flops: number): void | Promise<void> => progress.step(flops);
  const { values, vectors, count } = yield* wait(problem.engine.symmetricEigen(products.slice(), n, choose, onStep));
  progress.end();
  const images = yield* wait(passes.multiplyTransposed(transpose(vectors, count, n), count));
  const factors = yield* wait(progress.follow(qr(images, count, d)));
  const basis = factors.q;
  const shared = {
    k: count,
    basis,
    spectrum: values,
    next: nextValue(values, count, problem, eigenvalueBound({ ...problem, d: n }, values[0])),
    converged: true,
  };
  const leading = values.slice(0, count);
  if (mayBeKnown(problem, values, count)) {
    const multiplied = yield* wait(multiplySymmetric(products, vectors, count, n, problem));
    const residuals = residualNorms(multiplied, vectors, leading, count, n);
    yield* residualsFromProducts(problem, residuals, leading, images, factors);
    if (residuals.every((residual) => residual <= mostKnown(problem, values, count))) {
      // Eigenvalues of K by their numbers, apart from rounding in K (Weyl).
      const below = eigenvalueBound({ d: n, roundoff: 0 }, values[0]);
      const bracket = { above: new Float64Array(count).fill(below), below };
      return { ...shared, values: leading, residuals, bracket, passes: 2 };
    }
  }
  const scattered = yield* wait(passes.normal(basis, count, true));
  // Rayleigh quotients: the eigenvalue that leaves the smallest residual.
  for (let r = 0; r < count; r++) leading[r] = dot(scattered, r * d, basis, r * d, d);
  const residuals = residualNorms(scattered, basis, leading, count, d);
  return { ...shared, values: leading, residuals, rayleigh: true, passes: 3 };
}

/** Largest residual that is not worth a reading of the data to measure it. */
function mostKnown({ tolerance }: RowsProblem, values: Float64Array, count: number): number {
  let gap = values[0];
  for (let i = 0; i < count && i + 1 < values.length; i++) gap = Math.min(gap, values[i] - values[i + 1]);
  return Math.min(TOLERANCE_SHARE * tolerance * values[0], GAP_SHARE * gap);
}

/** Rounding of the passes alone, ‖ΔK‖ at most. */
const passError = ({ roundoff, framingError }: RowsProblem): number => roundoff - framingError;

/** Whether residuals may be bounded by those of K: where there are many rows to read, and the rounding of K alone allows it. */
function mayBeKnown(problem: RowsProblem, values: Float64Array, count: number): boolean {
  if (problem.passes.rows * problem.d < MANY_NUMBERS) return false;
  return (
    3 * passError(problem) * Math.sqrt(values[0]) <= mostKnown(problem, values, count) * Math.sqrt(values[count - 1])
  );
}

/**
 * ‖Sv − λv‖ at most, from residuals ρ = ‖Ku − λu‖, which are replaced, without another reading of the data. ε bounds the rounding of K, that of Ku,
 * and ‖B‖ times that of the images z = Bᵀu. With z = Σᵢ≤ⱼ rᵢⱼvᵢ + e, e what rounding left of QR, and Sz − λz = Bᵀ(Ku − λu):
 *
 * ‖Svⱼ − λⱼvⱼ‖ ≤ (σ₁·(ρⱼ + 3ε) + λ₁‖eⱼ‖ + Σᵢ<ⱼ|rᵢⱼ|·(λᵢ − λⱼ + residualᵢ))/|rⱼⱼ|.
 */
function* residualsFromProducts(
  problem: RowsProblem,
  residuals: Float64Array,
  values: Float64Array,
  images: Float64Array,
  { q, r }: QR,
): Waiting<void> {
  const { d, progress } = problem;
  const count = values.length;
  const error = passError(problem);
  const largest = values[0] + error;
  yield* wait(progress.follow(addCombinationSteps(-1, transpose(r, count, count), count, q, count, d, images)));
  for (let j = 0; j < count; j++) {
    let sum = Math.sqrt(largest) * (residuals[j] + 3 * error) + largest * norm(images, j * d, d);
    for (let i = 0; i < j; i++) sum += Math.abs(r[i * count + j]) * (values[i] - values[j] + residuals[i]);
    residuals[j] = sum / Math.abs(r[j * count + j]);
  }
}

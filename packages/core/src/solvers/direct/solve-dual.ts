import { chooseScaler, columnScales } from '../../data/statistics/scaling.js';
import type { DualScaler } from '../../engines/engine.js';
import { keptMatrix, VectorBlock } from '../../engines/vector-block.js';
import { cholesky, invertLower } from '../../linalg/cholesky.js';
import { type QR, qr } from '../../linalg/qr.js';
import { eigenFlops } from '../../linalg/symmetric-eigen.js';
import { transpose } from '../../linalg/transpose.js';
import { dot } from '../../linalg/vector.js';
import { residualNorms } from '../residuals.js';
import {
  countWanted,
  type IncrementalFitSettings,
  nextValue,
  type RowsProblem,
  type Solution,
  type Solver,
} from '../solver.js';
import { residualsFromProducts } from './dual-residuals.js';
import { eigenvalueBound } from './solve-covariance.js';

/**
 * If the data have at least this number of entries, residuals are bounded by those of K. Measuring them would take another pass
 * over the data.
 */
const MANY_NUMBERS = 2 ** 22;
/** Cholesky QR makes the images orthonormal up to rounding if at least this share of the square of each image remains. */
const SEPARATED_SHARE = 0.5;

export const dualSolver: Solver = { needs: 'rows', solve: solveDual, dualScaler };

/**
 * The dual problem of wide data: eigenvectors u of K = BBᵀ (n × n), then v = Bᵀu/‖Bᵀu‖.
 *
 * n²·d + 4/3·n³ flops and n² numbers of memory, never d × d. K and S have the same eigenvalues above zero. If u belongs to a zero
 * eigenvalue, Bᵀu is zero up to rounding. Householder QR of all Bᵀu gives such components a direction orthogonal to the others,
 * and makes small components orthogonal that rounding in K has rotated. Weakness: squares B, as `covariance` does.
 */
async function solveDual(problem: RowsProblem): Promise<Solution> {
  const { d, passes, progress, wanted, scatterTrace } = problem;
  const n = passes.rows;
  const most = Math.min(n, d);
  const products = await passes.dual();
  const choose = (values: Float64Array): number => Math.min(most, countWanted(wanted, values, scatterTrace));
  const expected = 'count' in wanted ? wanted.count : most / 2;
  progress.begin('eigenvectors', eigenFlops(n, expected));
  const onStep = (flops: number): void | Promise<void> => progress.step(flops);
  const { values, vectors, count } = await problem.engine.symmetricEigen(
    keptMatrix(problem.engine, products),
    n,
    choose,
    onStep,
  );
  progress.end();
  const images = await passes.multiplyTransposed(transpose(vectors, count, n), count);
  const many = n * d >= MANY_NUMBERS;
  const factors = (many && (await byCholesky(problem, images, count))) || (await progress.follow(qr(images, count, d)));
  const basis = factors.q;
  const shared = {
    k: count,
    basis,
    spectrum: values,
    next: nextValue(values, count, problem, eigenvalueBound({ ...problem, d: n }, values[0])),
    converged: true,
  };
  const leading = values.slice(0, count);
  if (many) {
    const residuals = await residualsFromProducts(problem, products, values, vectors, images, factors);
    if (residuals) {
      // Every eigenvalue of K is bracketed, apart from rounding in K (Weyl).
      const below = eigenvalueBound({ d: n, roundoff: 0 }, values[0]);
      const bracket = { above: new Float64Array(count).fill(below), below };
      return { ...shared, values: leading, residuals, bracket, passes: 2 };
    }
  }
  const scattered = await passes.normal(basis, count, true);
  // The Rayleigh quotient is the value with the smallest residual.
  for (let r = 0; r < count; r++) leading[r] = dot(scattered, r * d, basis, r * d, d);
  const residuals = residualNorms(scattered, basis, leading, count, d);
  return { ...shared, values: leading, residuals, rayleigh: true, passes: 3 };
}

/**
 * Cholesky QR on the engine: Z = LQ with LLᵀ = ZZᵀ. The images of eigenvectors are nearly orthogonal. Returns undefined if some
 * are not.
 */
async function byCholesky(problem: RowsProblem, images: Float64Array, count: number): Promise<QR | undefined> {
  const use = <Result>(run: (rows: VectorBlock) => Promise<Result>): Promise<Result> =>
    VectorBlock.use(images, count, problem.d, problem, run);
  const lower = cholesky(await use((rows) => rows.products()), count, SEPARATED_SHARE);
  if (!lower) return undefined;
  const coordinates = transpose(invertLower(lower, count), count, count);
  const q = await use((rows) => rows.combine(coordinates, count));
  return { q, r: transpose(lower, count, count) };
}

/** Returns the scaler that `makeProblem` will choose, from the statistics of some columns. */
function dualScaler(
  { center, scale, columnWeights, ddof }: Omit<IncrementalFitSettings, 'cols'>,
  { resident, rows }: { readonly resident?: boolean; readonly rows?: number | undefined },
  block: { readonly rows: number },
): DualScaler | undefined {
  if (!resident || rows !== block.rows) return undefined;
  const some = (numbers: ArrayLike<number>, left: number, count: number): ArrayLike<number> =>
    Array.prototype.slice.call(numbers, left, left + count);
  return (columns, left) => {
    const count = columns.mean.length;
    const own = typeof scale === 'string' ? scale : some(scale, left, count);
    const weights = columnWeights && some(columnWeights, left, count);
    const scales = columnScales(columns, own, columns.weight - ddof, center, weights);
    try {
      return chooseScaler(columns, scales.scale, center);
    } catch {
      // A column whose variance exceeds float64 is refused later, with its index among all columns.
      return undefined;
    }
  };
}

import { LARGEST_SQUARE } from '../../limits.js';
import { qr } from '../../linalg/qr.js';
import { transpose } from '../../linalg/row-products.js';
import { eigenFlops } from '../../linalg/symmetric-eigen.js';
import { dot } from '../../linalg/vector.js';
import { settle, type Waiting, wait } from '../../maybe-promise.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type RowsProblem, type Solution, type SolverDeclaration } from '../solver.js';
import { eigenvalueBound } from './covariance.js';

/**
 * The dual trick for wide data: eigenvectors u of K = BBᵀ (n × n), then v = Bᵀu/‖Bᵀu‖.
 *
 * Never forms d × d: n²·d + 4/3·n³ flops and n² numbers of memory. K and S have the same eigenvalues above zero.
 * Where u belongs to a zero eigenvalue Bᵀu is zero but for rounding; Householder QR of all Bᵀu gives such components a direction
 * orthogonal to the others, and makes the small ones orthogonal where rounding in K has turned them.
 * Weakness: squares B, as `covariance` does.
 */
export const dual: SolverDeclaration = {
  family: 'direct',
  method: 'the eigenvectors of the inner products of the rows (the dual problem)',
  needs: () => 'rows',
  matrixSize: ({ rows = Number.POSITIVE_INFINITY }) => rows,
  cost: (work) => {
    const { n, d, entries, count } = work;
    if (n > LARGEST_SQUARE) return undefined;
    const products =
      work.products(entries * n) + work.products(2 * entries * count) + work.products(4 * entries * count);
    return products + work.eigen(n, count) + work.plain(4 * d * count * count) + work.reading(entries);
  },
  reason: ({ rows, cols }) =>
    `${rows} rows are fewer than ${cols} columns: the ${rows}×${rows} dual problem is smaller than the ${cols}×${cols} covariance.`,
  accuracy: { limit: 'rounding', remedy: "Use solver: 'svd', or scale the columns" },
  load: () => ({ needs: 'rows', solve: (problem) => settle(solveDual(problem)) }),
};

function* solveDual(problem: RowsProblem): Waiting<Solution> {
  const { d, passes, progress, wanted, scatterTrace } = problem;
  const n = passes.rows;
  const most = Math.min(n, d);
  const products = yield* wait(passes.dual());
  const choose = (values: Float64Array): number => Math.min(most, countWanted(wanted, values, scatterTrace));
  const expected = 'count' in wanted ? wanted.count : most / 2;
  progress.begin('eigenvectors', eigenFlops(n, expected));
  const onStep = (flops: number): void | Promise<void> => progress.step(flops);
  const { values, vectors, count } = yield* wait(problem.engine.symmetricEigen(products, n, choose, onStep));
  progress.end();
  const images = yield* wait(passes.multiplyTransposed(transpose(vectors, count, n), count));
  const { q: basis } = yield* wait(progress.follow(qr(images, count, d)));
  const scattered = yield* wait(passes.normal(basis, count));
  // Rayleigh quotients: the eigenvalue that leaves the smallest residual.
  const leading = Float64Array.from({ length: count }, (_, r) => dot(scattered, r * d, basis, r * d, d));
  return {
    k: count,
    basis,
    values: leading,
    spectrum: values,
    residuals: residualNorms(scattered, basis, leading, count, d),
    next: nextValue(values, count, problem, eigenvalueBound({ ...problem, d: n }, values[0])),
    rayleigh: true,
    converged: true,
    passes: 3,
  };
}

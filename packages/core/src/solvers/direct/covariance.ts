import { keptMatrix, multiplySymmetric } from '../../engines/vector-block.js';
import { LARGEST_SQUARE } from '../../limits.js';
import { eigenFlops } from '../../linalg/symmetric-eigen.js';
import { settle, type Waiting, wait } from '../../maybe-promise.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type ScatterProblem, type Solution, type SolverDeclaration } from '../solver.js';

/**
 * Eigenvectors of the scatter: Sv = λv, S = BᵀB (d × d).
 *
 * All eigenvalues, but only the wanted eigenvectors, so that a variance fraction costs no more than a count. One pass
 * over the rows, n·d² + 4/3·d³ flops, 2·d² numbers of memory. Weakness: squaring B loses variances below 1e-16 of the
 * largest; `svd` finds them.
 */
export const covariance: SolverDeclaration = {
  family: 'direct',
  method: 'the eigenvectors of the covariance matrix',
  needs: () => 'scatter',
  remote: true,
  matrixSize: ({ cols }) => cols,
  cost: (work) => {
    const { n, d, nonzeros, nonzeroShare, count } = work;
    if (d > LARGEST_SQUARE) return undefined;
    const flops = nonzeros === undefined ? n * d * d * nonzeroShare.four : nonzeros * (nonzeros / n) + d * d;
    return work.products(flops) + work.eigen(d, count);
  },
  reason: ({ rows, cols }) =>
    `${rows} rows are many and ${cols} columns few enough: the ${cols}×${cols} covariance is the cheapest.`,
  accuracy: { limit: 'rounding', remedy: "Use solver: 'svd', or scale the columns" },
  load: () => ({ needs: 'scatter', solve: (problem) => settle(byScatter(problem)) }),
};

export function* byScatter(problem: ScatterProblem): Waiting<Solution> {
  const { d, scatter, progress, wanted, scatterTrace } = problem;
  const choose = (values: Float64Array): number => countWanted(wanted, values, scatterTrace);
  const expected = 'count' in wanted ? wanted.count : d / 2;
  progress.begin('eigenvectors', eigenFlops(d, expected));
  const onStep = (flops: number): void | Promise<void> => progress.step(flops);
  const { values, vectors, count } = yield* wait(
    problem.engine.symmetricEigen(keptMatrix(problem.engine, scatter), d, choose, onStep),
  );
  progress.end();
  const leading = values.slice(0, count);
  const image = yield* wait(multiplySymmetric(scatter, vectors, count, d, problem));
  return {
    k: count,
    basis: vectors,
    values: leading,
    spectrum: values,
    residuals: residualNorms(image, vectors, leading, count, d),
    next: nextValue(values, count, problem, eigenvalueBound(problem, values[0])),
    converged: true,
    passes: 1,
  };
}

/** How far an eigenvalue that was computed without its vector may be off: rounding in S, and backward error of QL. */
export function eigenvalueBound(problem: { d: number; roundoff: number }, largest: number): number {
  return problem.roundoff + 8 * problem.d * Number.EPSILON * largest;
}

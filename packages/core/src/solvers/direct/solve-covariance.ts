import { keptMatrix, multiplySymmetric } from '../../engines/vector-block.js';
import { eigenFlops, type SymmetricEigen } from '../../linalg/symmetric-eigen.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type Problem, type ScatterProblem, type Solution, type Solver } from '../solver.js';

export const covarianceSolver: Solver = { needs: 'scatter', solve: solveCovariance };

/** The covariance solver: computes the leading eigenvectors of S and their residuals. */
export async function solveCovariance(problem: ScatterProblem): Promise<Solution> {
  const { d, scatter, progress, wanted } = problem;
  const expected = 'count' in wanted ? wanted.count : d / 2;
  progress.begin('eigenvectors', eigenFlops(d, expected));
  const onStep = (flops: number): void | Promise<void> => progress.step(flops);
  const kept = keptMatrix(problem.engine, scatter);
  const found = await problem.engine.symmetricEigen(kept, d, wantedCount(problem), onStep);
  progress.end();
  const image = await multiplySymmetric(scatter, found.vectors, found.count, d, problem);
  return fromEigenvectors(problem, found, image);
}

/** Returns a function that chooses the number of eigenvectors from all eigenvalues. */
export function wantedCount({ wanted, scatterTrace }: Problem): (values: Float64Array) => number {
  return (values) => countWanted(wanted, values, scatterTrace);
}

/** Makes the solution, and measures its residuals with the images Sv, which it overwrites. */
export function fromEigenvectors(
  problem: Problem,
  { values, vectors, count }: SymmetricEigen,
  image: Float64Array,
): Solution {
  const leading = values.slice(0, count);
  return {
    k: count,
    basis: vectors,
    values: leading,
    spectrum: values,
    residuals: residualNorms(image, vectors, leading, count, problem.d),
    next: nextValue(values, count, problem, eigenvalueBound(problem, values[0])),
    converged: true,
    passes: 1,
  };
}

/** Error bound of an eigenvalue that was computed without its vector: rounding in S, and the backward error of QL. */
export function eigenvalueBound(problem: { d: number; roundoff: number }, largest: number): number {
  return problem.roundoff + 8 * problem.d * Number.EPSILON * largest;
}

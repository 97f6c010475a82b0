import { LARGEST_SQUARE } from '../../base/limits.js';
import type { SolverDeclaration } from '../solver.js';

/**
 * Eigenvectors of the scatter: Sv = λv, S = BᵀB (d × d). solve-covariance.ts has the code, which is loaded on demand.
 *
 * Computes all eigenvalues, but only the wanted eigenvectors, so that a fraction of the variance costs no more than a count. One
 * pass over the rows, n·d² + 4/3·d³ flops, 2·d² numbers of memory. Weakness: squaring B loses variances below 1e-16 of the
 * largest, which `svd` finds.
 */
export const covarianceDeclaration: SolverDeclaration = {
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
  load: async () => (await import('./solve-covariance.js')).covarianceSolver,
};

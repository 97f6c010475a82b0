import { LARGEST_SQUARE } from '../../base/limits.js';
import type { SolverDeclaration } from '../solver.js';

/** The dual problem of wide data. solve-dual.ts has the code, which is loaded on demand. */
export const dualDeclaration: SolverDeclaration = {
  family: 'direct',
  method: 'the eigenvectors of the inner products of the rows (the dual problem)',
  needs: () => 'rows',
  matrixSize: ({ rows = Number.POSITIVE_INFINITY }) => rows,
  cost: (work) => {
    const { n, d, entries, count } = work;
    if (n > LARGEST_SQUARE) return undefined;
    const products = work.products(entries * n) + work.products(2 * entries * count);
    return products + work.eigen(n, count) + work.plain(4 * d * count * count) + work.reading(entries);
  },
  reason: ({ rows, cols }) =>
    `${rows} rows are fewer than ${cols} columns: the ${rows}×${rows} dual problem is smaller than the ${cols}×${cols} covariance.`,
  accuracy: { limit: 'rounding', remedy: "Use solver: 'svd', or scale the columns" },
  load: async () => (await import('./solve-dual.js')).dualSolver,
};

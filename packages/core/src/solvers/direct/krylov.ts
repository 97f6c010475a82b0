import { DEFAULT_TOLERANCE } from '../../base/limits.js';
import { OVERSAMPLING } from '../cost-model.js';
import type { SolverDeclaration } from '../solver.js';

/**
 * Number of blocks that the plan expects: falling spectra need 8 to 12 blocks, flat spectra need 25. The plan does not know the
 * spectrum, so it assumes the largest number for a falling one.
 */
const EXPECTED_BLOCKS = 12;

/** Block Krylov iteration. block-krylov.ts has the code, which is loaded on demand. */
export const krylovDeclaration: SolverDeclaration = {
  family: 'direct',
  method: 'block Krylov iteration, which needs only products with the data',
  needs: () => 'rows',
  remote: true,
  cost: (work) => {
    const { d, size, entries, count, rates, tolerance } = work;
    const block = Math.min(size, count + OVERSAMPLING);
    // Every block reduces the residuals by about the same factor.
    const expected = Math.ceil(
      EXPECTED_BLOCKS * Math.min(1, Math.log(tolerance) / Math.log(DEFAULT_TOLERANCE.float64)),
    );
    const blocks = Math.min(expected, Math.ceil(size / block));
    const basis = blocks * block;
    // Eigenproblems of 1, 2, 3, … blocks. The sum of their cubes is about a quarter of the last cube times their number.
    const projected = (work.eigen(basis, count) * (blocks + 3)) / 4;
    const orthogonal = (8 * d * basis * basis) / (rates.products * 1e9) + blocks * work.plain(4 * d * block * block);
    const passes = work.products(4 * entries * count) + blocks * work.again(4 * entries * block, block);
    return passes + orthogonal + projected + work.reading(entries);
  },
  reason: ({ rows, cols, nonzeros }) =>
    `Few components of ${nonzeros === undefined ? 'a large' : 'a sparse'} ${rows}×${cols} matrix are wanted: block Krylov needs only passes over the data.`,
  accuracy: { limit: 'rounding', remedy: "Use a smaller tolerance, or solver: 'svd'" },
  load: async () => (await import('./block-krylov.js')).krylovSolver,
};

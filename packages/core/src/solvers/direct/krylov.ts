import { DEFAULT_TOLERANCE } from '../../base/limits.js';
import { OVERSAMPLING } from '../cost-model.js';
import type { SolverDeclaration } from '../solver.js';

/**
 * Blocks that the plan expects before convergence: 8 to 12 where the spectrum falls, 25 where it is flat. The plan cannot know
 * which, so it assumes what falling spectra need at most.
 */
const EXPECTED_BLOCKS = 12;

/** Block Krylov iteration, in block-krylov.ts, which is loaded when it is needed. */
export const krylovDeclaration: SolverDeclaration = {
  family: 'direct',
  method: 'block Krylov iteration, which needs only products with the data',
  needs: () => 'rows',
  remote: true,
  cost: (work) => {
    const { d, size, entries, count, rates, tolerance } = work;
    const block = Math.min(size, count + OVERSAMPLING);
    // Residuals fall by about the same factor with every block.
    const expected = Math.ceil(
      EXPECTED_BLOCKS * Math.min(1, Math.log(tolerance) / Math.log(DEFAULT_TOLERANCE.float64)),
    );
    const blocks = Math.min(expected, Math.ceil(size / block));
    const basis = blocks * block;
    // Small eigenproblems of one, two, three … blocks: their cubes add up to a quarter of the last times their number.
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

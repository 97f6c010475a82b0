/**
 * `@scree/core/names`: the names of all solvers, and the nearest name to a misspelt one, for pages and help texts that must not
 * load the solvers.
 */

export { nearestName } from '../base/nearest-name.js';

/** Solvers whose result is exact to a certified tolerance. `'auto'` chooses one of them. */
export const EXACT_SOLVERS = ['covariance', 'refined', 'dual', 'svd', 'krylov'] as const;

/** The names of all solvers. The compiler checks that `registry.ts` has the same ones. */
export const SOLVER_NAMES = [...EXACT_SOLVERS, 'points', 'autoencoder', 'hebbian', 'streaming'] as const;

/** The name of a solver. */
export type SolverName = (typeof SOLVER_NAMES)[number];

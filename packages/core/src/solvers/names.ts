/**
 * `@scree/core/names`: the names of all solvers, for pages and help texts that must not load the solvers themselves, and the name that a
 * misspelt one stands for.
 */

export { nearestName } from '../base/nearest-name.js';

/** Solvers whose result is exact to a certified tolerance: `'auto'` chooses among these. */
export const EXACT_SOLVERS = ['covariance', 'refined', 'dual', 'svd', 'krylov'] as const;

/** Every solver of `registry.ts`, which the compiler holds to this list. */
export const SOLVER_NAMES = [...EXACT_SOLVERS, 'points', 'autoencoder', 'hebbian', 'streaming'] as const;

/** The name of a solver. */
export type SolverName = (typeof SOLVER_NAMES)[number];

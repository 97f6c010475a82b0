import { covariance } from './direct/covariance.js';
import { dual } from './direct/dual.js';
import { krylov } from './direct/krylov.js';
import { refined } from './direct/refined.js';
import { svd } from './direct/svd.js';
import { autoencoder, hebbian, points } from './learned/declarations.js';
import type { SolverName } from './names.js';
import { streaming } from './sketch/declaration.js';
import type { SolverDeclaration } from './solver.js';

/**
 * Every solver, by name. Options, the plan, help texts and the lab's list derive from what each declares; a new solver is
 * one file, one line here and its name in `names.ts`.
 */
export const SOLVERS: Readonly<Record<SolverName, SolverDeclaration>> = {
  covariance,
  refined,
  dual,
  svd,
  krylov,
  points,
  autoencoder,
  hebbian,
  streaming,
};

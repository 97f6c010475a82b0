import { covariance } from './covariance.js';
import { dual } from './dual.js';
import { krylov } from './krylov.js';
import { autoencoder, hebbian, points } from './learned.js';
import type { SolverName } from './names.js';
import { refined } from './refined.js';
import { streaming } from './sketch.js';
import type { SolverDeclaration } from './solver.js';
import { svd } from './svd.js';

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

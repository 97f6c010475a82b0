import { covariance } from './covariance.js';
import { dual } from './dual.js';
import { krylov } from './krylov.js';
import { autoencoder, hebbian, points } from './learned.js';
import { refined } from './refined.js';
import { streaming } from './sketch.js';
import type { SolverDeclaration } from './solver.js';
import { svd } from './svd.js';

/**
 * Every solver, by name. Options, the plan, help texts and the lab's list derive from what each declares; a new solver is
 * one file and one line here.
 */
const solvers = { covariance, refined, dual, svd, krylov, points, autoencoder, hebbian, streaming } as const;

export type SolverName = keyof typeof solvers;

export const SOLVERS: Readonly<Record<SolverName, SolverDeclaration>> = solvers;

export const SOLVER_NAMES = Object.keys(solvers) as readonly SolverName[];

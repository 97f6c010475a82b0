import { covarianceDeclaration } from './direct/covariance.js';
import { dualDeclaration } from './direct/dual.js';
import { krylovDeclaration } from './direct/krylov.js';
import { refinedDeclaration } from './direct/refined.js';
import { svdDeclaration } from './direct/svd.js';
import { autoencoderDeclaration, hebbianDeclaration, pointsDeclaration } from './learned/declarations.js';
import type { SolverName } from './names.js';
import { streamingDeclaration } from './sketch/declaration.js';
import type { SolverDeclaration } from './solver.js';

/**
 * Every solver, by name. Options, the plan, help texts and the lab's list derive from what each declares; a new solver is
 * one file, one line here and its name in `names.ts`.
 */
export const SOLVERS: Readonly<Record<SolverName, SolverDeclaration>> = {
  covariance: covarianceDeclaration,
  refined: refinedDeclaration,
  dual: dualDeclaration,
  svd: svdDeclaration,
  krylov: krylovDeclaration,
  points: pointsDeclaration,
  autoencoder: autoencoderDeclaration,
  hebbian: hebbianDeclaration,
  streaming: streamingDeclaration,
};

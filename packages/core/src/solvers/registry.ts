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
 * All solvers by name. Options, the plan, help texts and the solvers of the lab are derived from their declarations. A new solver
 * is one file, one line here and one name in `names.ts`.
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

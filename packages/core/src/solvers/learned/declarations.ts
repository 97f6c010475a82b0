import { WIDEST_SCATTER } from '../../base/limits.js';
import type { Solver, SolverDeclaration, SolverUse } from '../solver.js';

/** Declarations of the solvers that learn. Their code is loaded on demand: a page that uses only exact solvers does not load it. */

const ACCURACY: SolverDeclaration['accuracy'] = {
  limit: 'rounding',
  remedy: "Use solver: 'svd', or scale the columns",
};

export const pointsDeclaration: SolverDeclaration = {
  family: 'learned',
  method: 'gradient descent on the scores themselves',
  needs: () => 'rows',
  learn: {
    rules: ['factored', 'pairwise'],
    options: ['epochs', 'step', 'descent', 'momentum', 'exact', 'onEpoch'],
  },
  accuracy: ACCURACY,
  load: async (use): Promise<Solver> => (await import('./points.js')).pointsSolver(use),
};

export const autoencoderDeclaration: SolverDeclaration = {
  family: 'learned',
  method: 'a linear autoencoder, trained by gradient descent',
  // On the full batch, only the scatter of the rows is needed.
  needs: ({ cols, learn }: SolverUse) => (learn?.batch === undefined && cols <= WIDEST_SCATTER ? 'scatter' : 'rows'),
  learn: {
    options: ['epochs', 'step', 'decay', 'batch', 'alpha', 'descent', 'momentum', 'exact', 'onEpoch'],
  },
  accuracy: ACCURACY,
  load: async (use): Promise<Solver> =>
    (await import('./autoencoder.js')).autoencoderSolver(autoencoderDeclaration.needs(use), use),
};

export const hebbianDeclaration: SolverDeclaration = {
  family: 'learned',
  method: 'a Hebbian rule that learns from one row after the other',
  needs: ({ learn }: SolverUse) => (learn?.epochs === 1 ? 'once' : 'rows'),
  learn: {
    rules: ['subspace', 'sanger', 'oja'],
    options: ['epochs', 'step', 'decay', 'batch', 'exact', 'onEpoch'],
  },
  accuracy: ACCURACY,
  load: async (use): Promise<Solver> => (await import('./hebbian.js')).hebbianSolver(use),
};

import type { SolverDeclaration } from '../solver.js';

/** What the solver that keeps a sketch of the rows declares; its code is loaded when it is asked for. */
export const streaming: SolverDeclaration = {
  family: 'sketch',
  method: 'a sketch of the rows, kept while they were read once',
  needs: () => 'once',
  accuracy: { limit: 'sketch', remedy: 'Give the sketch a larger size' },
  load: async () => (await import('./streaming.js')).streaming,
};

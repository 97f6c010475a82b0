import type { SolverDeclaration } from '../solver.js';

/** The declaration of the solver that keeps a sketch of the rows. Its code is loaded on demand. */
export const streamingDeclaration: SolverDeclaration = {
  family: 'sketch',
  method: 'a sketch of the rows, kept while they were read once',
  needs: () => 'once',
  accuracy: { limit: 'sketch', remedy: 'Give the sketch a larger size' },
  load: async () => (await import('./streaming.js')).streamingSolver,
};

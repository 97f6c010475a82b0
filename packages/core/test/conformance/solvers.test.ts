import { describe, it } from 'vitest';
import { named, solverSetups } from './setups.js';
import { checkSolver, shapeNames, solverCases } from './solvers.js';

describe.each(named(solverSetups))('%s agrees with svd on the reference engine', (_, setup) => {
  describe.each(shapeNames)('%s', (shape) => {
    for (const one of solverCases.filter((one) => one.shape === shape)) it(one.name, () => checkSolver(setup, one));
  });
});

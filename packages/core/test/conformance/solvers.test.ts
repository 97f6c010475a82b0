import { describe, it } from 'vitest';
import { named, roads } from './roads.js';
import { checkSolver, shapeNames, solverCases } from './solvers.js';

describe.each(named(roads))('%s agrees with svd on the reference engine', (_, road) => {
  describe.each(shapeNames)('%s', (shape) => {
    for (const one of solverCases.filter((one) => one.shape === shape)) it(one.name, () => checkSolver(road, one));
  });
});

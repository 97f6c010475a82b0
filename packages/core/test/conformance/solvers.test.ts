import { describe, it } from 'vitest';
import { nameOf, roads } from './roads.js';
import { checkSolver, shapeNames, solverCases } from './solvers.js';

describe.each(roads.map((road) => ({ road, name: nameOf(road) })))(
  '$name agrees with svd on the reference engine',
  ({ road }) => {
    describe.each(shapeNames)('%s', (shape) => {
      const cases = solverCases.filter((one) => one.shape === shape);
      it.each(cases)('$name', (one) => checkSolver(road, one));
    });
  },
);

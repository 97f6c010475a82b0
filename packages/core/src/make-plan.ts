import { checkObject } from './base/control.js';
import { describeValue, OptionError } from './errors.js';
import { type Plan, type PlanRequest, planFor, type Shape } from './plan.js';
import { SOLVER_NAMES } from './solvers/names.js';

/**
 * The plan of a fit without the fit: the cheapest solver that fits into memory, with the reason and the estimated costs. `pca` makes
 * the same plan for data of this shape.
 */
export function makePlan(shape: Shape, request: PlanRequest): Plan {
  checkRequest(shape, request);
  return planFor(shape, request);
}

/** Throws unless the shape has a number of columns, and the request names a solver and an engine with rates. */
function checkRequest(shape: Shape, request: PlanRequest): void {
  checkObject(shape);
  checkObject(request);
  if (!(Number.isInteger(shape.cols) && shape.cols > 0)) {
    const { cols } = shape;
    throw new OptionError('BAD_OPTION', `cols is ${describeValue(cols)}; it must be a whole number from 1 up.`, {
      option: 'cols',
      value: cols,
    });
  }
  const { solver, engine } = request;
  if (typeof engine?.rates?.products !== 'number') {
    throw new OptionError(
      'BAD_OPTION',
      `engine is ${describeValue(engine)}; it must be an engine, such as await wasmEngine() or referenceEngine().`,
      { option: 'engine' },
    );
  }
  if (solver !== 'auto' && !SOLVER_NAMES.includes(solver)) {
    throw new OptionError(
      'BAD_OPTION',
      `solver is ${describeValue(solver)}; it must be auto or one of ${SOLVER_NAMES.join(', ')}.`,
      {
        option: 'solver',
        value: solver,
      },
    );
  }
}

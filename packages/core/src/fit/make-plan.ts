import { checkObject, checkOption } from '../base/control.js';
import { type Plan, type PlanRequest, planFor, type Shape } from '../plan.js';
import { SOLVER_NAMES } from '../solvers/names.js';

/**
 * The plan of a fit without the fit: the cheapest solver that fits into memory, with the reason and the estimated costs. `pca` makes
 * the same plan for data of this shape.
 */
export function makePlan(shape: Shape, request: PlanRequest): Plan {
  checkObject(shape);
  checkObject(request);
  checkOption('cols', shape.cols, { must: 'a whole number', test: (v) => Number.isInteger(v) && Number(v) > 0 });
  const { solver, engine } = request;
  checkOption('engine', engine, { must: 'an engine', test: () => engine?.rates !== undefined });
  checkOption('solver', solver, {
    must: `auto or one of ${SOLVER_NAMES}`,
    test: () => solver === 'auto' || SOLVER_NAMES.includes(solver),
  });
  return planFor(shape, request);
}

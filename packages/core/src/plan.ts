import { LARGEST_SQUARE, WIDEST_SCATTER } from './base/limits.js';
import { OptionError } from './errors.js';
import type { Plan } from './model/record.js';
import { CostModel, type EngineFacts, type Shape } from './solvers/cost-model.js';
import type { LearnOptions } from './solvers/learned/learn-options.js';
import { SOLVER_NAMES, type SolverName } from './solvers/names.js';
import { SOLVERS } from './solvers/registry.js';

export type { Plan } from './model/record.js';
export type { EngineFacts, Shape } from './solvers/cost-model.js';

/** The options of a fit that decide its plan, and its engine. */
export interface PlanRequest {
  readonly k?: number | 'all' | undefined;
  readonly solver: SolverName | 'auto';
  readonly engine: EngineFacts;
  /** Residual that iterative solvers must reach. Default: the precision of the data's type. */
  readonly tolerance?: number | undefined;
  /** Options of the solvers that learn. */
  readonly learn?: LearnOptions | undefined;
  /** Bytes that the matrices of a solver may take. */
  readonly memory?: number | undefined;
}

/** A shape whose number of rows is known. Do not copy it: `sample` is a getter that reads rows. */
export type KnownShape = Shape & { readonly rows: number };

/** The most accurate solver is chosen if it takes at most this many seconds, even if another one is faster. */
const NEGLIGIBLE_SECONDS = 0.5e-3;

/**
 * Chooses the cheapest solver that fits into memory. The function is pure: it uses the shape, the options, the rates of the
 * engine and the declarations of the solvers (`solvers/registry.ts`). `solvers/cost-model.ts` estimates the costs. The rates are
 * constants of the engine, so the choice depends neither on the machine nor on the number of threads.
 */
export function planFor(shape: Shape, request: PlanRequest): Plan {
  const { rows = Number.POSITIVE_INFINITY, cols, nonzeros, dtype, rereadable, momentsOnly, streaming } = shape;
  const { k, solver, engine, tolerance, learn, memory } = request;
  const whole = [rows, cols, nonzeros, dtype, rereadable, momentsOnly, streaming, k, solver, engine, tolerance, memory];
  if (learn === undefined && lastPlan && whole.every((part, i) => part === lastPlan?.whole[i])) return lastPlan.plan;
  const plan = choosePlan(shape, request);
  if (learn === undefined && rows * cols * cols < MOST_CACHED) lastPlan = { whole, plan };
  return plan;
}

/**
 * A cache of the last plan for small data, and the request that it was made for. Programs that fit many small tables often fit
 * many tables of one shape.
 */
let lastPlan: { readonly whole: readonly unknown[]; readonly plan: Plan } | undefined;
/** Largest n·d² of data whose plan is cached. The plan of such data does not use a sample of their rows. */
const MOST_CACHED = 1e7;

function choosePlan(shape: Shape, request: PlanRequest): Plan {
  const { cols: d, rows: n } = shape;
  const { solver, learn, memory = Number.POSITIVE_INFINITY } = request;
  const costs = Object.freeze(n === undefined ? {} : estimateCosts(shape as KnownShape, request));
  const plan = (solver: SolverName, reason: string): Plan => {
    const needs = SOLVERS[solver].needs({ cols: d, learn });
    const keepsRows = !shape.rereadable && !shape.momentsOnly && needs !== 'scatter' && needs !== 'once';
    const kept = ` The stream's rows are kept in memory, because ${solver} reads them more than once.`;
    const { name: engine } = request.engine;
    return Object.freeze({ solver, engine, keepsRows, reason: keepsRows ? reason + kept : reason, costs });
  };
  if (solver !== 'auto') {
    refuseTooLarge(solver, shape);
    return plan(solver, `The ${solver} solver was asked for.`);
  }
  const choosable = SOLVER_NAMES.filter((name) => SOLVERS[name].cost && canRun(name, request.engine));
  const fits = (name: SolverName): boolean => matrixBytes(name, shape) <= memory;
  const fromScatter = choosable.find((name) => SOLVERS[name].needs({ cols: d }) === 'scatter') as SolverName;
  if (shape.momentsOnly)
    return plan(fromScatter, `Only moments are known: ${fromScatter} is the solver that needs no rows.`);
  if (n === undefined) {
    if (d <= WIDEST_SCATTER && fits(fromScatter))
      return plan(fromScatter, `A stream of ${d} columns is summed up in one pass as its ${d}×${d} covariance.`);
    const withoutMatrix = choosable.find((name) => !SOLVERS[name].matrixSize) as SolverName;
    return plan(withoutMatrix, `A stream of ${d} columns is too wide for a ${d}×${d} covariance.`);
  }
  const cost = (name: SolverName): number => costs[name] ?? Number.POSITIVE_INFINITY;
  const precise = choosable.find((name) => SOLVERS[name].precise);
  if (precise && cost(precise) <= NEGLIGIBLE_SECONDS) {
    return plan(precise, smallReason(shape as KnownShape, precise));
  }
  const best = choosable.filter(fits).reduce((a, b) => (cost(b) < cost(a) ? b : a));
  return plan(best, SOLVERS[best].reason?.(shape as KnownShape) ?? '');
}

/**
 * The plan of a synchronous fit (`fit/fit-small.ts`): SVD, the most accurate solver, if its time is `negligible` or there are
 * fewer rows than columns. Otherwise covariance.
 */
export function planSmall(
  shape: KnownShape,
  request: Omit<PlanRequest, 'solver'>,
): { readonly plan: Plan; readonly negligible: boolean } {
  const work = new CostModel(shape, request);
  const cost = (name: SolverName): number => SOLVERS[name].cost?.(work) ?? Number.POSITIVE_INFINITY;
  const costs = Object.freeze({ covariance: cost('covariance'), svd: cost('svd') });
  const negligible = costs.svd <= NEGLIGIBLE_SECONDS;
  const solver = negligible || work.n < work.d ? 'svd' : 'covariance';
  const reason = negligible ? smallReason(shape, solver) : (SOLVERS[solver].reason?.(shape) ?? '');
  const plan = Object.freeze({ solver, engine: request.engine.name, keepsRows: false, reason, costs });
  return { plan, negligible };
}

function smallReason({ rows, cols }: KnownShape, solver: SolverName): string {
  return `${rows}×${cols} is small: ${solver.toUpperCase()}, the most accurate solver, takes less than a millisecond.`;
}

/**
 * Largest number of bytes that the square matrices of a solver take together: the sums, their copy for the eigenproblem, and two
 * of the engine.
 */
function matrixBytes(solver: SolverName, shape: Shape): number {
  return 4 * 8 * (SOLVERS[solver].matrixSize?.(shape) ?? 0) ** 2;
}

/** Rejects a square matrix that is too large for any machine before it is allocated. */
function refuseTooLarge(solver: SolverName, shape: Shape): void {
  const size = SOLVERS[solver].matrixSize?.(shape) ?? 0;
  if (size <= LARGEST_SQUARE || size === Number.POSITIVE_INFINITY) return;
  throw new OptionError(
    'TOO_LARGE',
    `${solver} needs a ${size}×${size} matrix, ${Math.round((size * size * 8) / 2 ** 30)} GB; ${LARGEST_SQUARE} is the most. Use solver: 'krylov', or 'auto'.`,
    { option: 'solver', value: size, expected: LARGEST_SQUARE },
  );
}

/**
 * Returns true if the solver can run on the engine. A cluster cannot run solvers that need the rows in this process, or products
 * of all pairs of rows.
 */
function canRun(solver: SolverName, { remote = false }: EngineFacts): boolean {
  return !remote || SOLVERS[solver].remote === true;
}

/** The estimated seconds of each solver that can fit these data. */
function estimateCosts(shape: KnownShape, request: PlanRequest): Partial<Record<SolverName, number>> {
  const work = new CostModel(shape, request);
  const costs: Partial<Record<SolverName, number>> = {};
  for (const name of SOLVER_NAMES) {
    const seconds = canRun(name, request.engine) ? SOLVERS[name].cost?.(work) : undefined;
    if (seconds !== undefined) costs[name] = seconds + work.upload;
  }
  return costs;
}

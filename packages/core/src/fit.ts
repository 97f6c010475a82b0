import { checkChoices } from './bootstrap-options.js';
import type { PlannedEngine } from './choose-engine.js';
import type { RowSource } from './data/open-source.js';
import type { Engine } from './engines/engine.js';
import { remoteRows } from './engines/remote.js';
import { ConvergenceError } from './errors.js';
import { andThen, Lazy, type MaybePromise, settle, type Waiting, wait } from './maybe-promise.js';
import type { Choice } from './model/choice.js';
import { finish, firstComponents } from './model/finish.js';
import { loadDataWarnings } from './model/load-data-warnings.js';
import { Model } from './model/model.js';
import { firstOf, type Stability } from './model/stability.js';
import { Moments } from './moments.js';
import { checkColumnOptions, type Settings } from './options.js';
import { makePlan, type Plan, type Shape } from './plan.js';
import { axesWithoutVariance, makeProblem } from './problem.js';
import type { ProgressTracker } from './progress.js';
import { type PreparedData, readBoth, readMoments, readOnce, readRows, rereadable } from './reading.js';
import { SOLVERS } from './solvers/registry.js';
import type { Solution, Solver } from './solvers/solver.js';
import type { Warning } from './warning.js';

/** A model, and those of its first components, each with a certificate and warnings of its own: from one fit. */
export interface NestedModels {
  readonly model: Model;
  /** The model of the first k components, for any k up to that of `model`. */
  first(k: number): Model;
}

/** Where criteria chose k: their choice, and the source that was read for it, where moments are all that is left of it. */
interface Chosen {
  readonly choice?: Choice;
  readonly opened?: RowSource | Moments;
}

/** Plans, reads, solves and finishes: the pipeline of `pca`, for data that were opened and options that were checked. */
export function fit(
  given: RowSource | Moments,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
  chosen: Chosen = {},
): MaybePromise<NestedModels> {
  return settle(planAndSolve(given, settings, engines, progress, chosen));
}

function* planAndSolve(
  given: RowSource | Moments,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
  { choice, opened = given }: Chosen,
): Waiting<NestedModels> {
  checkColumnOptions(settings, given.cols);
  // Replicates are drawn from the rows once more after the fit.
  const draws = settings.bootstrap && !(given instanceof Moments);
  const source = draws ? yield* wait(rereadable(given, progress)) : given;
  const { plan, engine } = yield* choosePlan(source instanceof Moments ? shapeOf(source) : source, settings, engines);
  const solver = yield* wait(SOLVERS[plan.solver].load({ cols: source.cols, learn: settings.learn }));
  const reading = yield* readFor(solver, source, settings, engine, progress);
  try {
    const { problem, framing, facts: found } = makeProblem(reading, settings, engine, plan, progress, solver.tolerance);
    const solution =
      framing.scatterTrace > 0 ? yield* wait(reading.solve(problem, framing)) : axesWithoutVariance(problem);
    const warning = yield* wait(loadDataWarnings(found, solution.values, reading.columns));
    const facts = { ...found, ...warning, ...(choice ? { choice } : {}) };
    const sampled = solution.converged && stabilityFor(source, settings, reading, solution.k, engine, progress);
    const stability = sampled ? yield* wait(sampled) : undefined;
    const matrix = mayBeCorrelations(opened, reading) ? yield* warnOfCorrelations(opened) : [];
    const known = [...(yield* wait(warningsOf(opened, engine))), ...matrix];
    const warnings = settings.lookAtColumns
      ? [...known, ...(yield* wait(columnWarnings(opened, reading, settings)))]
      : known;
    const model = withStability(finish(solution, facts, warnings), stability);
    if (!solution.converged) throw notConverged(model, solution, plan, problem.tolerance);
    const first = (k: number): Model =>
      k === model.k ? model : withStability(finish(firstComponents(solution, k, facts), facts, warnings), stability);
    return { model, first };
  } finally {
    reading.release();
  }
}

/** The error that carries a model whose solver stopped too early. */
function notConverged(model: Model, { failure, passes }: Solution, plan: Plan, tolerance: number): ConvergenceError {
  if (failure) return new ConvergenceError(failure.message, model, failure.details, failure.code);
  const worst = Math.max(...model.certificate.residuals);
  return new ConvergenceError(
    `${plan.solver} stopped after ${passes} passes at a residual of ${worst.toExponential(1)}, above the tolerance ${tolerance}. Use a larger tolerance or another solver; the error's \`best\` is the model so far.`,
    model,
    { value: worst, expected: tolerance },
  );
}

/** The bootstrap that was asked for, of the rows that were fitted. */
function stabilityFor(
  source: RowSource | Moments,
  settings: Settings,
  { columns }: PreparedData,
  k: number,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Stability | undefined> | undefined {
  const chosen = checkChoices(settings.bootstrap, settings.seed);
  if (!chosen || source instanceof Moments) return undefined;
  const { center, scale, columnWeights, ddof, weights } = settings;
  const read = weights?.length ?? columns.rows;
  const sample = { source, read, columns, weights, center, scale, columnWeights, ddof, k };
  return import('./analysis/bootstrap/stability.js').then(({ stabilityOf }) =>
    stabilityOf(sample, chosen, engine, progress),
  );
}

function withStability(model: Model, stability: Stability | undefined): Model {
  return stability ? new Model({ ...model, stability: firstOf(stability, model.k, model.d) }) : model;
}

/** Warnings of the source and the engine, collected after the last row was read. */
function warningsOf(source: RowSource | Moments, engine: Engine): MaybePromise<readonly Warning[]> {
  const read = source instanceof Moments ? [] : source.warnings?.();
  return andThen(read, (warnings = []) => [...warnings, ...(engine.warnings ?? [])]);
}

/** Code that looks for a correlation matrix among the data. Hardly any data need it. */
export const correlationMatrix = new Lazy(() => import('./data/correlation-matrix.js'));

/** Whether there are as many rows as columns, and the largest number of every column is 1: so it is in a correlation matrix. Streams look themselves. */
function mayBeCorrelations(opened: RowSource | Moments, { cols, columns }: PreparedData): opened is RowSource {
  if (columns.rows !== cols || opened instanceof Moments || !opened.rereadable) return false;
  return columns.max.every((most) => Math.abs(most - 1) < 1e-5);
}

function* warnOfCorrelations(opened: RowSource): Waiting<readonly Warning[]> {
  const { correlationWarnings } = yield* wait(correlationMatrix.get());
  return yield* wait(correlationWarnings(opened));
}

/** What the columns tell: the values that were seen while rows were read, and the statistics of the fit. */
async function columnWarnings(
  opened: RowSource | Moments,
  { columns }: PreparedData,
  settings: Settings,
): Promise<readonly Warning[]> {
  if (!(opened instanceof Moments)) return (await opened.columnWarnings?.(columns)) ?? [];
  const { momentsWarnings } = await import('./analysis/watch-columns.js');
  return momentsWarnings(opened, settings);
}

/**
 * The plan of every engine, and of these the one that takes the least time on this machine. The engine's plan is the same on every
 * machine; which engine is the fastest depends on its cores and libraries, but not on how busy it is or how many threads are allowed.
 */
function* choosePlan(
  shape: Shape | RowSource,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
): Waiting<PlannedEngine> {
  const { k, solver, tolerance, learn, memory } = settings;
  const request = { k, solver, tolerance, learn, memory, engine: engines[0] };
  const remote = 'blocks' in shape ? remoteRows(shape) : undefined;
  if (!remote && engines.length === 1) return { engine: engines[0], plan: makePlan(shape, request) };
  const { candidate, cheapest, chooseWhere } = yield* wait(import('./choose-engine.js'));
  if (remote) return chooseWhere(shape, remote.streaming, request, engines);
  return cheapest(engines.map((engine) => candidate(shape, { ...request, engine })));
}

function readFor(
  solver: Solver,
  source: RowSource | Moments,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
): Waiting<PreparedData> {
  if (solver.needs === 'scatter') return readMoments(source, settings, engine, progress, solver);
  if (solver.needs === 'rows') return readRows(source, settings, engine, progress, solver);
  if (solver.needs === 'once') return readOnce(source, settings, engine, progress, solver);
  return readBoth(source, settings, engine, progress, solver);
}

function shapeOf(moments: Moments): Shape {
  return { rows: moments.rows, cols: moments.cols, rereadable: false, momentsOnly: true };
}

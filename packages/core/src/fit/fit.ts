import type { ProgressTracker } from '../base/progress.js';
import type { RowSource } from '../data/blocks/row-source.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { Engine } from '../engines/engine.js';
import { rowsOnCluster } from '../engines/remote.js';
import { ConvergenceError } from '../errors.js';
import { type NestedModels, nested } from '../model/finish.js';
import { loadDataWarnings } from '../model/load-data-warnings.js';
import { Model } from '../model/model.js';
import { checkColumnOptions, plannedCount, type Settings } from '../options.js';
import { type Plan, planFor, type Shape } from '../plan.js';
import { checkLearn } from '../solvers/check-learn.js';
import { SOLVERS } from '../solvers/registry.js';
import type { Solution, Solver } from '../solvers/solver.js';
import type { Warning } from '../warning.js';
import type { PlannedEngine } from './choose-engine.js';
import { loadOrientation } from './load-orientation.js';
import { MomentSums } from './moment-sums.js';
import { axesWithoutVariance, makeProblem } from './problem.js';
import { type PreparedData, prepareOneReading, prepareRows, prepareScatter, prepareScatterAndRows } from './reading.js';

/** The models of a fit, with the column statistics and the engine for further computations on the same rows. */
export interface FitResult extends NestedModels {
  /** Statistics of the fitted columns. */
  readonly columns: Readonly<ColumnStatistics>;
  readonly engine: Engine;
}

/** The pipeline of `pca` for an opened source and checked options: plans, reads, solves and finishes. */
export async function fit(
  data: RowSource | MomentSums,
  given: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
): Promise<FitResult> {
  const expected = data instanceof MomentSums ? undefined : (data.expected as MomentSums | undefined);
  // Weights are part of moments.
  if (expected) return fitExpected(expected, data as RowSource, { ...given, weights: undefined }, engines, progress);
  const source = data;
  checkLearn({ ...given, k: typeof given.k === 'object' ? undefined : given.k });
  // Oja's rule has one neuron.
  const settings = given.learn?.rule === 'oja' ? { ...given, k: 1 } : given;
  checkColumnOptions(settings, source.cols);
  const { plan, engine } = await choosePlan(source instanceof MomentSums ? shapeOf(source) : source, settings, engines);
  const oriented = await loadOrientation(settings, source.cols);
  const solver = await SOLVERS[plan.solver].load({ cols: source.cols, learn: settings.learn });
  const reading = await readFor(solver, source, settings, engine, progress);
  try {
    const { problem, scaler, facts: found } = makeProblem(reading, settings, engine, plan, progress, solver.tolerance);
    const solution = scaler.scatterTrace > 0 ? await reading.solve(problem, scaler) : axesWithoutVariance(problem);
    const facts = { ...found, ...oriented, ...(await loadDataWarnings(found, solution.values, reading.columns)) };
    const matrix = mayBeCorrelations(source, reading) ? await correlationWarnings(source) : [];
    const warnings = [...(await warningsOf(source, engine)), ...matrix];
    const { model, first } = nested(solution, facts, warnings);
    if (!solution.converged) throw notConverged(model, solution, plan, problem.tolerance);
    return { model, first, columns: reading.columns, engine };
  } finally {
    reading.release();
  }
}

/** The fit of the expected moments of rows, with the warnings of the rows. */
async function fitExpected(
  moments: MomentSums,
  rows: RowSource,
  settings: Settings,
  engines: Parameters<typeof fit>[2],
  progress: ProgressTracker,
): Promise<FitResult> {
  const { model, first, ...facts } = await fit(moments, settings, engines, progress);
  const warnings = (await rows.warnings?.()) ?? [];
  const withWarnings = (found: Model): Model => new Model({ ...found, warnings: [...warnings, ...found.warnings] });
  return { ...facts, model: withWarnings(model), first: (k) => withWarnings(first(k)) };
}

/** The error of a solver that stopped before it converged. It contains the model so far. */
function notConverged(model: Model, { failure, passes }: Solution, plan: Plan, tolerance: number): ConvergenceError {
  if (failure) return new ConvergenceError(failure.message, model, failure.details, failure.code);
  const worst = Math.max(...model.certificate.residuals);
  return new ConvergenceError(
    `${plan.solver} stopped after ${passes} passes at a residual of ${worst.toExponential(1)}, above the tolerance ${tolerance}. Use a larger tolerance or another solver; the error's \`best\` is the model so far.`,
    model,
    { value: worst, expected: tolerance },
  );
}

/** Warnings of the source and the engine. Call it after the last row was read. */
async function warningsOf(source: RowSource | MomentSums, engine: Engine): Promise<readonly Warning[]> {
  const read = source instanceof MomentSums ? [] : ((await source.warnings?.()) ?? []);
  return [...read, ...(engine.warnings ?? [])];
}

/**
 * Returns true if there are as many rows as columns and the largest number of every column is 1, as in a correlation matrix.
 * Streams check this while they are read.
 */
function mayBeCorrelations(source: RowSource | MomentSums, { cols, columns }: PreparedData): source is RowSource {
  if (columns.rows !== cols || source instanceof MomentSums || !source.rereadable) return false;
  return columns.max.every((most) => Math.abs(most - 1) < 1e-5);
}

/** Loads the check for a correlation matrix, because few data need it. */
async function correlationWarnings(source: RowSource): Promise<readonly Warning[]> {
  return (await import('../data/statistics/correlation-matrix.js')).correlationWarnings(source);
}

/**
 * Makes a plan for every engine, and chooses the engine that is fastest on this machine. The plan of an engine is the same on
 * every machine. The choice of the engine depends on the cores and libraries of the machine, but neither on its load nor on the
 * option `threads`.
 */
async function choosePlan(
  shape: Shape | RowSource,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
): Promise<PlannedEngine> {
  const { k, solver, tolerance, learn, memory } = settings;
  const request = { k: plannedCount(k), solver, tolerance, learn, memory, engine: engines[0] };
  const remote = 'blocks' in shape ? rowsOnCluster(shape) : undefined;
  if (!remote && engines.length === 1) return { engine: engines[0], plan: planFor(shape, request) };
  const { candidate, cheapest, chooseWhere } = await import('./choose-engine.js');
  if (remote) return chooseWhere(shape, remote.streaming, request, engines);
  return cheapest(engines.map((engine) => candidate(shape, { ...request, engine })));
}

function readFor(
  solver: Solver,
  source: RowSource | MomentSums,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
): Promise<PreparedData> {
  if (solver.needs === 'scatter') return prepareScatter(source, settings, engine, progress, solver);
  if (solver.needs === 'rows') return prepareRows(source, settings, engine, progress, solver);
  if (solver.needs === 'once') return prepareOneReading(source, settings, engine, progress, solver);
  return prepareScatterAndRows(source, settings, engine, progress, solver);
}

function shapeOf(moments: MomentSums): Shape {
  return { rows: moments.rows, cols: moments.cols, rereadable: false, momentsOnly: true };
}

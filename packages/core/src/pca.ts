import { checkChoices } from './analysis/bootstrap/choices.js';
import { changeOf } from './data/changes.js';
import { type Data, openSource, type RowSource } from './data/open-source.js';
import { availableEngines } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { measureRates } from './engines/rates.js';
import { addressSpaceLeft } from './engines/wasm/address-space.js';
import { ConvergenceError, DataError, OptionError, ScreeError } from './errors.js';
import { keepAlive } from './keep-alive.js';
import { finish, firstComponents } from './model/finish.js';
import { Model } from './model/model.js';
import { firstOf, type Stability } from './model/stability.js';
import { Moments } from './moments.js';
import { checkOptions, checkWidth, type PcaOptions, type Settings } from './options.js';
import { makePlan, type Plan, type Shape } from './plan.js';
import { axesWithoutVariance, makeProblem } from './problem.js';
import { ProgressTracker } from './progress.js';
import { type Reading, readBoth, readMoments, readOnce, readRows, rereadable } from './reading.js';
import { SOLVERS } from './solvers/registry.js';
import type { Solution, Solver } from './solvers/solver.js';
import type { Warning } from './warning.js';

/**
 * Principal component analysis: the k directions of most variance, each with a certificate of how far from exact it
 * can be, and a statement whether the data determine it.
 *
 * The pipeline: data become a source, the plan chooses a solver, the rows are read as that solver needs them, the
 * solver finds the subspace, `finish` makes the model.
 */
export async function pca(data: Data | Moments, options: PcaOptions = {}): Promise<Model> {
  return (await nestedModels(data, options)).model;
}

/** A model, and those of its first components, each with a certificate and warnings of its own: from one fit. */
export interface NestedModels {
  readonly model: Model;
  /** The model of the first k components, for any k up to that of `model`. */
  first(k: number): Model;
}

/** `pca` for several k at once, for example for a page with a slider for k. */
export function nestedModels(data: Data | Moments, options: PcaOptions = {}): Promise<NestedModels> {
  return keepAlive(() => analyse(data, options));
}

async function analyse(data: Data | Moments, options: PcaOptions): Promise<NestedModels> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings);
  if (data instanceof Moments) {
    refuseForMoments(settings, data.cols);
    return fit(data, settings, await availableEngines(settings, data.cols ** 2), progress);
  }
  let source: RowSource | undefined;
  try {
    source = await openSource(data, progress, settings.columnNames);
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    return await fit(source, settings, await availableEngines(settings, numbers), progress);
  } catch (error) {
    await refuseFailedByChange(source, error);
    // Typed arrays and WebAssembly have different messages for a lack of memory.
    if (!(error instanceof RangeError && /alloc|array length|unable to grow/i.test(error.message))) throw error;
    const limited = Number.isFinite(addressSpaceLeft());
    const remedy = limited
      ? "The address space of this process is limited (ulimit -v): raise the limit, or use engine: 'reference', which needs less of it"
      : 'Use fewer columns or rows, or a smaller k';
    throw new DataError('TOO_LARGE', `This fit needs more memory than there is (${error.message}). ${remedy}.`, {
      reason: 'memory',
    });
  } finally {
    await source?.close?.();
  }
}

async function fit(
  opened: RowSource | Moments,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
): Promise<NestedModels> {
  checkWidth(settings, opened.cols);
  // Replicates are drawn from the rows once more after the fit.
  const draws = settings.bootstrap && !(opened instanceof Moments);
  const source = draws ? await rereadable(opened, progress) : opened;
  const { plan, engine } = await choosePlan(source instanceof Moments ? shapeOf(source) : source, settings, engines);
  const solver = await SOLVERS[plan.solver].load({ cols: source.cols, learn: settings.learn });
  const reading = await readFor(solver, source, settings, engine, progress);
  try {
    const { problem, framing, facts } = makeProblem(reading, settings, engine, plan, progress, solver.tolerance);
    const solution = framing.trace > 0 ? await reading.solve(problem, framing) : axesWithoutVariance(problem);
    const sampled = solution.converged && stabilityFor(source, settings, reading, solution.k, engine, progress);
    const stability = (await sampled) || undefined;
    const warnings = await warningsOf(opened, engine);
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
async function stabilityFor(
  source: RowSource | Moments,
  settings: Settings,
  { columns }: Reading,
  k: number,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Stability | undefined> {
  const chosen = checkChoices(settings.bootstrap, settings.seed);
  if (!chosen || source instanceof Moments) return undefined;
  const { stabilityOf } = await import('./analysis/bootstrap/stability.js');
  const { center, scale, ddof, weights } = settings;
  const read = weights?.length ?? columns.rows;
  return stabilityOf({ source, read, columns, weights, center, scale, ddof, k }, chosen, engine, progress);
}

function withStability(model: Model, stability: Stability | undefined): Model {
  return stability ? new Model({ ...model, stability: firstOf(stability, model.k, model.d) }) : model;
}

/** If the data changed during a fit that failed, that is the likely cause, so the error names it. */
async function refuseFailedByChange(source: RowSource | undefined, error: unknown): Promise<void> {
  if (!source || !(error instanceof ScreeError) || error instanceof OptionError) return;
  const changed = await changeOf(source);
  if (changed) throw new DataError('SOURCE_CHANGED', `${changed.message} The fit failed: ${error.message}`);
}

/** Warnings of the source and the engine, collected after the last row was read. */
async function warningsOf(source: RowSource | Moments, engine: Engine): Promise<readonly Warning[]> {
  const read = source instanceof Moments ? [] : ((await source.warnings?.()) ?? []);
  return [...read, ...(engine.warnings ?? [])];
}

/** Estimated seconds from which measuring the speed of this machine first pays off. */
const WORTH_MEASURING = 2;

interface Choice {
  readonly plan: Plan;
  readonly engine: Engine;
}

/** The cheapest plan of all engines, by the rates that they declare; for long work, by rates measured on this machine. */
async function choosePlan(shape: Shape, settings: Settings, engines: readonly [Engine, ...Engine[]]): Promise<Choice> {
  const { k, solver, tolerance, learn, memory } = settings;
  const request = { k, solver, tolerance, learn, memory };
  const declared = engines.map((engine) => ({ engine, plan: makePlan(shape, { ...request, engine }) }));
  const choice = cheapest(declared);
  const settled = solver !== 'auto' && engines.length === 1;
  if (settled || !(costOf(choice) > WORTH_MEASURING)) return choice;
  const measured: Choice[] = [];
  for (const engine of engines) {
    const { name, skipsZeros } = engine;
    const float32 = engine.float32 && { rates: await measureRates(engine.float32) };
    const facts = { name, skipsZeros, rates: await measureRates(engine), float32 };
    measured.push({ engine, plan: makePlan(shape, { ...request, engine: facts }) });
  }
  return cheapest(measured);
}

/** The cheapest, or the first of equally cheap ones. */
function cheapest(choices: readonly Choice[]): Choice {
  return choices.reduce((best, other) => (costOf(other) < costOf(best) ? other : best));
}

function costOf({ plan }: Choice): number {
  return plan.costs[plan.solver] ?? 0;
}

function readFor(
  solver: Solver,
  source: RowSource | Moments,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Reading> {
  if (solver.needs === 'scatter') return readMoments(source, settings, engine, progress, solver);
  if (solver.needs === 'rows') return readRows(source, settings, engine, progress, solver);
  if (solver.needs === 'once') return readOnce(source, settings, engine, progress, solver);
  return readBoth(source, settings, engine, progress, solver);
}

function shapeOf(moments: Moments): Shape {
  return { rows: moments.rows, cols: moments.cols, rereadable: false, momentsOnly: true };
}

/** Moments contain no rows: options that concern rows are rejected. */
function refuseForMoments({ solver, learn, weights, bootstrap }: Settings, cols: number): void {
  const needsRows = (learn: Settings['learn']): boolean =>
    solver !== 'auto' && SOLVERS[solver].needs({ cols, learn }) !== 'scatter';
  const { batch, ...fullBatch } = learn ?? {};
  const batches = batch !== undefined && needsRows(learn) && !needsRows(fullBatch);
  const drawn = bootstrap !== undefined && bootstrap !== 0;
  const option =
    weights !== undefined
      ? 'weights'
      : drawn
        ? 'bootstrap'
        : batches
          ? 'learn.batch'
          : needsRows(learn)
            ? 'solver'
            : undefined;
  if (option === undefined) return;
  const remedy = {
    weights: 'Give weights when you add rows',
    bootstrap: 'Leave it out',
    'learn.batch': 'Leave it out',
    solver: "Leave solver at 'auto' or 'covariance'",
  }[option];
  throw new OptionError(
    'BAD_OPTION',
    `${option} cannot be chosen for moments: their rows are gone. ${remedy}, or pass the rows themselves.`,
    { option },
  );
}

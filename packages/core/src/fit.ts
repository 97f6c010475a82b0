import type { RowSource } from './data/open-source.js';
import type { Engine } from './engines/engine.js';
import { measureRates } from './engines/rates.js';
import { ConvergenceError } from './errors.js';
import type { Choice } from './model/choice.js';
import { finish, firstComponents } from './model/finish.js';
import type { Model } from './model/model.js';
import { Moments } from './moments.js';
import { checkWidth, type Settings } from './options.js';
import { makePlan, type Plan, type Shape } from './plan.js';
import { axesWithoutVariance, makeProblem } from './problem.js';
import type { ProgressTracker } from './progress.js';
import { type Reading, readBoth, readMoments, readOnce, readRows } from './reading.js';
import { SOLVERS } from './solvers/registry.js';
import type { Solver } from './solvers/solver.js';
import type { Warning } from './warning.js';

/** A model, and those of its first components, each with a certificate and warnings of its own: from one fit. */
export interface NestedModels {
  readonly model: Model;
  /** The model of the first k components, for any k up to that of `model`. */
  first(k: number): Model;
}

/** Plans, reads, solves and finishes: the pipeline of `pca`, for data that were opened and options that were checked. */
export async function fit(
  source: RowSource | Moments,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
  choice?: Choice,
): Promise<NestedModels> {
  checkWidth(settings, source.cols);
  const { plan, engine } = await choosePlan(source instanceof Moments ? shapeOf(source) : source, settings, engines);
  const solver = await SOLVERS[plan.solver].load({ cols: source.cols, learn: settings.learn });
  const reading = await readFor(solver, source, settings, engine, progress);
  try {
    const { problem, framing, facts: known } = makeProblem(reading, settings, engine, plan, progress, solver.tolerance);
    const facts = choice ? { ...known, choice } : known;
    const solution = framing.trace > 0 ? await reading.solve(problem, framing) : axesWithoutVariance(problem);
    const warnings = await warningsOf(source, engine);
    const model = finish(solution, facts, warnings);
    const first = (k: number): Model =>
      k === model.k ? model : finish(firstComponents(solution, k, facts), facts, warnings);
    if (solution.converged) return { model, first };
    if (solution.failure) {
      const { message, details, code } = solution.failure;
      throw new ConvergenceError(message, model, details, code);
    }
    const worst = Math.max(...model.certificate.residuals);
    throw new ConvergenceError(
      `${plan.solver} stopped after ${solution.passes} passes at a residual of ${worst.toExponential(1)}, above the tolerance ${problem.tolerance}. Use a larger tolerance or another solver; the error's \`best\` is the model so far.`,
      model,
      { value: worst, expected: problem.tolerance },
    );
  } finally {
    reading.release();
  }
}

/** Warnings of the source and the engine, collected after the last row was read. */
async function warningsOf(source: RowSource | Moments, engine: Engine): Promise<readonly Warning[]> {
  const read = source instanceof Moments ? [] : ((await source.warnings?.()) ?? []);
  return [...read, ...(engine.warnings ?? [])];
}

/** Estimated seconds from which measuring the speed of this machine first pays off. */
const WORTH_MEASURING = 2;

interface PlannedEngine {
  readonly plan: Plan;
  readonly engine: Engine;
}

/** The cheapest plan of all engines, by the rates that they declare; for long work, by rates measured on this machine. */
async function choosePlan(
  shape: Shape,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
): Promise<PlannedEngine> {
  const { k, solver, tolerance, learn, memory } = settings;
  const request = { k, solver, tolerance, learn, memory };
  const declared = engines.map((engine) => ({ engine, plan: makePlan(shape, { ...request, engine }) }));
  const choice = cheapest(declared);
  const settled = solver !== 'auto' && engines.length === 1;
  if (settled || !(costOf(choice) > WORTH_MEASURING)) return choice;
  const measured: PlannedEngine[] = [];
  for (const engine of engines) {
    const { name, skipsZeros } = engine;
    const float32 = engine.float32 && { rates: await measureRates(engine.float32) };
    const facts = { name, skipsZeros, rates: await measureRates(engine), float32 };
    measured.push({ engine, plan: makePlan(shape, { ...request, engine: facts }) });
  }
  return cheapest(measured);
}

/** The cheapest, or the first of equally cheap ones. */
function cheapest(choices: readonly PlannedEngine[]): PlannedEngine {
  return choices.reduce((best, other) => (costOf(other) < costOf(best) ? other : best));
}

function costOf({ plan }: PlannedEngine): number {
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

import { Moments } from './data/moments.js';
import { type Data, openSource, type RowSource } from './data/rows.js';
import { chooseEngine } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { ConvergenceError, DataError, OptionError } from './errors.js';
import { finish } from './model/finish.js';
import type { Model } from './model/model.js';
import { checkOptions, checkWidth, type PcaOptions, type Settings } from './options.js';
import { Pace } from './pace.js';
import { makePlan, type Shape } from './plan.js';
import { anyAxes, pose } from './problem.js';
import { readMoments, readRows } from './reading.js';
import { solvers } from './solvers/index.js';

/**
 * Principal component analysis: the k directions of most variance, each with a certificate of how far from exact it
 * can be, and a word on whether the data determine it at all.
 *
 * The one road: data become a source, the plan chooses a solver, the rows are read as that solver needs them, the
 * solver finds the subspace, `finish` makes the model.
 */
export async function pca(data: Data | Moments, options: PcaOptions = {}): Promise<Model> {
  const settings = checkOptions(options);
  const pace = new Pace(settings);
  if (data instanceof Moments) {
    refuseForMoments(settings);
    return fit(data, settings, await chooseEngine(settings.engine, data.cols ** 2), pace);
  }
  let source: RowSource | undefined;
  try {
    source = await openSource(data, pace, settings.columnNames);
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    return await fit(source, settings, await chooseEngine(settings.engine, numbers), pace);
  } catch (error) {
    // Typed arrays and WebAssembly say that memory is short each in its own words.
    if (!(error instanceof RangeError && /alloc|array length|unable to grow/i.test(error.message))) throw error;
    throw new DataError(
      'TOO_LARGE',
      `This fit needs more memory than there is (${error.message}). Use fewer columns or rows, or a smaller k.`,
    );
  } finally {
    await source?.close?.();
  }
}

async function fit(source: RowSource | Moments, settings: Settings, engine: Engine, pace: Pace): Promise<Model> {
  checkWidth(settings, source.cols);
  const plan = makePlan(source instanceof Moments ? shapeOf(source) : source, {
    k: settings.k,
    solver: settings.solver,
    engine,
  });
  const solver = solvers[plan.solver];
  const reading =
    solver.needs === 'scatter'
      ? await readMoments(source, settings, engine, pace, solver)
      : await readRows(source, settings, engine, pace, solver);
  try {
    const { problem, framing, facts } = pose(reading, settings, engine, plan, pace);
    const solution = framing.trace > 0 ? await reading.solve(problem, framing) : anyAxes(problem);
    const model = finish(solution, facts);
    if (solution.converged) return model;
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

function shapeOf(moments: Moments): Shape {
  return { rows: moments.rows, cols: moments.cols, rewindable: false, momentsOnly: true };
}

/** Moments have no rows any more: what concerns rows cannot be asked of them. */
function refuseForMoments(settings: Settings): void {
  const needsRows = settings.solver !== 'auto' && solvers[settings.solver].needs === 'rows';
  const option = settings.weights !== undefined ? 'weights' : needsRows ? 'solver' : undefined;
  if (option === undefined) return;
  throw new OptionError(
    'BAD_OPTION',
    `${option} cannot be chosen for moments: their rows are gone. ${option === 'weights' ? 'Give weights when you add rows' : "Leave solver at 'auto' or 'covariance'"}, or pass the rows themselves.`,
    { option },
  );
}

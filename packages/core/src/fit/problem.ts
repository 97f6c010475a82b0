import { DEFAULT_TOLERANCE } from '../base/limits.js';
import type { ProgressTracker } from '../base/progress.js';
import { chooseScaler, columnScales, type FitScaler } from '../data/statistics/scaling.js';
import { meanBound, scaledSquares, sumBound, wholeMeanBound } from '../data/statistics/statistics.js';
import type { Engine } from '../engines/engine.js';
import { DataError, OptionError } from '../errors.js';
import type { FitFacts } from '../model/finish.js';
import { checkCount, type Settings } from '../options.js';
import type { Plan } from '../plan.js';
import type { Problem, Solution } from '../solvers/solver.js';
import type { PreparedData } from './reading.js';

/** Unit roundoff of the types in which data are stored, and the distance between their smallest numbers. */
const ROUNDOFF = { float32: 2 ** -24, float64: 2 ** -53 } as const;
const LEAST_STEP = { float32: 2 ** -149, float64: 2 ** -1074 } as const;

/** The result of a reading: column statistics, and how they were summed. */
type Columns = Omit<PreparedData, 'solve' | 'release'>;

export interface PreparedProblem {
  readonly problem: Problem;
  readonly scaler: FitScaler;
  readonly facts: FitFacts;
}

/** Makes the problem that the solver gets, and the facts that `finish` needs. `usual` is the default tolerance. */
export function makeProblem(
  reading: Columns,
  settings: Settings,
  engine: Engine,
  plan: Plan,
  progress: ProgressTracker,
  usual: number = DEFAULT_TOLERANCE[reading.dtype],
): PreparedProblem {
  const { columns, cols: d } = reading;
  const { center, ddof } = settings;
  const divisor = columns.weight - ddof;
  checkRows(columns.rows, columns.weight, settings);
  const rankLimit = Math.min(d, columns.rows - (center ? 1 : 0));
  const wanted = checkCount(settings.k, columns.rows, d, rankLimit);
  const scales = columnScales(columns, settings.scale, divisor, center, settings.columnWeights);
  const scaling = settings.scaling ? { ...scales, rule: settings.scaling } : scales;
  const scaler = chooseScaler(columns, scaling.scale, center);
  const scaled = settings.scale === 'unit' || settings.scale === 'pareto';
  const scalingError = (center ? meanError(reading, scaler) : 0) + (scaled ? scaleError(reading, scaler) : 0);
  const roundoff = passError(reading, scaler, engine, center) + scalingError;
  const problem: Problem = {
    d,
    rankLimit,
    wanted,
    scatterTrace: scaler.scatterTrace,
    roundoff,
    scalingError,
    tolerance: settings.tolerance ?? usual,
    learn: settings.learn ?? {},
    unit: scaler.unit,
    centred: center && settings.weights === undefined,
    seed: settings.seed,
    startSeed: settings.seed,
    engine,
    progress,
  };
  const facts: FitFacts = {
    d,
    rows: columns.rows,
    weight: columns.weight,
    ddof,
    centered: center,
    mean: scaler.shift,
    scaling,
    columnWeights: settings.columnWeights && Float64Array.from(settings.columnWeights),
    columnEnergies: columnEnergies(reading, scaler, center),
    whiten: settings.whiten,
    columnNames: reading.columnNames,
    dtype: reading.dtype,
    unit: scaler.unit,
    scatterTrace: scaler.scatterTrace,
    roundoff,
    scalingError,
    noise: lastDigits(reading, scaler),
    plan,
    coding: settings.coding,
  };
  return { problem, scaler, facts };
}

/** The solution for data without variance: any axes are valid, so it takes those of the first k columns. */
export function axesWithoutVariance({ d, wanted }: Problem): Solution {
  const k = 'count' in wanted ? wanted.count : 1;
  const basis = new Float64Array(k * d);
  for (let r = 0; r < k; r++) basis[r * d + r] = 1;
  const next = k < d ? { value: 0, bound: 0 } : undefined;
  const [values, residuals, spectrum] = [k, k, d].map((length) => new Float64Array(length));
  return { k, basis, values, residuals, spectrum, next, converged: true, passes: 1 };
}

function checkRows(rows: number, weight: number, { center, ddof, weights }: Settings): void {
  const least = center ? 2 : 1;
  if (rows < least) {
    throw new DataError(
      'TOO_FEW_ROWS',
      `There ${rows === 1 ? 'is 1 row' : `are ${rows} rows`}${weights ? ' with a weight above 0' : ''}, and variance about the mean needs at least ${least}.`,
      { value: rows, expected: least },
    );
  }
  if (weight - ddof > 0) return;
  throw new OptionError(
    weights ? 'BAD_WEIGHTS' : 'BAD_OPTION',
    weights
      ? `The weights add up to ${weight}, which leaves nothing after ddof = ${ddof}. A row of weight w counts w times: scale the weights to add up to the number of rows, or use ddof: 0.`
      : `ddof is ${ddof}, but there are only ${rows} rows. Use a ddof below the number of rows.`,
    { option: weights ? 'weights' : 'ddof', value: weights ? weight : ddof },
  );
}

/** ‖column j‖² of the scaled data, about its mean or about zero. */
function columnEnergy(reading: Columns, scaler: FitScaler, j: number, aboutMean: boolean): number {
  return scaledSquares(reading.columns, j, aboutMean, scaler.factor[j]);
}

/** ‖column‖² of every scaled column. */
function columnEnergies(reading: Columns, scaler: FitScaler, aboutMean: boolean): Float64Array {
  const energies = new Float64Array(reading.cols);
  for (let j = 0; j < energies.length; j++) energies[j] = columnEnergy(reading, scaler, j, aboutMean);
  return energies;
}

/** For each column, the norm of its change if every number changes by half a unit in its last place. */
function lastDigits(reading: Columns, scaler: FitScaler): Float64Array {
  const u = ROUNDOFF[reading.dtype];
  const digits = columnEnergies(reading, scaler, false);
  const least = LEAST_STEP[reading.dtype] * Math.sqrt(reading.columns.weight);
  for (let j = 0; j < digits.length; j++) digits[j] = u * Math.sqrt(digits[j]) + least * scaler.factor[j];
  return digits;
}

/**
 * Upper bound on ‖ΔS‖ from rounding in the passes: the bound that the engine declares, times the energy that its sums contain.
 * Sparse columns that contain zeros are centred implicitly, so the sums contain their means too.
 */
function passError(reading: Columns, scaler: FitScaler, engine: Engine, center: boolean): number {
  const { columns, cols: d, sparse, merges } = reading;
  let energy = 0;
  for (let j = 0; j < d; j++) {
    const implicit = sparse && columns.min[j] <= 0 && columns.max[j] >= 0;
    energy += columnEnergy(reading, scaler, j, center && !implicit);
  }
  return (engine.roundoff(columns.rows, d, sparse) + 4 * merges * ROUNDOFF.float64) * columns.inflation * energy;
}

/**
 * Upper bound on ‖ΔS‖ from rounding in the mean. An error η changes S by Σw·ηηᵀ: second order, but large if the data are far from
 * the origin.
 *
 * If sums about the means of blocks were merged, the errors of these means enter Σκδδᵀ to first order, δ being the distances
 * between means: by at most 2·√(Σκδ²·Σκη²), and Σκδ² is part of the trace. Here η is the error of mean + meanRest.
 */
function meanError(reading: Columns, scaler: FitScaler): number {
  const { columns, cols: d, sparse, merges, aboutBlocks } = reading;
  let whole = 0;
  let each = 0;
  let apart = 0;
  for (let j = 0; j < d; j++) {
    const bound = meanBound(columns, j, sparse, merges);
    const farthest = Math.max(-columns.min[j], columns.max[j]);
    whole += (bound * scaler.factor[j]) ** 2;
    if (bound === 0) continue;
    each += (2 * (bound + 2 ** -52 * farthest) * scaler.factor[j]) ** 2;
    const rest = columns.restUnknown ? 2 ** -52 * farthest : 0;
    apart += (2 * (wholeMeanBound(columns, j, sparse, merges) + rest) * scaler.factor[j]) ** 2;
  }
  const { weight } = columns;
  return weight * whole + (aboutBlocks ? weight * each + 2 * Math.sqrt(scaler.scatterTrace * weight * apart) : 0);
}

/**
 * Upper bound on ‖ΔS‖ from rounding in the deviations that columns are divided by. The error is relative: at most twice that of a
 * sum, times the trace.
 */
function scaleError({ columns, sparse, merges }: Columns, scaler: FitScaler): number {
  return 2 * sumBound(columns.rows, sparse, merges) * scaler.scatterTrace;
}

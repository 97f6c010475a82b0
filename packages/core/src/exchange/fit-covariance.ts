import { type ControlOptions, checkControl, checkObject, checkOption, type OptionCheck } from '../base/control.js';
import { keepAlive } from '../base/keep-alive.js';
import { LARGEST_SQUARE } from '../base/limits.js';
import { ProgressTracker } from '../base/progress.js';
import { unknownOption } from '../base/suggest-option.js';
import { identityScaler, packTile } from '../data/blocks/block.js';
import { type Data, openSource } from '../data/inputs/open-source.js';
import { chooseEngine } from '../engines/choose.js';
import { DataError, describeColumn, OptionError } from '../errors.js';
import { axesWithoutVariance } from '../fit/problem.js';
import { type FitFacts, finish } from '../model/finish.js';
import type { Model } from '../model/model.js';
import type { Whiten } from '../model/record.js';
import { COMPONENT_COUNT, type ComponentCount, checkCount } from '../options.js';
import { solveCovariance } from '../solvers/direct/solve-covariance.js';
import type { ScatterProblem } from '../solvers/solver.js';

/** A covariance or correlation matrix, for example from a publication. */
export interface ModelCovariance {
  /** d × d: in any form of rows that `pca` accepts. Symmetric and positive semidefinite, within 1e-6. */
  readonly covariance: Data;
  /** Number of rows that the matrix was computed from. Default: unknown. */
  readonly n?: number | undefined;
  /** The means of the columns. Without them the model cannot transform rows. */
  readonly mean?: ArrayLike<number> | undefined;
  /** How many components, as in `pca`. Default: 10, or fewer if there are fewer. */
  readonly k?: ComponentCount | undefined;
  /** `'unit'` analyses the correlations. Default `'none'`. */
  readonly scale?: 'none' | 'unit' | undefined;
  /** The matrix is S/(n − ddof). Default 1. */
  readonly ddof?: number | undefined;
  readonly whiten?: Whiten | undefined;
  readonly columnNames?: readonly string[] | undefined;
}

/** Largest |cᵢⱼ − cⱼᵢ| over √(cᵢᵢcⱼⱼ), and largest negative eigenvalue over the largest one. Smaller values are rounding. */
const TOLERANCE = 1e-6;

const OPTIONS: Record<Exclude<keyof ModelCovariance, 'covariance' | 'columnNames'>, OptionCheck> = {
  n: {
    must: 'the number of rows, a whole number from 2 up',
    test: (v) => Number.isSafeInteger(v) && (v as number) >= 2,
  },
  mean: { must: 'a list with one number per column', test: (v) => Array.isArray(v) || ArrayBuffer.isView(v) },
  k: COMPONENT_COUNT,
  scale: { must: "'none' or 'unit'", test: (v) => v === 'none' || v === 'unit' },
  ddof: { must: 'a number from 0 up', test: (v) => typeof v === 'number' && v >= 0 && Number.isFinite(v) },
  whiten: { must: "false, 'pca' or 'zca'", test: (v) => v === false || v === 'pca' || v === 'zca' },
};

/** The components of a covariance matrix: its eigenvectors, computed and certified as those of a fit. */
export async function fitCovariance(given: ModelCovariance, control: ControlOptions): Promise<Model> {
  checkCovarianceOptions(given);
  const progress = new ProgressTracker(checkControl(control));
  return keepAlive(async () => {
    const { matrix, d, columnNames, dtype } = await readMatrix(given, progress);
    checkSymmetric(matrix, d, columnNames);
    const { n = Number.NaN, ddof = 1, whiten = false } = given;
    const mean = Float64Array.from(given.mean ?? new Float64Array(d).fill(Number.NaN));
    if (mean.length !== d || (given.mean && !mean.every(Number.isFinite))) {
      throw new OptionError('BAD_OPTION', `mean must be ${d} finite numbers, one per column.`, { option: 'mean' });
    }
    if (n <= ddof) {
      throw new OptionError('BAD_OPTION', `ddof is ${ddof}, but there are only ${n} rows. Use a ddof below n.`, {
        option: 'ddof',
        value: ddof,
      });
    }
    const scaled = scaleMatrix(matrix, d, given.scale === 'unit');
    const { scatterTrace } = scaled;
    const engine = await chooseEngine(control, d * d);
    const rankLimit = n - 1 < d ? n - 1 : d;
    const u = dtype === 'float32' ? 2 ** -24 : 2 ** -53;
    // Each entry was rounded at most four times: twice by the scale, by the unit, and as the mean of both triangles.
    const roundoff = 4 * 2 ** -53 * scatterTrace;
    const problem: ScatterProblem = {
      d,
      rankLimit,
      wanted: checkCount(given.k, Number.isNaN(n) ? d : n, d, rankLimit),
      scatterTrace,
      roundoff,
      scalingError: given.scale === 'unit' ? roundoff : 0,
      tolerance: 1e-10,
      learn: {},
      unit: scaled.unit,
      centred: true,
      seed: 0,
      startSeed: 0,
      engine,
      progress,
      scatter: matrix,
    };
    const facts: FitFacts = {
      d,
      rows: n,
      weight: n,
      ddof,
      divisor: 1,
      origin: 'covariance',
      centered: true,
      mean,
      scaling: { rule: given.scale ?? 'none', scale: scaled.scale, constantColumns: scaled.constantColumns },
      columnWeights: undefined,
      columnEnergies: scaled.diagonal,
      whiten,
      columnNames,
      dtype,
      unit: scaled.unit,
      scatterTrace,
      roundoff,
      scalingError: problem.scalingError,
      noise: scaled.diagonal.map((energy) => u * Math.sqrt(energy)),
      plan: {
        solver: 'covariance',
        engine: engine.name,
        keepsRows: false,
        reason: `The components are the eigenvectors of the given ${d}×${d} matrix.`,
        costs: {},
      },
    };
    const warn = scatterTrace === 0 || scaled.constantColumns.length > 0;
    const { dataWarnings } = warn ? await import('../model/data-warnings.js') : {};
    const solution = scatterTrace > 0 ? await solveCovariance(problem) : axesWithoutVariance(problem);
    checkSemidefinite(solution.spectrum);
    return finish(solution, { ...facts, ...(dataWarnings ? { dataWarnings } : {}) });
  });
}

function checkCovarianceOptions(given: ModelCovariance): void {
  checkObject(given);
  for (const [option, value] of Object.entries(given)) {
    if (option === 'covariance' || option === 'columnNames' || value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, option))
      throw unknownOption(option, ['covariance', 'columnNames', ...Object.keys(OPTIONS)]);
    checkOption(option, value, OPTIONS[option as keyof typeof OPTIONS]);
  }
}

/** Reads the matrix as one array. Throws unless it is square and finite. */
async function readMatrix({ covariance, columnNames: chosen }: ModelCovariance, progress: ProgressTracker) {
  const source = await openSource(covariance, progress, chosen);
  try {
    const { cols: d, columnNames = chosen, dtype } = source;
    if (d > LARGEST_SQUARE) {
      throw new DataError('TOO_LARGE', `The matrix has ${d} columns, and ${LARGEST_SQUARE} are the most.`, {
        value: d,
        expected: LARGEST_SQUARE,
      });
    }
    const matrix = new Float64Array(d * d);
    let rows = 0;
    for await (const block of source.blocks()) {
      if (rows + block.rows > d) throw notSquare(source.rows ?? `at least ${rows + block.rows}`, d);
      packTile(block, identityScaler(d), { from: 0, to: block.rows, left: 0, right: d }, matrix.subarray(rows * d));
      rows += block.rows;
    }
    if (rows !== d) throw notSquare(rows, d);
    const bad = matrix.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) {
      const [row, column] = [Math.floor(bad / d), bad % d];
      throw new DataError(
        'NOT_FINITE',
        `The covariance of columns ${pair(row, column, columnNames)} is not a finite number.`,
        {
          row,
          column,
        },
      );
    }
    return { matrix, d, columnNames, dtype };
  } finally {
    await source.close?.();
  }
}

function notSquare(rows: number | string, cols: number): DataError {
  return new DataError(
    'BAD_DATA',
    `A covariance matrix is square, and this one has ${rows} rows and ${cols} columns.`,
    {
      value: rows,
      expected: cols,
    },
  );
}

function pair(i: number, j: number, names: readonly string[] | undefined): string {
  return `${describeColumn(i, names)} and ${describeColumn(j, names)}`;
}

/** Throws unless the matrix is symmetric with a diagonal ≥ 0. Replaces both triangles by their mean. */
function checkSymmetric(matrix: Float64Array, d: number, names: readonly string[] | undefined): void {
  for (let i = 0; i < d; i++) {
    const variance = matrix[i * d + i];
    if (variance >= 0) continue;
    throw new DataError(
      'NOT_A_COVARIANCE',
      `The variance of column ${describeColumn(i, names)} is ${variance}, which is negative.`,
      {
        row: i,
        column: i,
        value: variance,
      },
    );
  }
  for (let i = 0; i < d; i++) {
    for (let j = i + 1; j < d; j++) {
      const [above, below] = [matrix[i * d + j], matrix[j * d + i]];
      const size = Math.sqrt(matrix[i * d + i]) * Math.sqrt(matrix[j * d + j]);
      if (Math.abs(above - below) > TOLERANCE * size) {
        throw new DataError(
          'NOT_A_COVARIANCE',
          `The matrix is not symmetric: for columns ${pair(i, j, names)} it has ${above} above the diagonal and ${below} below it. Pass both triangles of a covariance or correlation matrix.`,
          { row: i, column: j, value: above, expected: below },
        );
      }
      if (Math.abs(above) > size * (1 + TOLERANCE)) {
        throw new DataError(
          'NOT_A_COVARIANCE',
          `This is no covariance matrix: columns ${pair(i, j, names)} have the covariance ${above}, which is beyond the product of their standard deviations, ${size}.`,
          { row: i, column: j, value: above, expected: size },
        );
      }
      matrix[i * d + j] = above / 2 + below / 2;
      matrix[j * d + i] = matrix[i * d + j];
    }
  }
}

/** Divides the matrix by the scales and by a power of two that brings it to size 1. The unit is the square root of that power. */
function scaleMatrix(matrix: Float64Array, d: number, unitScale: boolean) {
  const scale = new Float64Array(d).fill(1);
  const constantColumns: number[] = [];
  for (let j = 0; unitScale && j < d; j++) {
    if (matrix[j * d + j] > 0) scale[j] = Math.sqrt(matrix[j * d + j]);
    else constantColumns.push(j);
  }
  let largest = 0;
  for (let j = 0; j < d; j++) largest = Math.max(largest, Math.sqrt(matrix[j * d + j]) / scale[j]);
  const unit = largest > 0 ? 2 ** Math.round(Math.log2(largest)) : 1;
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) matrix[i * d + j] = matrix[i * d + j] / scale[i] / unit / scale[j] / unit;
  }
  const diagonal = Float64Array.from({ length: d }, (_, j) => matrix[j * d + j]);
  const scatterTrace = diagonal.reduce((sum, value) => sum + value, 0);
  return { scale, constantColumns, unit, diagonal, scatterTrace };
}

function checkSemidefinite(spectrum: Float64Array | undefined): void {
  if (!spectrum) return;
  const least = spectrum[spectrum.length - 1] / spectrum[0];
  if (!(least < -TOLERANCE)) return;
  throw new DataError(
    'NOT_A_COVARIANCE',
    `This is no covariance matrix: its smallest eigenvalue is ${least.toPrecision(3)} of the largest, and a variance is not negative. Correlations that were rounded to few digits, or computed from different rows (pairwise), can be so: pass more digits, or repair the matrix first (nearPD in R).`,
    { value: least, expected: 0 },
  );
}

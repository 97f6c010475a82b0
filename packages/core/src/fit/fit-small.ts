import { type ProgressTracker, runTaskSync } from '../base/progress.js';
import { type DenseBlock, packTile, type Scaler } from '../data/blocks/block.js';
import { decoded } from '../data/blocks/float16.js';
import type { RowSource } from '../data/blocks/row-source.js';
import { blockStatistics } from '../data/statistics/block-statistics.js';
import type { FitScaler } from '../data/statistics/scaling.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import { rowWeights } from '../data/statistics/weights.js';
import { DenseReference } from '../engines/reference/dense.js';
import { reference } from '../engines/reference/reference.js';
import { REFERENCE_TILE_ROWS } from '../engines/reference/tile.js';
import { absorbRows, qr } from '../linalg/qr.js';
import { svdSteps } from '../linalg/svd.js';
import { transpose } from '../linalg/transpose.js';
import { type FitFacts, nested } from '../model/finish.js';
import { loadDataWarnings } from '../model/load-data-warnings.js';
import { checkColumnOptions, plannedCount, type Settings } from '../options.js';
import { type Plan, planSmall } from '../plan.js';
import { fromSingularValues, wantedSquares } from '../solvers/direct/svd.js';
import type { Problem, Solution } from '../solvers/solver.js';
import type { FitResult } from './fit.js';
import { loadOrientation } from './load-orientation.js';
import { axesWithoutVariance, makeProblem } from './problem.js';

/** Largest number of operations, n·d·min(n, d), of a synchronous fit. It takes a few milliseconds. */
export const MOST_AT_ONCE = 1e7;

/** The approximate number of operations of a fit: n·d·min(n, d). */
export function operations({ rows = Number.POSITIVE_INFINITY, cols }: RowSource): number {
  return rows * cols * Math.min(rows, cols);
}

/** A fit that can be computed synchronously. */
export interface SmallFit {
  readonly block: DenseBlock;
  readonly plan: Plan;
  /** True if the fit takes less than a millisecond, so that no other engine or solver saves time. */
  readonly negligible: boolean;
}

/**
 * Returns the synchronous fit of a source: few dense rows in memory, and no option that needs another engine, solver or pass.
 * Returns undefined if the source or an option does not allow it.
 */
export function smallFit(source: RowSource, settings: Settings): SmallFit | undefined {
  const { solver, learn, engine, columnTransform = 'none', scale, blocking, missing } = settings;
  const plain =
    missing === 'error' && source.expected === undefined && columnTransform === 'none' && scale !== 'median';
  const auto = solver === 'auto' && learn === undefined && engine === 'auto' && blocking !== 'none';
  const block = plain && auto && operations(source) <= MOST_AT_ONCE ? denseBlock(source) : undefined;
  if (!block) return undefined;
  const { rows, cols } = block;
  const shape = { rows, cols, dtype: source.dtype, rereadable: true };
  const { plan, negligible } = planSmall(shape, { ...settings, k: plannedCount(settings.k), engine: reference });
  return { block, plan, negligible: negligible && !mayBeCorrelations(block) };
}

/** Returns true if a square table begins with 1, as a correlation matrix does: `pca` then takes the path that looks for one. */
function mayBeCorrelations({ rows, cols, data }: DenseBlock): boolean {
  return rows === cols && Math.abs(data[0] - 1) < 1e-5;
}

/** The rows of a source that has all of its rows in one dense block in memory. */
function denseBlock(source: RowSource): DenseBlock | undefined {
  if (!source.resident) return undefined;
  const blocks = source.blocks();
  return Array.isArray(blocks) && blocks.length === 1 && blocks[0].kind === 'dense' ? decoded(blocks[0]) : undefined;
}

/** A small fit before `finish`. */
export interface SolvedFit {
  readonly solution: Solution;
  readonly facts: FitFacts;
  readonly columns: ColumnStatistics;
}

/** Fits small data for `pca`. It is asynchronous only because the code of rare warnings is loaded on demand. */
export async function fitSmall(
  source: RowSource,
  small: SmallFit,
  settings: Settings,
  progress: ProgressTracker,
): Promise<FitResult> {
  // Without these options nothing is awaited before the rows are read, so that a small fit reads them at once.
  const oriented = settings.signs || settings.axes ? await loadOrientation(settings, source.cols) : {};
  const { solution, facts, columns } = solveSmall(source, small, settings, progress);
  const warnings = (await source.warnings?.()) ?? [];
  const about = await loadDataWarnings(facts, solution.values, columns);
  return { ...nested(solution, { ...facts, ...oriented, ...about }, warnings), columns, engine: reference };
}

/** The rows of a small fit, with their weights and column names. */
export interface SmallRows {
  readonly block: DenseBlock;
  readonly passes: DenseReference;
  readonly weights: Float64Array | undefined;
  readonly columnNames: readonly string[] | undefined;
}

/** A solver for small data: summarises the columns, then solves the problem. */
export type SmallSolver = (rows: SmallRows) => {
  readonly columns: ColumnStatistics;
  solve(problem: Problem, scaler: FitScaler): Solution;
};

/**
 * Solves small data synchronously, for `pcaSync` and `pca`. It runs the passes of the reference engine, plain TypeScript on one
 * thread. The solution goes to the same `finish` as that of every fit.
 */
export function solveSmall(
  source: RowSource,
  { block, plan }: SmallFit,
  settings: Settings,
  progress: ProgressTracker,
  solver = bySvd,
): SolvedFit {
  const { cols, dtype } = source;
  checkColumnOptions(settings, cols);
  const weights = rowWeights(settings.weights, block.rows).slice(0, block.rows);
  const columnNames = settings.columnNames ?? source.columnNames;
  progress.begin('singular values', block.rows);
  const { columns, solve } = solver({ block, passes: new DenseReference(block), weights, columnNames });
  const reading = { cols, columnNames, columns, dtype, sparse: false, merges: 1 };
  const { problem, scaler, facts } = makeProblem(reading, settings, reference, plan, progress);
  const solution = scaler.scatterTrace === 0 ? axesWithoutVariance(problem) : solve(problem, scaler);
  progress.end();
  return { solution, facts, columns };
}

/** The svd solver: the triangular factor R of B, or of Bᵀ for wide data, and the singular value decomposition of R. */
const bySvd: SmallSolver = ({ block, passes, weights, columnNames }) => ({
  columns: runTaskSync(blockStatistics(block, weights, 0, columnNames)),
  solve(problem, scaler) {
    const weighted = weights ? { ...scaler, rootWeights: weights.map(Math.sqrt) } : scaler;
    return factorise(problem, block, passes, weighted);
  },
});

function factorise(problem: Problem, block: DenseBlock, passes: DenseReference, scaler: Scaler): Solution {
  const { d } = problem;
  const n = block.rows;
  const tall = n >= d;
  const [size, length] = tall ? [d, n] : [n, d];
  const height = Math.min(REFERENCE_TILE_ROWS, length);
  const triangle = new Float64Array(size * size);
  const tile = new Float64Array(height * size);
  for (let from = 0; from < length; from += height) {
    const lines = Math.min(height, length - from);
    if (tall)
      packTile(block, scaler, { from, to: from + lines, left: 0, right: d }, tile, {
        start: 0,
        down: 1,
        across: lines,
      });
    else packTile(block, scaler, { from: 0, to: n, left: from, right: from + lines }, tile);
    runTaskSync(absorbRows(triangle, size, tile, lines));
  }
  const { values, right } = runTaskSync(svdSteps(triangle, size, size, false));
  const { squares, count } = wantedSquares(values, problem);
  let basis: Float64Array = right.slice(0, count * size);
  if (!tall) {
    const images = new Float64Array(count * d);
    runTaskSync(passes.multiplyTransposedTask(scaler, transpose(basis, count, n), count, images));
    basis = runTaskSync(qr(images, count, d)).q;
  }
  const image = new Float64Array(count * d);
  runTaskSync(passes.normalTask(scaler, basis, count, image));
  return fromSingularValues(problem, {
    singular: values,
    squares,
    basis,
    image,
    tiles: Math.ceil(length / height),
    height,
  });
}

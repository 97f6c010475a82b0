import type { ProgressTracker } from '../base/progress.js';
import { checkBlockWidth, type RowSource } from '../data/blocks/row-source.js';
import { keepRows } from '../data/inputs/open-source.js';
import type { DataChecksum } from '../data/statistics/checksum.js';
import { type FitScaler, scaleScatter } from '../data/statistics/scaling.js';
import { type ColumnStatistics, emptyStatistics, mergeStatistics } from '../data/statistics/statistics.js';
import { type RowWeights, rowWeights } from '../data/statistics/weights.js';
import type { DualScaler, Engine, LoadedBlock, RowsAt } from '../engines/engine.js';
import { Passes } from '../engines/passes.js';
import { remoteRowsFor } from '../engines/remote.js';
import { plannedCount, type Settings } from '../options.js';
import type { IncrementalFit, Problem, Solution, Solver } from '../solvers/solver.js';
import { MomentSums } from './moment-sums.js';

/** The data after they were read for a solver: column statistics, and a function that runs the solver. */
export interface PreparedData {
  readonly cols: number;
  readonly columnNames: readonly string[] | undefined;
  readonly columns: Readonly<ColumnStatistics>;
  readonly dtype: 'float32' | 'float64';
  readonly sparse: boolean;
  /** Number of partial sums that were merged. Each merge adds a rounding error. */
  readonly merges: number;
  /** True if the sums were taken about the means of several blocks and merged. */
  readonly aboutBlocks?: boolean;
  solve(problem: Problem, scaler: FitScaler): Promise<Solution>;
  release(): void;
}

type Needing<What extends Solver['needs']> = Extract<Solver, { needs: What }>;

/** For solvers that need the scatter: computes moments in one pass. If the data are moments, nothing is read. */
export async function prepareScatter(
  source: RowSource | MomentSums,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
  solver: Needing<'scatter'>,
): Promise<PreparedData> {
  const checksum = solver.newChecksum?.();
  const columnNames = settings.columnNames ?? source.columnNames;
  const moments =
    source instanceof MomentSums
      ? source
      : await MomentSums.of(source, { ...settings, engine }, progress, columnNames, undefined, checksum);
  // A copy, because the solver changes the scatter, and the moments belong to the user.
  const scatter = moments === source ? moments.scatter.slice() : moments.scatter;
  return {
    ...describeMoments(moments, settings),
    aboutBlocks: moments.merges > 1,
    solve: (problem, scaler) => {
      scaleScatter(scatter, moments, scaler, settings.center);
      return solver.solve({ scatter, ...withStart(problem, checksum, moments.columns) });
    },
    release: () => {},
  };
}

/** Mixes the checksum of the data into the seed of the solver's start. */
function withStart<Given extends Problem>(
  problem: Given,
  checksum: DataChecksum | undefined,
  columns: Readonly<ColumnStatistics>,
): Given {
  return checksum ? { ...problem, startSeed: checksum.seed(problem.seed, columns) } : problem;
}

function describeMoments(moments: MomentSums, settings: Settings): Omit<PreparedData, 'solve' | 'release'> {
  const { cols, columns, dtype, sparse, merges } = moments;
  return { cols, columnNames: settings.columnNames ?? moments.columnNames, columns, dtype, sparse, merges };
}

/** For solvers that need a float32 scatter and the rows: one pass in float32, then the passes of the solver. */
export async function prepareScatterAndRows(
  source: RowSource | MomentSums,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
  solver: Needing<'both'>,
): Promise<PreparedData> {
  if (source instanceof MomentSums) throw new TypeError('moments have no rows to read');
  const kept = await rereadable(source, progress);
  const columnNames = settings.columnNames ?? source.columnNames;
  const checksum = solver.newChecksum?.();
  const loaded: (LoadedBlock | undefined)[] = [];
  const release = (): void => {
    for (const block of loaded.splice(0)) block?.release();
  };
  const fast = { ...settings, engine: engine.float32 ?? engine };
  let moments: MomentSums;
  try {
    moments = await MomentSums.of(kept, fast, progress, columnNames, kept.resident ? loaded : undefined, checksum);
  } catch (error) {
    release();
    throw error;
  }
  const weights = rowWeights(settings.weights, kept.rows);
  let passes: Passes | undefined;
  return {
    ...describeMoments(moments, settings),
    solve: (problem, scaler) => {
      passes = new Passes(kept, moments.read, engine, scaler, weights, progress, loaded.splice(0));
      scaleScatter(moments.scatter, moments, scaler, settings.center);
      return solver.solve({ scatter: moments.scatter, passes, ...withStart(problem, checksum, moments.columns) });
    },
    release: () => {
      release();
      passes?.release();
    },
  };
}

/** For solvers that need rows: one pass for the column statistics, then the passes of the solver. */
export async function prepareRows(
  opened: RowSource | MomentSums,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
  solver: Needing<'rows'>,
): Promise<PreparedData> {
  if (opened instanceof MomentSums) throw new TypeError('moments have no rows to read');
  const columnNames = settings.columnNames ?? opened.columnNames;
  const source = await rereadable(opened, progress);
  const weights = rowWeights(settings.weights, source.rows);
  let columns: ColumnStatistics | undefined;
  let rows = 0;
  let merges = 0;
  progress.begin('column statistics', source.rows, source.expectedRows);
  const kept: (LoadedBlock | undefined)[] = [];
  const add = async (loaded: LoadedBlock, own?: Float64Array): Promise<void> => {
    const dualScaler = solver.dualScaler?.({ ...settings, k: plannedCount(settings.k) }, source, loaded);
    const stats = await summariseLoaded(loaded, { first: rows, weights: own, columnNames }, progress, dualScaler);
    if (columns) mergeStatistics(columns, stats);
    else columns = stats;
    merges += stats.merges ?? 1;
    rows += loaded.rows;
    if (dualScaler) kept.push(loaded);
  };
  const checksum = solver.newChecksum?.();
  const remote = remoteRowsFor(source, engine);
  if (remote) await add(remote.load());
  else {
    for await (const block of source.blocks()) {
      checkBlockWidth(block, source, rows);
      const own = weights.slice(rows, block.rows);
      checksum?.add(block, own);
      await add(await engine.load(block), own);
    }
  }
  weights.end(rows);
  progress.end();
  const statistics = columns ?? emptyStatistics(source.cols);
  return {
    cols: source.cols,
    columnNames,
    columns: statistics,
    dtype: source.dtype,
    sparse: source.nonzeros !== undefined,
    merges,
    solve: (problem, scaler) => {
      const passes = new Passes(source, rows, engine, scaler, weights, progress, kept);
      return solver.solve({ passes, ...withStart(problem, checksum, statistics) });
    },
    release: () => {
      for (const loaded of kept.splice(0)) loaded?.release();
    },
  };
}

/** Computes the column statistics of a loaded block, and releases the block unless it has precomputed products. */
async function summariseLoaded(
  loaded: LoadedBlock,
  at: RowsAt,
  progress: ProgressTracker,
  dualScaler: DualScaler | undefined,
): Promise<ColumnStatistics> {
  let stats: ColumnStatistics | undefined;
  try {
    stats = await loaded.summarise(at, undefined, progress.onStep, dualScaler);
    return stats;
  } finally {
    if (!(dualScaler && stats)) loaded.release();
  }
}

/** For solvers that process rows as they are read: one pass, and further passes only if the source can be read again. */
export async function prepareOneReading(
  source: RowSource | MomentSums,
  settings: Settings,
  engine: Engine,
  progress: ProgressTracker,
  solver: Needing<'once'>,
): Promise<PreparedData> {
  if (source instanceof MomentSums) throw new TypeError('moments have no rows to read');
  const { cols, dtype } = source;
  const columnNames = settings.columnNames ?? source.columnNames;
  const weights = rowWeights(settings.weights, source.rows);
  const fold = solver.begin({ ...settings, k: plannedCount(settings.k), cols });
  const checksum = source.rereadable ? solver.newChecksum?.() : undefined;
  const rows = await addAllRows(source, fold, weights, columnNames, engine, progress, checksum);
  let passes: Passes | undefined;
  return {
    cols,
    columnNames,
    columns: fold.columns,
    dtype,
    sparse: source.nonzeros !== undefined,
    merges: fold.merges,
    solve: (problem, scaler) => {
      if (source.rereadable) passes = new Passes(source, rows, engine, scaler, weights, progress);
      return fold.solve({ ...withStart(problem, checksum, fold.columns), scaler, passes });
    },
    release: () => passes?.release(),
  };
}

/** Reads a source to its end and adds every block to `fold`. Returns the number of rows. */
export async function addAllRows(
  source: RowSource,
  fold: Pick<IncrementalFit, 'add'>,
  weights: RowWeights,
  columnNames: readonly string[] | undefined,
  engine: Engine,
  progress: ProgressTracker,
  checksum?: DataChecksum,
): Promise<number> {
  let rows = 0;
  progress.begin('sketch', source.rows, source.expectedRows);
  for await (const block of source.blocks()) {
    checkBlockWidth(block, source, rows);
    const own = weights.slice(rows, block.rows);
    checksum?.add(block, own);
    await fold.add(block, { first: rows, weights: own, columnNames }, engine, progress);
    rows += block.rows;
  }
  weights.end(rows);
  progress.end();
  return rows;
}

/** Returns the source if it can be read again. Otherwise reads its rows into memory. */
export async function rereadable(source: RowSource, progress: ProgressTracker): Promise<RowSource> {
  if (source.rereadable) return source;
  progress.begin('reading rows', source.rows, source.expectedRows);
  const kept = await keepRows(source, (rows) => progress.step(rows));
  progress.end();
  return kept;
}

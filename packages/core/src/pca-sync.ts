import { idleAfterWork } from './base/keep-alive.js';
import { ProgressTracker, runTaskSync } from './base/progress.js';
import type { CsrMatrix } from './data/blocks/csr.js';
import type { RowSource } from './data/blocks/row-source.js';
import { numericSource } from './data/inputs/numeric-columns.js';
import { openSource } from './data/inputs/open-source.js';
import { isRecord, type Row } from './data/inputs/row-gatherer.js';
import { type AnyMatrix, isMatrix } from './data/inputs/to-block.js';
import { blockMeans } from './data/statistics/block-statistics.js';
import { CorrelationMatrixCheck } from './data/statistics/correlation-matrix.js';
import { scaleScatter } from './data/statistics/scaling.js';
import { moveToWholeMeans, scalerAboutMeans } from './engines/summarise-two-pass.js';
import { OptionError } from './errors.js';
import { type SmallSolver, smallFit, solveSmall } from './fit/fit-small.js';
import { symmetricEigen } from './linalg/symmetric-eigen.js';
import { completeSymmetric } from './linalg/upper.js';
import { dot } from './linalg/vector.js';
import { dataWarnings, fewDigits } from './model/data-warnings.js';
import { finish } from './model/finish.js';
import { needDataWarnings } from './model/load-data-warnings.js';
import type { Model } from './model/model.js';
import { orientation } from './model/orient.js';
import { checkOptions, type PcaOptions, type Settings } from './options.js';
import { fromEigenvectors, wantedCount } from './solvers/direct/solve-covariance.js';
import type { Problem, Solution } from './solvers/solver.js';
import type { Warning } from './warning.js';

/**
 * `pca` for small data in memory, without a promise and without workers. Accepts rows, records and dense matrices if rows ×
 * columns × min(rows, columns) is at most 10 million, which takes a few milliseconds. Solves by SVD or covariance in plain
 * TypeScript. If the SVD takes less than half a millisecond, the result has the same bits as that of `pca`; for larger data `pca`
 * may choose a faster solver. Throws for larger data, and for options that need code to be loaded: use `pca` for them.
 */
export function pcaSync(data: SyncData, options: PcaOptions = {}): Model {
  const settings = checkOptions(options);
  refuseForSync(settings);
  const progress = new ProgressTracker(settings);
  if (Array.isArray(data) ? isMatrix(data[0]) : !isMatrix(data)) throw tooMuchForSync('data', 'This kind of data');
  const source = openSync(data, settings, progress);
  if (source.nonzeros !== undefined) throw tooMuchForSync('data', 'A sparse matrix');
  const small = smallFit(source, settings);
  if (!small) throw tooMuchForSync('data', `${source.rows}×${source.cols}`);
  const solver = small.plan.solver === 'covariance' ? byCovariance(settings.center) : undefined;
  const { solution, facts, columns } = solveSmall(source, small, settings, progress, solver);
  const check = new CorrelationMatrixCheck(source.cols);
  check.add(small.block);
  const oriented = settings.signs || settings.axes ? { orient: orientation(settings, source.cols) } : {};
  const rare = needDataWarnings(facts, solution.values) ? { dataWarnings, fewDigits: fewDigits(columns, facts) } : {};
  const model = finish(solution, { ...facts, ...oriented, ...rare }, [
    ...((source.warnings?.() as readonly Warning[] | undefined) ?? []),
    ...check.warnings(),
  ]);
  idleAfterWork();
  return model;
}

/** Data that `pcaSync` takes. */
export type SyncData = readonly Row[] | Exclude<AnyMatrix, CsrMatrix>;

function openSync(data: SyncData, { columnNames, columns }: Settings, progress: ProgressTracker): RowSource {
  const numericOnly = columns === 'numeric' && columnNames === undefined;
  if (numericOnly && Array.isArray(data) && isRecord(data[0])) return numericSource(data as readonly Row[]);
  const source = openSource(data, progress, columnNames);
  if (source instanceof Promise) throw tooMuchForSync('data', 'This kind of data');
  return source;
}

function refuseForSync({ columnTransform, scale, solver, engine, blocking, missing }: Settings): void {
  if ((columnTransform ?? 'none') !== 'none') throw tooMuchForSync('columnTransform', 'A column transform');
  if (missing !== 'error')
    throw tooMuchForSync(
      'missing',
      `missing: ${typeof missing === 'string' ? `'${missing}'` : `{ method: '${missing.method}' }`}`,
    );
  if (scale === 'median') throw tooMuchForSync('scale', "scale: 'median'");
  if (solver !== 'auto') throw tooMuchForSync('solver', `solver: '${solver}'`);
  if (engine !== 'auto') throw tooMuchForSync('engine', 'An engine of your choice');
  if (blocking === 'none') throw tooMuchForSync('blocking', "blocking: 'none'");
}

function tooMuchForSync(option: string, what: string): OptionError {
  return new OptionError(
    'BAD_OPTION',
    `${what} is too much for pcaSync, which must not wait. Use pca, which takes the same arguments and returns a promise.`,
    { option },
  );
}

/**
 * The covariance solver for small data: sums the scatter about the means in the pass that summarises the columns, and computes
 * its eigenvectors. Only `pcaSync` uses it: if the SVD is not negligible, `pca` has faster engines.
 */
const byCovariance =
  (centre: boolean): SmallSolver =>
  ({ block, passes, weights, columnNames }) => {
    const d = block.cols;
    const scatter = new Float64Array(d * d);
    const columns = runTaskSync(blockMeans(block, weights, 0, columnNames));
    if (columns.rows > 0) {
      runTaskSync(passes.gramTask(scalerAboutMeans(columns, weights), scatter));
      moveToWholeMeans(scatter, columns);
      for (let j = 0; j < d; j++) columns.spread[j] = scatter[j * d + j];
    }
    return {
      columns,
      solve(problem, scaler) {
        scaleScatter(scatter, { cols: d, columns }, scaler, centre);
        return decompose(problem, scatter);
      },
    };
  };

/** Computes the eigenvectors v of S (d × d), and the images Sv for the residuals. */
function decompose(problem: Problem, scatter: Float64Array): Solution {
  const { d } = problem;
  const found = runTaskSync(symmetricEigen(scatter.slice(), d, wantedCount(problem)));
  completeSymmetric(scatter, d);
  const image = new Float64Array(found.count * d);
  for (let r = 0; r < found.count; r++) {
    for (let i = 0; i < d; i++) image[r * d + i] = dot(scatter, i * d, found.vectors, r * d, d);
  }
  return fromEigenvectors(problem, found, image);
}

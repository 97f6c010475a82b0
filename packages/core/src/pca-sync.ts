import * as correlationMatrixCode from './data/correlation-matrix.js';
import type { CsrMatrix } from './data/csr.js';
import type { Row } from './data/gather.js';
import * as numericColumnsCode from './data/numeric-columns.js';
import { numericColumns, openSource, type RowSource } from './data/open-source.js';
import { type AnyMatrix, isMatrix } from './data/to-block.js';
import { wasmCode } from './engines/choose.js';
import * as densePassesCode from './engines/reference/dense.js';
import { densePasses } from './engines/reference/reference.js';
import { widePasses } from './engines/wasm/dense/dense.js';
import * as widePassesCode from './engines/wasm/dense/wide.js';
import { plainKernels, relaxedKernels } from './engines/wasm/kernels.js';
import * as plain from './engines/wasm/kernels-plain.js';
import * as relaxed from './engines/wasm/kernels-relaxed.js';
import * as wasm from './engines/wasm/wasm.js';
import { OptionError } from './errors.js';
import { correlationMatrix } from './fit.js';
import { idleAfterWork } from './keep-alive.js';
import { andThen, isPromise, type MaybePromise } from './maybe-promise.js';
import * as dataWarnings from './model/data-warnings.js';
import { dataWarningsCode } from './model/load-data-warnings.js';
import type { Model } from './model/model.js';
import { checkOptions, type PcaOptions, type Settings } from './options.js';
import { fitOpened, MOST_AT_ONCE, type Opened, operations } from './pca.js';
import { ProgressTracker } from './progress.js';
import * as blockKrylovCode from './solvers/direct/block-krylov.js';
import { solveDual } from './solvers/direct/dual.js';
import * as float32ScatterCode from './solvers/direct/float32-scatter.js';
import { blockKrylov } from './solvers/direct/krylov.js';
import { float32Scatter } from './solvers/direct/refined.js';
import * as solveDualCode from './solvers/direct/solve-dual.js';
import { SOLVERS } from './solvers/registry.js';

/** All code that `pca` loads when it is needed and `pcaSync` may need is part of this entry. */
function provideCode(): void {
  wasmCode.provide(wasm);
  relaxedKernels.provide(relaxed);
  plainKernels.provide(plain);
  blockKrylov.provide(blockKrylovCode);
  float32Scatter.provide(float32ScatterCode);
  correlationMatrix.provide(correlationMatrixCode);
  numericColumns.provide(numericColumnsCode);
  densePasses.provide(densePassesCode);
  solveDual.provide(solveDualCode);
  widePasses.provide(widePassesCode);
  dataWarningsCode.provide(dataWarnings);
}

/**
 * `pca` without waiting, for small data in memory: no promise, no workers, and the same bits. Rows, records and dense matrices with
 * rows × columns × the smaller of both up to 10 million, which is some milliseconds of work. What needs more time, or has to be loaded first, is
 * refused: then use `pca`.
 */
export function pcaSync(data: SyncData, options: PcaOptions = {}): Model {
  provideCode();
  const settings = checkOptions(options);
  refuseForSync(settings);
  // One thread, and an engine that is compiled at once: nothing waits, so everything is done when `settle` returns.
  const onOneThread = { ...settings, threads: 1, blocking: 'full' } as const;
  const progress = new ProgressTracker(onOneThread, true);
  if (Array.isArray(data) ? isMatrix(data[0]) : !isMatrix(data)) throw tooMuchForSync('data', 'This kind of data');
  const open = (): MaybePromise<Opened> =>
    andThen(openSource(data, progress, settings.columnNames, settings.columns === 'numeric'), (source) => {
      refuseLargeForSync(source);
      return { source, settings: onOneThread, atOnce: true };
    });
  const result = fitOpened(open, progress);
  idleAfterWork();
  if (isPromise(result)) {
    result.catch(() => {});
    throw tooMuchForSync('data', 'This fit');
  }
  return result.model;
}

/** Data that `pcaSync` takes. */
export type SyncData = readonly Row[] | Exclude<AnyMatrix, CsrMatrix>;

function refuseLargeForSync(source: RowSource): void {
  if (source.nonzeros !== undefined) throw tooMuchForSync('data', 'A sparse matrix');
  if (operations(source) > MOST_AT_ONCE) throw tooMuchForSync('data', `${source.rows}×${source.cols}`);
}

function refuseForSync({ choose, bootstrap, lookAtColumns, transform, scale, solver, engine }: Settings): void {
  if (choose !== undefined) throw tooMuchForSync('k', `k: '${choose}'`);
  if (bootstrap !== undefined && bootstrap !== 0) throw tooMuchForSync('bootstrap', 'A bootstrap');
  if (lookAtColumns) throw tooMuchForSync('lookAtColumns', 'lookAtColumns');
  if (transform !== undefined && transform !== 'none') throw tooMuchForSync('transform', 'A transform');
  if (scale === 'median') throw tooMuchForSync('scale', "scale: 'median'");
  if (solver !== 'auto' && SOLVERS[solver].family !== 'direct') throw tooMuchForSync('solver', `solver: '${solver}'`);
  if (!['auto', 'wasm', 'reference'].includes(engine as string)) throw tooMuchForSync('engine', 'This engine');
}

function tooMuchForSync(option: string, what: string): OptionError {
  return new OptionError(
    'BAD_OPTION',
    `${what} is too much for pcaSync, which must not wait. Use pca, which takes the same arguments and returns a promise.`,
    { option },
  );
}

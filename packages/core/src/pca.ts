import { enter, leave } from './admission.js';
import { codeColumns } from './code-columns.js';
import { changeOf } from './data/changes.js';
import type { CsrMatrix } from './data/csr.js';
import type { Row } from './data/gather.js';
import { type Data, openSource, type RowSource } from './data/open-source.js';
import { type AnyMatrix, isMatrix } from './data/to-block.js';
import { availableEngines, type EngineRequest } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { addressSpaceLeft } from './engines/wasm/address-space.js';
import { DataError, OptionError, ScreeError } from './errors.js';
import { fit, type NestedModels } from './fit.js';
import { idleAfterWork, keepAlive } from './keep-alive.js';
import { andThen, isPromise, type MaybePromise, settle, type Waiting, wait } from './maybe-promise.js';
import type { Model } from './model/model.js';
import { Moments } from './moments.js';
import { checkOptions, type PcaOptions, type Settings } from './options.js';
import { ProgressTracker } from './progress.js';
import { rereadable } from './reading.js';
import { SOLVERS } from './solvers/registry.js';

export type { NestedModels };

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

/** `pca` for several k at once, for example for a page with a slider for k. */
export function nestedModels(data: Data | Moments, options: PcaOptions = {}): Promise<NestedModels> {
  return keepAlive(() => analyse(data, options));
}

/**
 * `pca` without waiting, for small data in memory: no promise, no workers, and the same bits. Rows, records and dense matrices with
 * rows × columns × the smaller of both up to 10 million, which is some milliseconds of work. What needs more time, or has to be loaded first, is
 * refused: then use `pca`.
 */
export function pcaSync(data: SyncData, options: PcaOptions = {}): Model {
  const settings = checkOptions(options);
  refuseForSync(settings);
  const progress = new ProgressTracker({ ...settings, blocking: 'full' });
  // One thread, and an engine that is compiled at once: nothing waits, so everything is done when `settle` returns.
  const atOnce = { ...settings, threads: 1, atOnce: true };
  if (Array.isArray(data) ? isMatrix(data[0]) : !isMatrix(data)) throw tooMuchForSync('data', 'This kind of data');
  const open = (): MaybePromise<Opened> =>
    andThen(openSource(data, progress, settings.columnNames), (source) => {
      refuseLargeForSync(source);
      return { source, settings: atOnce };
    });
  const result = settle(openAndClose(open, progress));
  idleAfterWork();
  if (isPromise(result)) {
    result.catch(() => {});
    throw tooMuchForSync('data', 'This fit');
  }
  return result.model;
}

/** Data that `pcaSync` takes. */
export type SyncData = readonly Row[] | Exclude<AnyMatrix, CsrMatrix>;

/** Most operations, n·d·min(n, d), of a fit that may block its thread. */
const MOST_AT_ONCE = 1e7;

/** n·d·min(n, d): the operations of a fit, about. */
function sizeOf({ rows = Number.POSITIVE_INFINITY, cols }: RowSource): number {
  return rows * cols * Math.min(rows, cols);
}

function refuseLargeForSync(source: RowSource): void {
  if (source.nonzeros !== undefined) throw tooMuchForSync('data', 'A sparse matrix');
  if (sizeOf(source) > MOST_AT_ONCE) throw tooMuchForSync('data', `${source.rows}×${source.cols}`);
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

function analyse(data: Data | Moments, options: PcaOptions): MaybePromise<NestedModels> {
  return settle(openAndFit(data, options));
}

function* openAndFit(data: Data | Moments, options: PcaOptions): Waiting<NestedModels> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings);
  if (data instanceof Moments) {
    refuseForMoments(settings, data.cols);
    return yield* fitChosen(data, settings, yield* wait(availableEngines(settings, data.cols ** 2)), progress);
  }
  return yield* openAndClose(() => settle(openForFit(data, settings, progress)), progress);
}

function* openForFit(data: Data, settings: Settings, progress: ProgressTracker): Waiting<Opened> {
  const source = yield* wait(openSource(data, progress, settings.columnNames));
  const coded = yield* wait(codeColumns(source, settings, progress));
  if (!settings.lookAtColumns) return coded;
  const { watchColumns } = yield* wait(import('./analysis/look-at-columns.js'));
  return { ...coded, source: watchColumns(coded.source, coded.settings) };
}

/** A source, and the settings for its columns. */
interface Opened {
  readonly source: RowSource;
  readonly settings: Settings & Pick<EngineRequest, 'atOnce'>;
}

/** Fits a source that is opened here, and closes it whatever happens. */
export function fitOpened(open: () => MaybePromise<Opened>, progress: ProgressTracker): MaybePromise<NestedModels> {
  return settle(openAndClose(open, progress));
}

function* openAndClose(open: () => MaybePromise<Opened>, progress: ProgressTracker): Waiting<NestedModels> {
  let source: RowSource | undefined;
  let admitted = false;
  try {
    const opened = yield* wait(open());
    const { settings } = opened;
    source = opened.source;
    if (source.resident && sizeOf(source) > MOST_AT_ONCE) {
      yield* wait(enter(progress));
      admitted = true;
    }
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    return yield* fitChosen(source, settings, yield* wait(availableEngines(settings, numbers)), progress);
  } catch (error) {
    yield* refuseFailedByChange(source, error);
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
    if (admitted) leave();
    yield* wait(source?.close?.());
  }
}

/** Fits as many components as were asked for, or as criteria choose for these data: one where they find no structure. */
function* fitChosen(
  source: RowSource | Moments,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
): Waiting<NestedModels> {
  if (settings.choose === undefined) return yield* wait(fit(source, settings, engines, progress));
  const { chooseForFit } = yield* wait(import('./analysis/criteria/evidence.js'));
  // The criteria may leave no more than moments, and a bootstrap draws rows.
  const drawn =
    settings.bootstrap && !(source instanceof Moments) ? yield* wait(rereadable(source, progress)) : undefined;
  const { choice, data } = yield* wait(chooseForFit(drawn ?? source, settings, settings.choose, engines, progress));
  const chosen = { ...settings, k: Math.max(1, choice.k) };
  return yield* wait(fit(drawn ?? data, chosen, engines, progress, { choice, opened: source }));
}

/** If the data changed during a fit that failed, that is the likely cause, so the error names it. */
function* refuseFailedByChange(source: RowSource | undefined, error: unknown): Waiting<void> {
  if (!source || !(error instanceof ScreeError) || error instanceof OptionError) return;
  const changed = yield* wait(changeOf(source));
  if (changed) throw new DataError('SOURCE_CHANGED', `${changed.message} The fit failed: ${error.message}`);
}

/** Moments contain no rows: options that concern rows are rejected. */
function refuseForMoments({ solver, learn, weights, bootstrap, transform }: Settings, cols: number): void {
  const needsRows = (learn: Settings['learn']): boolean =>
    solver !== 'auto' && SOLVERS[solver].needs({ cols, learn }) !== 'scatter';
  const { batch, ...fullBatch } = learn ?? {};
  const batches = batch !== undefined && needsRows(learn) && !needsRows(fullBatch);
  const drawn = bootstrap !== undefined && bootstrap !== 0;
  const option =
    weights !== undefined
      ? 'weights'
      : transform !== undefined
        ? 'transform'
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
    transform: 'Transform rows before you add them',
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

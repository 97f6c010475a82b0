import { enter, leave } from './admission.js';
import { changeOf } from './data/changes.js';
import { type Data, type NumberColumns, openSource, type RowSource } from './data/open-source.js';
import { availableEngines } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { enginesFor } from './engines/remote.js';
import { addressSpaceLeft } from './engines/wasm/address-space.js';
import { DataError, OptionError, ScreeError } from './errors.js';
import { fit, type NestedModels } from './fit.js';
import { keepAlive } from './keep-alive.js';
import { andThen, type MaybePromise, settle, type Waiting, wait } from './maybe-promise.js';
import type { Model } from './model/model.js';
import { Moments } from './moments.js';
import { checkOptions, type PcaOptions, type Settings } from './options.js';
import { ProgressTracker } from './progress.js';
import { rereadable } from './reading.js';

export type { NestedModels };

/**
 * Principal component analysis: the k directions of most variance, each with a certificate of how far from exact it
 * can be, and a statement whether the data determine it.
 *
 * The pipeline: data become a source, the plan chooses a solver, the rows are read as that solver needs them, the
 * solver finds the subspace, `finish` makes the model.
 */
export function pca<Given extends Data | Moments>(
  data: Given,
  options: PcaOptions<ColumnNameOf<Given>> = {},
): Promise<Model> {
  return keepAlive(() => andThen(analyse(data, options), ({ model }) => model));
}

/** Names of the columns of records and of columns by name, where their type says them: `columnNames` then accepts no others. */
export type ColumnNameOf<Given> = Given extends readonly (infer Each)[]
  ? Each extends ArrayLike<number>
    ? string
    : string extends keyof Each
      ? string
      : [keyof Each & string] extends [never]
        ? string
        : keyof Each & string
  : Given extends NumberColumns
    ? keyof Given & string
    : string;

/** `pca` for several k at once, for example for a page with a slider for k. */
export function nestedModels(data: Data | Moments, options: PcaOptions = {}): Promise<NestedModels> {
  return keepAlive(() => analyse(data, options));
}

/** Most operations, n·d·min(n, d), of a fit that is done at once and needs no place in the queue. */
export const MOST_AT_ONCE = 1e7;

/** n·d·min(n, d): the operations of a fit, about. */
export function operations({ rows = Number.POSITIVE_INFINITY, cols }: RowSource): number {
  return rows * cols * Math.min(rows, cols);
}

function analyse(data: Data | Moments, options: PcaOptions): MaybePromise<NestedModels> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings, true);
  return settle(openAndFit(data, settings, progress), () => progress.waits());
}

function* openAndFit(data: Data | Moments, settings: Settings, progress: ProgressTracker): Waiting<NestedModels> {
  if (data instanceof Moments) {
    const { refuseForMoments } = yield* wait(import('./moments-options.js'));
    refuseForMoments(settings, data.cols);
    return yield* fitChosen(data, settings, yield* wait(availableEngines(settings, data.cols ** 2)), progress);
  }
  return yield* openAndClose(() => settle(openForFit(data, settings, progress)), progress);
}

function* openForFit(data: Data, settings: Settings, progress: ProgressTracker): Waiting<Opened> {
  const numericOnly = settings.columns === 'numeric';
  const source = yield* wait(openSource(data, progress, settings.columnNames, numericOnly));
  const plain = (settings.transform ?? 'none') === 'none' && settings.scale !== 'median';
  const coded = plain
    ? { source, settings }
    : yield* wait(import('./code-columns.js').then(({ codeColumns }) => codeColumns(source, settings, progress)));
  if (!settings.lookAtColumns) return coded;
  const { watch } = yield* wait(import('./analysis/watch-columns.js'));
  return { ...coded, source: watch(coded.source, coded.settings) };
}

/** A source, and the settings for its columns. */
export interface Opened {
  readonly source: RowSource;
  readonly settings: Settings;
  /** Whether nothing may wait. */
  readonly atOnce?: boolean;
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
    const { settings, atOnce = false } = opened;
    const { engine, threads, blocking, weights } = settings;
    source = opened.source;
    if (source.resident && operations(source) > MOST_AT_ONCE) {
      yield* wait(enter(progress));
      admitted = true;
    }
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    const engines = yield* wait(enginesFor(source, { engine, threads, blocking, weights, atOnce }, numbers));
    return yield* fitChosen(source, settings, engines, progress);
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

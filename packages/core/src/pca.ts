import { enter, leave } from './admission.js';
import { changeOf } from './data/changes.js';
import { type Data, type NumberColumns, openSource, type RowSource } from './data/open-source.js';
import { availableEngines } from './engines/choose.js';
import { enginesFor } from './engines/remote.js';
import { DataError, OptionError, ScreeError } from './errors.js';
import type { fit } from './fit.js';
import { fitSmall, MOST_AT_ONCE, operations, smallFit } from './fit-small.js';
import { idleAfterWork, keepAlive } from './keep-alive.js';
import type { NestedModels } from './model/finish.js';
import type { Model } from './model/model.js';
import { Moments } from './moments.js';
import { checkOptions, type PcaOptions, type Settings } from './options.js';
import { ProgressTracker } from './progress.js';

export type { NestedModels } from './model/finish.js';

/**
 * Principal component analysis: the k directions of most variance, each with a certificate of how far from exact it
 * can be, and a statement whether the data determine it.
 *
 * The pipeline: data become a source, the plan chooses a solver, the rows are read as that solver needs them, the
 * solver finds the subspace, `finish` makes the model.
 */
export async function pca<Given extends Data | Moments>(
  data: Given,
  options: PcaOptions<ColumnNameOf<Given>> = {},
): Promise<Model> {
  return (await nestedModels(data, options)).model;
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
export async function nestedModels(data: Data | Moments, options: PcaOptions = {}): Promise<NestedModels> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings);
  if (data instanceof Moments) return keepAlive(() => fitMoments(data, settings, progress));
  return explainLackOfMemory(async () => {
    const opening = openSource(data, progress, settings.columnNames, settings.columns === 'numeric');
    const small = opening instanceof Promise ? undefined : smallFit(opening, settings);
    if (!small?.negligible) {
      return keepAlive(() => fitOpened(async () => prepareColumns(await opening, settings, progress), progress));
    }
    const models = await fitSmall(opening as RowSource, small, settings, progress);
    idleAfterWork();
    return models;
  });
}

async function fitMoments(moments: Moments, settings: Settings, progress: ProgressTracker): Promise<NestedModels> {
  const { refuseForMoments } = await import('./moments-options.js');
  refuseForMoments(settings, moments.cols);
  const { fit } = await import('./fit.js');
  return fit(moments, settings, await availableEngines(settings, moments.cols ** 2), progress);
}

/** A source, and the settings for its columns. */
export interface Opened {
  readonly source: RowSource;
  readonly settings: Settings;
}

/** Fits a source that is opened here, by `pca` or another function that takes an opened source, and closes it whatever happens. */
export async function fitOpened(
  open: () => Promise<Opened>,
  progress: ProgressTracker,
  fitSource?: (...given: Parameters<typeof fit>) => Promise<NestedModels>,
): Promise<NestedModels> {
  let source: RowSource | undefined;
  let admitted = false;
  try {
    const opened = await open();
    const { settings } = opened;
    source = opened.source;
    const { engine, threads, blocking, weights } = settings;
    if (source.resident && operations(source) > MOST_AT_ONCE) {
      await enter(progress);
      admitted = true;
    }
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    const engines = await enginesFor(source, { engine, threads, blocking, weights }, numbers);
    const rows = source;
    // Small data are fitted without this code.
    const fitRows = fitSource ?? (await import('./fit.js')).fit;
    return await explainLackOfMemory(() => fitRows(rows, settings, engines, progress));
  } catch (error) {
    await refuseFailedByChange(source, error);
    throw error;
  } finally {
    if (admitted) leave();
    await source?.close?.();
  }
}

/** The source with its columns transformed and scaled as the settings want it, and the settings for these columns. */
export async function prepareColumns(
  source: RowSource,
  settings: Settings,
  progress: ProgressTracker,
): Promise<Opened> {
  const plain = (settings.transform ?? 'none') === 'none' && settings.scale !== 'median';
  return plain ? { source, settings } : (await import('./code-columns.js')).codeColumns(source, settings, progress);
}

/** If the data changed during a fit that failed, that is the likely cause, so the error names it. */
async function refuseFailedByChange(source: RowSource | undefined, error: unknown): Promise<void> {
  if (!source || !(error instanceof ScreeError) || error instanceof OptionError) return;
  const changed = await changeOf(source);
  if (changed) throw new DataError('SOURCE_CHANGED', `${changed.message} The fit failed: ${error.message}`);
}

/** Typed arrays and WebAssembly have different messages for a lack of memory: one error says what to do about it. */
async function explainLackOfMemory<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError && /alloc|array length|unable to grow/i.test(error.message))) throw error;
    throw (await import('./too-large.js')).tooLarge(error.message);
  }
}

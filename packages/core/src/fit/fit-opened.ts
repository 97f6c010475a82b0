import type { ProgressTracker } from '../base/progress.js';
import { changeOf } from '../data/blocks/changes.js';
import type { RowSource } from '../data/blocks/row-source.js';
import { enginesFor } from '../engines/remote.js';
import { DataError, OptionError, ScreeError } from '../errors.js';
import type { NestedModels } from '../model/finish.js';
import type { Settings } from '../options.js';
import { enter, leave } from './admission.js';
import { explainLackOfMemory } from './explain-lack-of-memory.js';
import { fit } from './fit.js';
import { MOST_AT_ONCE, operations } from './fit-small.js';

/** A source, and the settings for its columns. */
export interface Opened {
  readonly source: RowSource;
  readonly settings: Settings;
}

/** Fits a source that is opened here, by `pca` or another function that takes an opened source, and closes it whatever happens. */
export async function fitOpened(
  open: () => Promise<Opened>,
  progress: ProgressTracker,
  fitSource: (...given: Parameters<typeof fit>) => Promise<NestedModels> = fit,
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
    return await explainLackOfMemory(() => fitSource(rows, settings, engines, progress));
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
  return plain ? { source, settings } : (await import('./encode-columns.js')).encodeColumns(source, settings, progress);
}

/** If the data changed during a fit that failed, that is the likely cause, so the error names it. */
async function refuseFailedByChange(source: RowSource | undefined, error: unknown): Promise<void> {
  if (!source || !(error instanceof ScreeError) || error instanceof OptionError) return;
  const changed = await changeOf(source);
  if (changed) throw new DataError('SOURCE_CHANGED', `${changed.message} The fit failed: ${error.message}`);
}

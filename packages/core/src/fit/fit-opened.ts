import { nextTurn } from '../base/event-loop.js';
import type { ProgressTracker } from '../base/progress.js';
import { changeOf } from '../data/blocks/changes.js';
import type { RowSource } from '../data/blocks/row-source.js';
import { enginesFor } from '../engines/remote.js';
import { DataError, OptionError, ScreeError } from '../errors.js';
import type { NestedModels } from '../model/finish.js';
import type { Settings } from '../options.js';
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
      await waitForTurn(progress);
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
    if (admitted) endTurn();
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

/**
 * The queue of fits. Fits of data in memory run one after the other, in the order in which they were called: one uses all cores, and two at a time
 * would take the workers from each other. Small fits do not wait. Nor do fits of streams and files, which may wait for a program that itself
 * awaits a fit.
 */

/** Fits at a time. With three, four fits took three times as long as one after the other, on 16 cores (bench/event-loop.ts). */
const MOST_FITS = 1;
let running = 0;
const waiting: (() => void)[] = [];

/** Waits for the fit's turn; undefined where it may begin at once. Every admitted fit calls `leave` when it ends. */
export function waitForTurn(progress: ProgressTracker): Promise<void> | undefined {
  if (running < MOST_FITS) {
    running++;
    return undefined;
  }
  let begin: () => void = () => {};
  const turn = new Promise<void>((resolve) => {
    begin = resolve;
    waiting.push(resolve);
  });
  return progress.orAbort(turn).catch(async (error) => {
    const at = waiting.indexOf(begin);
    // Its turn may have come at the moment of the abort.
    if (at >= 0) waiting.splice(at, 1);
    else endTurn();
    await nextTurn();
    throw error;
  });
}

/** Lets the next fit begin. */
export function endTurn(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}

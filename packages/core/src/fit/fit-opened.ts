import { nextTurn } from '../base/event-loop.js';
import type { ProgressTracker } from '../base/progress.js';
import { changeOf } from '../data/blocks/changes.js';
import type { RowSource } from '../data/blocks/row-source.js';
import { enginesFor } from '../engines/remote.js';
import { DataError, OptionError, ScreeError } from '../errors.js';
import type { NestedModels } from '../model/finish.js';
import type { Settings } from '../options.js';
import { explainLackOfMemory } from './explain-lack-of-memory.js';
import { type FitResult, fit } from './fit.js';
import { fitSmall, MOST_AT_ONCE, operations, smallFit } from './fit-small.js';

/** A source of rows, and the settings of its fit. */
export interface Opened {
  readonly source: RowSource;
  readonly settings: Settings;
}

/** The parameters of `fit` after the source. */
type FitParameters = Parameters<typeof fit> extends [unknown, ...infer Others] ? Others : never;

/**
 * Opens a source, fits it and closes it, also after an error. `fitSource` is the fit of `pca`, or another function with the same
 * parameters.
 */
export async function fitOpened(
  open: () => Promise<Opened>,
  progress: ProgressTracker,
  fitSource: (source: RowSource, ...others: FitParameters) => Promise<NestedModels> = fit,
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

/** Applies the options `columnTransform` and `scale: 'median'` to a source. Returns the new source and its settings. */
export async function prepareColumns(
  source: RowSource,
  settings: Settings,
  progress: ProgressTracker,
): Promise<Opened> {
  const plain = (settings.columnTransform ?? 'none') === 'none' && settings.scale !== 'median';
  return plain
    ? { source, settings }
    : (await import('./column-options.js')).applyColumnOptions(source, settings, progress);
}

/** The fit of rows that are ready to be read: the synchronous path if it takes less than half a millisecond. */
export async function fitAny(source: RowSource, ...others: FitParameters): Promise<FitResult> {
  const [settings, , progress] = others;
  const small = smallFit(source, settings);
  return small?.negligible ? fitSmall(source, small, settings, progress) : fit(source, ...others);
}

/** If the data changed during a failed fit, the change is the likely cause: the error reports it. */
async function refuseFailedByChange(source: RowSource | undefined, error: unknown): Promise<void> {
  if (!source || !(error instanceof ScreeError) || error instanceof OptionError) return;
  const changed = await changeOf(source);
  if (changed) throw new DataError('SOURCE_CHANGED', `${changed.message} The fit failed: ${error.message}`);
}

/**
 * The queue of fits. Fits of data in memory run one after the other, in the order of the calls: a fit uses all cores, and two
 * fits would compete for the workers. Small fits do not wait. Fits of streams and files do not wait either, because a stream may
 * depend on the result of another fit.
 */

/** Number of fits that run at once. With three, four fits took three times as long as with one, on 16 cores (bench/event-loop.ts). */
const MOST_FITS = 1;
/** Number of fits that run now. A count for the process. */
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Waits until a fit may begin. Returns undefined if it may begin immediately. Every fit that waited, or did not have to, calls
 * `endTurn` when it ends.
 */
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
    // The abort may arrive when the turn of the fit has already come.
    if (at >= 0) waiting.splice(at, 1);
    else endTurn();
    await nextTurn();
    throw error;
  });
}

/** Ends the turn of a fit. The next fit in the queue begins. */
export function endTurn(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}

import { changeOf } from './data/changes.js';
import { type Data, openSource, type RowSource } from './data/open-source.js';
import { availableEngines } from './engines/choose.js';
import type { Engine } from './engines/engine.js';
import { enginesFor } from './engines/remote.js';
import { addressSpaceLeft } from './engines/wasm/address-space.js';
import { DataError, OptionError, ScreeError } from './errors.js';
import { fit, type NestedModels } from './fit.js';
import { keepAlive } from './keep-alive.js';
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
export async function pca<Given extends Data | Moments>(
  data: Given,
  options: PcaOptions<ColumnNameOf<Given>> = {},
): Promise<Model> {
  return (await nestedModels(data, options)).model;
}

/** Names of the columns of records, where their type says them: `columnNames` then accepts no others. */
export type ColumnNameOf<Given> = Given extends readonly (infer Each)[]
  ? Each extends ArrayLike<number>
    ? string
    : string extends keyof Each
      ? string
      : [keyof Each & string] extends [never]
        ? string
        : keyof Each & string
  : string;

/** `pca` for several k at once, for example for a page with a slider for k. */
export function nestedModels(data: Data | Moments, options: PcaOptions = {}): Promise<NestedModels> {
  return keepAlive(() => analyse(data, options));
}

async function analyse(data: Data | Moments, options: PcaOptions): Promise<NestedModels> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings);
  if (data instanceof Moments) {
    refuseForMoments(settings, data.cols);
    return fitChosen(data, settings, await availableEngines(settings, data.cols ** 2), progress);
  }
  return fitOpened(async () => {
    const source = await openSource(data, progress, settings.columnNames, settings.columns === 'numeric');
    const plain = (settings.transform ?? 'none') === 'none' && settings.scale !== 'median';
    const coded = plain
      ? { source, settings }
      : await (await import('./code-columns.js')).codeColumns(source, settings, progress);
    if (!settings.lookAtColumns) return coded;
    const { watchColumns } = await import('./analysis/look-at-columns.js');
    return { ...coded, source: watchColumns(coded.source, coded.settings) };
  }, progress);
}

/** Fits a source that is opened here, and closes it whatever happens. */
export async function fitOpened(
  open: () => Promise<{ source: RowSource; settings: Settings }>,
  progress: ProgressTracker,
): Promise<NestedModels> {
  let source: RowSource | undefined;
  try {
    const opened = await open();
    const { settings } = opened;
    source = opened.source;
    const numbers = source.rows === undefined ? undefined : (source.nonzeros ?? source.rows * source.cols);
    return await fitChosen(source, settings, await enginesFor(source, settings, numbers), progress);
  } catch (error) {
    await refuseFailedByChange(source, error);
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
    await source?.close?.();
  }
}

/** Fits as many components as were asked for, or as criteria choose for these data: one where they find no structure. */
async function fitChosen(
  source: RowSource | Moments,
  settings: Settings,
  engines: readonly [Engine, ...Engine[]],
  progress: ProgressTracker,
): Promise<NestedModels> {
  if (settings.choose === undefined) return fit(source, settings, engines, progress);
  const { chooseForFit } = await import('./analysis/criteria/evidence.js');
  // The criteria may leave no more than moments, and a bootstrap draws rows.
  const drawn = settings.bootstrap && !(source instanceof Moments) ? await rereadable(source, progress) : undefined;
  const { choice, data } = await chooseForFit(drawn ?? source, settings, settings.choose, engines, progress);
  const chosen = { ...settings, k: Math.max(1, choice.k) };
  return fit(drawn ?? data, chosen, engines, progress, { choice, opened: source });
}

/** If the data changed during a fit that failed, that is the likely cause, so the error names it. */
async function refuseFailedByChange(source: RowSource | undefined, error: unknown): Promise<void> {
  if (!source || !(error instanceof ScreeError) || error instanceof OptionError) return;
  const changed = await changeOf(source);
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

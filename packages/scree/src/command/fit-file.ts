import { DataError, Model, Moments, type PcaOptions, type RowSource, type Warning } from '@scree/core';
import { several } from '@scree/core/describe';
import { nestedModels } from '@scree/core/engine';
import { DEFAULT_MEMORY } from '@scree/files';
import type { DataFile, FileOptions, OpenOptions } from '../disk/index.js';
import { readModel } from '../disk/model-file.js';
import { offerEngines } from '../offer-engines.js';
import { readColumnWeights } from './column-weights.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { type Depth, examine, type NotComputed, replicatesFor } from './examine.js';
import { rememberRows } from './remember-rows.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile, withFile } from './with-file.js';

// The index of the package does this too, but loading it would take longer than most fits.
offerEngines();

/** Flags with the same name as an option of `pca`. */
const PCA_FLAGS = ['scale', 'whiten', 'ddof', 'solver', 'engine', 'threads', 'seed', 'tolerance'] as const;
export const COUNT_FLAGS = ['components', 'variance', 'all'] as const;

/** The options of `pca` from the flags. */
export function fitOptions(flags: Readonly<Record<string, unknown>>): PcaOptions {
  const counts = COUNT_FLAGS.filter((name) => flags[name] !== undefined);
  if (counts.length > 1) throw new UsageError(`--${counts[0]} and --${counts[1]} exclude one another.`);
  const k = flags.all ? 'all' : (flags.components ?? flags.variance);
  const named = PCA_FLAGS.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]);
  return {
    ...Object.fromEntries(named),
    ...(k === undefined ? {} : { k: k as NonNullable<PcaOptions['k']> }),
    ...(flags['no-center'] ? { center: false } : {}),
  };
}

export interface FitWay {
  /** Replaces how the rows are read. */
  readonly read?: ((weights: Float64Array | undefined) => Promise<RowSource | Moments>) | undefined;
  /** Whether to ask how many components to keep and how stable they are, and how closely. Default: not at all. */
  readonly depth?: Depth | undefined;
}

export interface FittedFile {
  readonly model: Model;
  /** Time of the fit, without what was asked about it. */
  readonly seconds: number;
  /** The model of the first components alone. */
  readonly first: (k: number) => Model;
  /** The rows, kept in memory if they are few. */
  readonly source: RowSource;
  /** The weights of the rows, where there are some. */
  readonly weights: Float64Array | undefined;
  readonly notComputed: NotComputed;
}

/** Fits a model to a file, and measures the seconds that it takes. */
export async function fitFile(
  file: DataFile,
  { flags, signal }: Pick<Call, 'flags' | 'signal'>,
  terminal: Terminal,
  { read, depth }: FitWay = {},
): Promise<FittedFile> {
  const memory = (flags.memory as number | undefined) ?? DEFAULT_MEMORY;
  const source = rememberRows(file.source, depth ? memory / 4 : 0);
  await countRowsOfSmallFile({ source, bytes: file.bytes }, signal);
  if (depth !== 'full') terminal.note(file.describe());
  const weights = await file.weights();
  const start = performance.now();
  // The replicates of a bootstrap are drawn when the fit is done.
  let drawing: number | undefined;
  const onProgress: PcaOptions['onProgress'] = (progress) => {
    if (progress.phase === 'bootstrap') drawing ??= performance.now();
    terminal.onProgress(progress);
  };
  const rows = read ? await read(weights) : source;
  const moments = rows instanceof Moments ? rows : undefined;
  const weightFile = flags['column-weights'] as string | undefined;
  const options: PcaOptions = {
    ...fitOptions(flags),
    ...(weights ? { weights } : {}),
    ...(weightFile === undefined ? {} : { columnWeights: await readColumnWeights(weightFile, file.columns) }),
    memory,
    onProgress,
    signal,
    lookAtColumns: true,
  };
  const asked = flags.bootstrap as number | undefined;
  const replicates = depth && !moments ? replicatesNow(asked, source, weights) : 0;
  // The weights are already part of moments.
  const { weights: _, ...unweighted } = options;
  const nested = await nestedModels(rows, moments ? unweighted : { ...options, bootstrap: replicates });
  const fitted = nested.model;
  const seconds = ((drawing ?? performance.now()) - start) / 1000;
  // Moments do not know the file that they were read from.
  const model = moments ? withWarnings(fitted, (await file.source.warnings?.()) ?? []) : fitted;
  const examined = depth
    ? await examine(model, {
        depth,
        replicates: asked,
        source: source.rereadable ? source : undefined,
        moments,
        options,
      })
    : { model, notComputed: {} };
  terminal.clear();
  return { ...examined, first: nested.first, source, weights, seconds };
}

/** Replicates to draw with the fit: none yet where rows can be read only once, or their number is not known and decides. */
function replicatesNow(
  asked: number | undefined,
  { rows, cols, rereadable }: RowSource,
  weights?: Float64Array,
): number {
  if (!rereadable) return 0;
  if (rows === undefined) return asked ?? 0;
  const counted = weights ? weights.reduce((sum, weight) => (weight > 0 ? sum + 1 : sum), 0) : rows;
  const replicates = replicatesFor(asked, counted, cols);
  return typeof replicates === 'string' ? 0 : replicates;
}

function withWarnings(model: Model, more: readonly Warning[]): Model {
  return more.length === 0 ? model : new Model({ ...model, warnings: [...model.warnings, ...more] });
}

/** Opens a file, and reads the model that --model names or fits one to the file. */
export async function withModel(
  call: Call,
  terminal: Terminal,
  use: (file: DataFile, fitted: { readonly model: Model; readonly seconds?: number }) => Promise<void>,
): Promise<void> {
  const { positionals, flags } = call;
  if (typeof flags.model !== 'string') {
    await withFile(positionals, fileOptions(flags, call.signal), async (file) => {
      checkRereadable(file);
      await use(file, await fitFile(file, call, terminal));
    });
    return;
  }
  const other = [...COUNT_FLAGS, ...PCA_FLAGS, 'no-center'].find(
    (name) => name !== 'threads' && flags[name] !== undefined,
  );
  if (other) throw new UsageError(`--${other} says how to fit, and --model brings a model. Leave one of them out.`);
  const model = await readModel(flags.model);
  await withFile(positionals, fileOptionsFor(model, fileOptions(flags, call.signal)), async (file) => {
    checkColumnCount(model, file.source.cols, positionals[0] ?? 'The query');
    await use(file, { model });
  });
}

/** Rejects data that cannot be read again. */
export function checkRereadable({ source }: DataFile): void {
  if (source.rereadable) return;
  throw new UsageError('This reads rows more than once: save standard input to a file first, or bring a --model.');
}

/**
 * Options to read rows for a model: its columns, found by name if it has names, in any order and among any others. Missing values are
 * filled with the means of the model, if it has means, so that the scores of a row do not depend on other rows.
 */
export function fileOptionsFor(model: Model, options: OpenOptions): OpenOptions {
  return {
    ...options,
    ...columnsFor(model, options),
    ...(options.missing === 'mean' && model.centered ? { fill: model.mean } : {}),
  };
}

function columnsFor({ columnNames: names }: Model, { columns, exclude = [] }: FileOptions): FileOptions {
  if (!names) return {};
  if (columns === undefined) {
    const needed = exclude.find((name) => names.includes(name));
    if (needed === undefined) return { columns: names };
    throw new UsageError(`--exclude leaves out ${JSON.stringify(needed)}, and the model was fitted to it.`);
  }
  const same = columns.length === names.length && columns.every((name) => names.includes(name));
  if (same) return { columns: names };
  // Columns with other names than the model's are taken in their order: --columns says which is which.
  const moved = columns.find((name, j) => names.includes(name) && names[j] !== name);
  if (moved === undefined) return {};
  throw new UsageError(
    `--columns has ${JSON.stringify(moved)} in another place than the model, whose columns are ${listed(names)}. Name them in this order.`,
  );
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${some}, … (${names.length} in all)` : some;
}

export function checkColumnCount(model: Model, cols: number, path: string): void {
  if (cols === model.d) return;
  throw new DataError(
    'WIDTH_MISMATCH',
    `${path} has ${several(cols, 'numeric column')}, and the model was fitted to ${model.d}. Choose the same ones with --columns.`,
    { value: cols, expected: model.d },
  );
}

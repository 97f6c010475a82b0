import { type AnalyzeOptions, analyze } from '@scree/analysis';
import { type Coding, Model, Moments, type PcaOptions, type RowSource, type Warning } from '@scree/core';
import { partsOf } from '@scree/core/data';
import { DEFAULT_MEMORY } from '@scree/files';
import type { DataFile } from '../disk/index.js';
import { readModel } from '../disk/model-file.js';
import { offerEngines } from '../offer-engines.js';
import { readColumnWeights } from './column-weights.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import type { PreparedFile } from './derived-file.js';
import { type Depth, examine, type NotComputed, replicatesFor } from './examine.js';
import { type Between, fitBetween } from './fit-between.js';
import { COUNT_FLAGS, fitOptions, PCA_FLAGS } from './fit-options.js';
import { fileOptionsFor, readFor } from './for-model.js';
import { rememberRows } from './remember-rows.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile, withFile } from './with-file.js';

// The index of the package does this too, but loading it would take longer than most fits.
offerEngines();

export interface FitWay {
  /** Replaces how the rows are read. */
  readonly read?: ((weights: Float64Array | undefined) => Promise<RowSource | Moments>) | undefined;
  /** Whether to ask how many components to keep and how stable they are, and how closely. Default: not at all. */
  readonly depth?: Depth | undefined;
}

export interface FittedFile {
  /** The model of the columns of `source`: of coded columns, where there is a coding. */
  readonly model: Model;
  readonly coding: Coding | undefined;
  /** Time of the fit, without what was asked about it. */
  readonly seconds: number;
  /** The model of the first components alone. */
  readonly first: (k: number) => Model;
  /** The rows that were fitted, kept in memory if they are few. */
  readonly source: RowSource;
  /** The weights of the rows, where there are some. */
  readonly weights: Float64Array | undefined;
  readonly notComputed: NotComputed;
  /** Where the model is one of the means of groups. */
  readonly between?: Between;
}

/** The model as it is stored and described: it takes the user's own table. */
export function withCoding(model: Model, coding: Coding | undefined): Model {
  return coding ? new Model({ ...model, coding }) : model;
}

/** Fits a model to a file, and measures the seconds that it takes. */
export async function fitFile(
  file: PreparedFile,
  { flags, signal }: Pick<Call, 'flags' | 'signal'>,
  terminal: Terminal,
  { read, depth }: FitWay = {},
): Promise<FittedFile> {
  if (flags.between !== undefined) {
    await countRowsOfSmallFile(file, signal);
    if (depth !== 'full') terminal.note(file.describe());
    return fitBetween(file, { flags, signal }, terminal);
  }
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
  const options: AnalyzeOptions = {
    ...fitOptions(flags),
    ...file.fit,
    ...(weights ? { weights } : {}),
    ...(weightFile === undefined
      ? {}
      : { columnWeights: await readColumnWeights(weightFile, source.columnNames ?? file.columns) }),
    memory,
    onProgress,
    signal,
    // Of levels of a category and of log-ratios nothing useful could be said: they have no units, and --scale is taken.
    lookAtColumns: file.fit === undefined && partsOf(file.coding?.columns ?? []).length === 0,
  };
  const asked = flags.bootstrap as number | undefined;
  const replicates = depth && !moments ? replicatesNow(asked, source, weights) : 0;
  // The weights are already part of moments.
  const { weights: _, ...unweighted } = options;
  const nested = await analyze(rows, moments ? unweighted : { ...options, bootstrap: replicates });
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
        coding: file.coding,
      })
    : { model, notComputed: {} };
  terminal.clear();
  return { ...examined, coding: file.coding, first: nested.first, source, weights, seconds };
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
  use: (file: PreparedFile, fitted: { readonly model: Model; readonly seconds?: number }) => Promise<void>,
): Promise<void> {
  const { positionals, flags } = call;
  if (typeof flags.model !== 'string') {
    await withFile(positionals, fileOptions(flags, call.signal), async (file) => {
      checkRereadable(file);
      await use(file, await fitFile(file, call, terminal));
    });
    return;
  }
  const other = [...COUNT_FLAGS, ...PCA_FLAGS, 'no-center', ...CODING_FLAGS].find(
    (name) => name !== 'threads' && flags[name] !== undefined,
  );
  if (other) throw new UsageError(`--${other} says how to fit, and --model brings a model. Leave one of them out.`);
  const model = await readModel(flags.model);
  await withFile(positionals, fileOptionsFor(model, flags, call.signal), async (file) => {
    await use(await readFor(model, file, call, positionals[0] ?? 'The query'), { model });
  });
}

const CODING_FLAGS = ['method', 'transform', 'residualize', 'categories', 'blocks', 'rare'] as const;

/** Rejects data that cannot be read again. */
export function checkRereadable({ source }: DataFile): void {
  if (source.rereadable) return;
  throw new UsageError('This reads rows more than once: save standard input to a file first, or bring a --model.');
}

import {
  type Analysis,
  type AnalysisTable,
  type AnalyzeTableOptions,
  analyzeTable,
  type RobustMethod,
  type TableFitOptions,
} from '@scree/analysis';
import { DEFAULT_MEMORY } from '@scree/files';
import type { DataFile } from '../disk/index.js';
import { offerEngines } from '../offer-engines.js';
import { readColumnWeights } from './column-weights.js';
import type { Call } from './command.js';
import { predictingMethod } from './data-flags.js';
import { betweenLabels } from './fit-between.js';
import { fitOptions } from './fit-options.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile } from './with-file.js';

// The index of the package does this too, but loading it would take longer than most fits.
offerEngines();

/** A file as a table to analyse. Some properties, such as the number of rows, are known only after the file was read. */
export function tableOf(file: DataFile): AnalysisTable {
  const { source, columns, coding: encoding, fit, label, supplementary, groups, supplementaryRows, leftOut } = file;
  // Sparse rows have no other columns beside them, unless they were encoded.
  const sparse = source.nonzeros !== undefined && !encoding;
  return {
    source,
    columns: encoding?.columns.map(({ name }) => name) ?? columns,
    coding: encoding,
    fit,
    label,
    supplementary,
    groups,
    leftOut,
    get dropped() {
      return file.dropped;
    },
    ...(supplementaryRows ? { supplementaryRows: tableOf(supplementaryRows) } : {}),
    placesOf: (rows) => file.rowsInFile(rows),
    ...(sparse ? {} : { parts: () => file.withSupplementary() }),
  };
}

/** The options of an analysis from the flags. Reads the weights of the rows if they have some. */
export async function questionsOf(
  file: DataFile,
  { flags, signal }: Pick<Call, 'flags' | 'signal'>,
  terminal: Terminal,
): Promise<TableFitOptions> {
  const weights = await file.weights();
  const weightFile = flags['column-weights'] as string | undefined;
  const bootstrap = bootstrapOf(flags);
  const names = file.source.columnNames ?? file.columns;
  return {
    ...fitOptions(flags),
    ...file.fit,
    ...(weights ? { weights } : {}),
    ...(weightFile === undefined ? {} : { columnWeights: await readColumnWeights(weightFile, names) }),
    ...(flags.between === undefined ? {} : { between: await betweenLabels(file, flags) }),
    ...(bootstrap === undefined ? {} : { bootstrap }),
    ...robustOf(flags),
    memory: (flags.memory as number | undefined) ?? DEFAULT_MEMORY,
    onProgress: terminal.onProgress,
    signal,
  };
}

/** --robust and --robust-share. */
export function robustOf(flags: Call['flags']): Pick<TableFitOptions, 'robust'> {
  const method = flags.robust as RobustMethod | 'auto' | undefined;
  const share = flags['robust-share'] as number | undefined;
  if (method === undefined) {
    if (share === undefined) return {};
    throw new UsageError('--robust-share belongs to a robust fit: use it with --robust auto.');
  }
  const other = ['no-center', 'between', 'weights', 'whiten', 'checkpoint', 'covariance'].find(
    (name) => flags[name] !== undefined,
  );
  if (other) throw new UsageError(`--${other} does not go with --robust. Leave one of them out.`);
  return { robust: { method, ...(share === undefined ? {} : { share }) } };
}

/** The replicates of the bootstrap, and how they are drawn. */
function bootstrapOf(flags: Call['flags']): TableFitOptions['bootstrap'] {
  const replicates = flags.bootstrap as number | undefined;
  const block = flags['bootstrap-block'] as number | undefined;
  if (block === undefined) return replicates;
  if (replicates === 0)
    throw new UsageError(
      '--bootstrap 0 draws nothing, and --bootstrap-block says what to draw. Leave one of them out.',
    );
  const drawn = block === 1 ? ({ kind: 'rows' } as const) : ({ kind: 'blocks', block } as const);
  return { ...drawn, ...(replicates === undefined ? {} : { replicates }) };
}

/** Options for the data of figures and for listing single rows. */
export type MoreQuestions = Pick<AnalyzeTableOptions, 'figures' | 'colours' | 'listRows'>;

/** Fits and analyses a file as the flags say. */
export async function analyzeFile(
  file: DataFile,
  call: Pick<Call, 'flags' | 'signal'>,
  terminal: Terminal,
  more: MoreQuestions = {},
): Promise<Analysis> {
  await countRowsOfSmallFile(file, call.signal);
  const rotate = call.flags.rotate as AnalyzeTableOptions['rotate'];
  const questions = await questionsOf(file, call, terminal);
  const missing = predictingMethod(call.flags);
  const analysis = await analyzeTable(tableOf(file), {
    ...questions,
    ...more,
    ...(rotate ? { rotate } : {}),
    ...(missing ? { missing } : {}),
  });
  terminal.clear();
  return analysis;
}

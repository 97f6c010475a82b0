import type { AnalyzeSummaryOptions, TableSummary } from '@scree/analysis';
import { DEFAULT_MEMORY } from '@scree/files';
import { isSummaryFile, mergeSummaryFiles, readSummary } from '../disk/summary-file.js';
import { offerEngines } from '../offer-engines.js';
import type { Call } from './command.js';
import { fitOptions } from './fit-options.js';
import { encodingFlag } from './method.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

offerEngines();

/** Flags that say how rows are read, which moments no longer have. */
const ROW_FLAGS = [
  'columns',
  'exclude',
  'label',
  'name',
  'color',
  'weight',
  'missing',
  'na',
  'sql',
  'member',
  'format',
] as const;

/** The summary that is named, or several of them merged; undefined where data are named. */
export async function summaryOf({ positionals, signal }: Call, terminal: Terminal): Promise<TableSummary | undefined> {
  const [path] = positionals;
  if (path === undefined || path === '-' || !(await isSummaryFile(path))) return undefined;
  if (positionals.length === 1) return readSummary(path);
  return mergeSummaryFiles(positionals, { signal, onProgress: terminal.onProgress });
}

/** Options to fit a summary from the flags. Flags that would need its rows are refused. */
export function summaryOptions(
  summary: TableSummary,
  { positionals: [path], flags, signal }: Call,
  terminal: Terminal,
): AnalyzeSummaryOptions {
  refuseRowFlags(flags, path);
  const kept = summary.replicates.length;
  const { bootstrap } = flags as { readonly bootstrap?: number };
  if (bootstrap !== undefined && bootstrap > 0 && bootstrap !== kept) {
    throw new UsageError(
      `--bootstrap draws from rows, and ${path} ${kept > 0 ? `keeps ${kept} replicates` : 'keeps no replicates'}: use it with scree moments.`,
    );
  }
  const { bootstrap: _, ...options } = fitOptions(flags);
  return {
    ...options,
    ...(bootstrap === 0 ? { bootstrap } : {}),
    memory: (flags.memory as number | undefined) ?? DEFAULT_MEMORY,
    onProgress: terminal.onProgress,
    signal,
  };
}

function refuseRowFlags(flags: Readonly<Record<string, unknown>>, path: string): void {
  const encoding = encodingFlag(flags);
  if (encoding)
    throw new UsageError(`${encoding} needs the rows, and those of ${path} are gone: use it with the data themselves.`);
  const flag = [...ROW_FLAGS, 'checkpoint'].find((name) => flags[name] !== undefined);
  if (flags.solver !== undefined && flags.solver !== 'auto' && flags.solver !== 'covariance')
    throw new UsageError(`--solver ${flags.solver} reads rows, and those of ${path} are gone: leave --solver out.`);
  if (flag === undefined) return;
  throw new UsageError(
    flag === 'checkpoint'
      ? `--checkpoint saves sums of rows, and ${path} is such sums already.`
      : `--${flag} says how rows are read, and the rows of ${path} are gone: use it with scree moments.`,
  );
}

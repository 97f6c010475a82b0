import type { TableSummary } from '@scree/analysis';
import { type AnalyzeOptions, analyze } from '@scree/analysis';
import { Model } from '@scree/core';
import { DEFAULT_MEMORY } from '@scree/files';
import { describeSummary, isSummaryFile, mergeSummaryFiles, readSummary } from '../disk/summary-file.js';
import { offerEngines } from '../offer-engines.js';
import type { Call } from './command.js';
import { type Depth, examine, type NotComputed } from './examine.js';
import { fitOptions } from './fit-options.js';
import { codingFlag } from './method.js';
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

export interface FittedSummary {
  readonly model: Model;
  readonly seconds: number;
  readonly notComputed: NotComputed;
  readonly description: string;
}

/** Why what needs rows is not there. */
export const NO_ROWS = 'Moments have no rows. Name the data themselves, with --model where this model is to be used.';

/** The summary that is named, or several of them merged; undefined where data are named. */
export async function summaryOf({ positionals, signal }: Call, terminal: Terminal): Promise<TableSummary | undefined> {
  const [path] = positionals;
  if (path === undefined || path === '-' || !(await isSummaryFile(path))) return undefined;
  if (positionals.length === 1) return readSummary(path);
  return mergeSummaryFiles(positionals, { signal, onProgress: terminal.onProgress });
}

/** Fits a model to moments, and asks of it what can be known without rows. */
export async function fitSummary(
  summary: TableSummary,
  { positionals: [path], flags, signal }: Call,
  terminal: Terminal,
  depth: Depth,
): Promise<FittedSummary> {
  refuseRowFlags(flags, path);
  const kept = summary.replicates.length;
  if (typeof flags.bootstrap === 'number' && flags.bootstrap > 0 && flags.bootstrap !== kept) {
    throw new UsageError(
      `--bootstrap draws from rows, and ${path} ${kept > 0 ? `keeps ${kept} replicates` : 'keeps no replicates'}: use it with scree moments.`,
    );
  }
  const description = describeSummary(summary.head, path);
  if (depth !== 'full') terminal.note(description);
  const options: AnalyzeOptions = {
    ...fitOptions(flags),
    memory: (flags.memory as number | undefined) ?? DEFAULT_MEMORY,
    onProgress: terminal.onProgress,
    signal,
    lookAtColumns: true,
  };
  const start = performance.now();
  const moments = await summary.moments();
  const fitted = moments ? (await analyze(moments, options)).model : await summary.model({ ...options, bootstrap: 0 });
  const seconds = (performance.now() - start) / 1000;
  const stability = flags.bootstrap === 0 ? undefined : await summary.stability(fitted, options);
  const warnings = moments ? [...fitted.warnings, ...summary.warnings] : fitted.warnings;
  const model = new Model({ ...fitted, warnings, ...(stability ? { stability } : {}) });
  const examined = await examine(model, { depth, replicates: 0, source: undefined, moments, options });
  terminal.clear();
  const notComputed = {
    ...(examined.notComputed.choice === undefined
      ? {}
      : { choice: moments ? examined.notComputed.choice : 'A sketch has the leading variances only.' }),
    ...(examined.notComputed.stability === undefined
      ? {}
      : { stability: 'Moments have no rows to draw from. Use scree moments --bootstrap 200.' }),
  };
  return { model: examined.model, seconds, notComputed, description };
}

function refuseRowFlags(flags: Readonly<Record<string, unknown>>, path: string): void {
  const coding = codingFlag(flags);
  if (coding)
    throw new UsageError(`${coding} needs the rows, and those of ${path} are gone: use it with the data themselves.`);
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

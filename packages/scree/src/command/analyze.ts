import { basename } from 'node:path';
import { type Analysis, type AnalyzeOptions, analysisJson, analyzeSummary, type TableSummary } from '@scree/analysis';
import type { RowRanges } from '@scree/files';
import { withoutParameters } from '../database/postgres-url.js';
import type { OpenOptions } from '../disk/index.js';
import { writeModel } from '../disk/model-file.js';
import { checkTarget } from '../disk/output-target.js';
import { describeSummary } from '../disk/summary-file.js';
import { formatOf } from '../disk/write-file.js';
import { analyzeFile, robustOf } from './analyze-file.js';
import { byGroup, refuseRowsApart } from './by-group.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { describeAnalysis } from './describe-analysis.js';
import { describeFull, type NextSteps } from './describe-full.js';
import { reasonWithFlags } from './describe-reason.js';
import { fitOptions } from './fit-options.js';
import { summaryOf, summaryOptions } from './fit-summary.js';
import { groupColumns, methodOf } from './method.js';
import { threadsOf } from './model-json.js';
import { print, printLines } from './print.js';
import { shellWord } from './shell-word.js';
import { spelled } from './spelled-flags.js';
import { checkTables, writeTables } from './tables.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withData } from './with-data.js';
import { outputWidth } from './wrap.js';

/** `scree analyze`: whether to trust a table, how many components to keep, how stable they are, what they mean, and which rows are unusual. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags } = call;
  const { output } = flags;
  fitOptions(flags);
  methodOf(flags);
  robustOf(flags);
  if (flags.full && flags.json)
    throw new UsageError('--full is about what is printed, and --json prints every number. Leave one of them out.');
  if (typeof output === 'string' && formatOf(output))
    throw new UsageError(`${output} would be a table, and analyze writes a model: -o model.json.`);
  checkEnding(output, 'model');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  if (flags.by === undefined) {
    if (typeof output === 'string') await checkTarget(output, positionals);
    const summary = await summaryOf(call, terminal);
    const found = summary ? await analyzeMoments(summary, call, terminal) : await analyze(call, terminal);
    if (found) print(`${JSON.stringify(found)}\n`);
    return;
  }
  refuseRowsApart(flags);
  await byGroup(call, terminal, (each, only) => analyze(each, terminal, only));
}

/** Analyses the rows, or those of a group. The JSON of --json; otherwise the analysis is printed. */
async function analyze(call: Call, terminal: Terminal, only?: OpenOptions['only']): Promise<object | undefined> {
  const { flags } = call;
  const tables = await checkTables(call);
  const options = {
    supplementary: flags.supplementary as string[] | undefined,
    groups: groupColumns(flags),
    supplementaryRows: flags['supplementary-rows'] as RowRanges | undefined,
    only,
  };
  return withData(call, terminal, options, async (file) => {
    if (tables && !file.source.rereadable)
      throw new UsageError('--tables reads the rows again: save standard input to a file first.');
    const analysis = await analyzeFile(file, call, terminal, { listRows: flags.json === true });
    if (tables) {
      await writeTables(tables, analysis, file.label, terminal);
      terminal.note(`The tables: ${tables.folder}`);
    }
    return writeResults(call, terminal, analysis, file.describe(), only ? [] : nextSteps(call, analysis));
  });
}

/** Writes the model, and prints the analysis. The JSON of --json. */
async function writeResults(
  { flags }: Call,
  terminal: Terminal,
  analysis: Analysis,
  description: string,
  next: NextSteps,
): Promise<object | undefined> {
  const { output } = flags;
  const { model } = analysis;
  if (typeof output === 'string') await writeModel(output, model);
  const describe = flags.full ? describeFull : describeAnalysis;
  if (!flags.json) printLines(describe(analysis, description, next, outputWidth()));
  if (typeof output === 'string') terminal.note(`The model: ${output}`);
  if (!flags.json) return undefined;
  return analysisJson(analysis, {
    describeReason: reasonWithFlags,
    threads: threadsOf(model, flags.threads as number | undefined),
  });
}

/** Without rows: everything but which of them are unusual. */
async function analyzeMoments(summary: TableSummary, call: Call, terminal: Terminal): Promise<object | undefined> {
  const { flags, positionals } = call;
  const needing = ['supplementary', 'group', 'supplementary-rows', 'tables', 'robust'].find(
    (name) => flags[name] !== undefined,
  );
  if (needing)
    throw new UsageError(`--${needing} needs the rows, and moments do not have them. Analyse the data themselves.`);
  const rotate = flags.rotate as AnalyzeOptions['rotate'];
  const analysis = await analyzeSummary(summary, { ...summaryOptions(summary, call, terminal), rotate });
  terminal.clear();
  return writeResults(call, terminal, analysis, describeSummary(summary.header, positionals[0]), []);
}

/** Flags that the next commands do not repeat. */
const NOT_REPEATED = 'output json quiet debug bootstrap full tables tables-format csv-safe'.split(' ');

/** Commands that are worth trying after this one, with what they do. */
function nextSteps({ positionals, flags }: Call, { model: { warnings, choice, d }, scaling }: Analysis): NextSteps {
  const [path] = positionals;
  const kept = Object.entries(flags).filter(([name]) => !NOT_REPEATED.includes(name));
  // A scaling that was chosen is named, because other commands do not choose one.
  const same: Call['flags'] = { ...Object.fromEntries(kept), ...(scaling ? { scale: scaling.rule } : {}) };
  const words = (command: string, given: Readonly<Record<string, unknown>>, more: readonly string[] = []): string =>
    ['scree', command, ...positionals, ...spelled(given), ...more].map(shellWord).join(' ');
  const unequal = warnings.some(
    ({ code, details }) => (code === 'DOMINANT_COLUMN' || code === 'UNEQUAL_SPREAD') && details?.remedy === 'scale',
  );
  // Criteria applied, and no criterion decided: only scaled columns show components.
  const ordered = warnings.some(({ code }) => code === 'ORDERED_COLUMNS');
  const hidden = !ordered && choice?.agree.length === 0 && choice.criteria.some(({ k }) => k !== null);
  const page =
    path === undefined || path === '-'
      ? 'report.html'
      : `${basename(withoutParameters(path)).replace(/\.[^.]*$/, '') || 'report'}.html`;
  const steps: [command: string, what: string][] = [];
  if (unequal || hidden) {
    const scaled = words('analyze', { ...same, scale: 'unit' });
    const when = unequal ? ', for columns with different units' : '';
    steps.push([scaled, `the same with every column divided by its standard deviation${when}`]);
  }
  if (!flags.full) steps.push([words('analyze', { ...same, full: true }), 'every criterion, interval and bound']);
  // Without a second axis the page would have no scatter plot.
  const two = same.components === 1 && d > 1 ? { ...same, components: 2 } : same;
  steps.push([words('report', two, ['-o', page]), 'a page with figures']);
  return steps;
}

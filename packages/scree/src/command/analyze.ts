import { basename } from 'node:path';
import type { TableSummary } from '@scree/analysis';
import type { Model } from '@scree/core';
import type { RowRanges } from '@scree/files';
import { withoutParameters } from '../database/postgres-url.js';
import type { OpenOptions } from '../disk/index.js';
import { writeModel } from '../disk/model-file.js';
import { checkTarget } from '../disk/output-target.js';
import { formatOf } from '../disk/write-file.js';
import type { ComparedRows } from '../report/unusual-rows.js';
import { byGroup, refuseRowsApart } from './by-group.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { type Analysis, describeAnalysis } from './describe-analysis.js';
import type { NotComputed } from './examine.js';
import { betweenJson } from './fit-between.js';
import { fitFile, withCoding } from './fit-file.js';
import { fitOptions } from './fit-options.js';
import { fitSummary, NO_ROWS, summaryOf } from './fit-summary.js';
import { interpret, interpretationJson, interpretModel } from './interpret.js';
import { componentsToKeep, lookAtRows } from './look-at-rows.js';
import { groupColumns, methodOf } from './method.js';
import { asJson } from './model-json.js';
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
  if (typeof output === 'string' && formatOf(output))
    throw new UsageError(`${output} would be a table, and analyze writes a model: -o model.json.`);
  checkEnding(output, 'model');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  if (flags.by === undefined) {
    if (typeof output === 'string') await checkTarget(output, positionals);
    const summary = await summaryOf(call, terminal);
    if (summary) return analyzeSummary(summary, call, terminal);
    const found = await analyze(call, terminal);
    if (found) print(`${JSON.stringify(found)}\n`);
    return;
  }
  refuseRowsApart(flags);
  await byGroup(call, terminal, (each, only) => analyze(each, terminal, only));
}

/** Analyses the rows, or those of a group. The JSON of --json; otherwise the analysis is printed. */
async function analyze(call: Call, terminal: Terminal, only?: OpenOptions['only']): Promise<object | undefined> {
  const { flags } = call;
  const { output } = flags;
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
    const fitted = await fitFile(file, call, terminal, { depth: 'full' });
    const { notComputed, seconds } = fitted;
    const model = withCoding(fitted.model, fitted.coding);
    const rows = await lookAtRows(file, fitted, call, terminal);
    const meaning = await interpret(file, fitted, call, terminal);
    if (typeof output === 'string') await writeModel(output, model);
    if (tables) await writeTables(tables, file, fitted, meaning, call, terminal);
    const analysis: Analysis = {
      model,
      notComputed,
      rows,
      kept: componentsToKeep(model, flags),
      meaning,
      description: file.describe(),
      between: fitted.between,
      next: only ? [] : nextSteps(call, model),
    };
    if (!flags.json) printLines(describeAnalysis(analysis, outputWidth()));
    if (typeof output === 'string') terminal.note(`The model: ${output}`);
    if (tables) terminal.note(`The tables: ${tables.folder}`);
    if (!flags.json) return undefined;
    const threads = flags.threads as number | undefined;
    const columns = model.coding?.columns.map(({ name }) => name) ?? file.columns;
    const table = { rows: file.rows, columns, leftOut: file.leftOut, dropped: file.dropped };
    const unusual = typeof rows === 'string' ? null : unusualJson(rows);
    const why: NotComputed = {
      ...notComputed,
      ...(typeof rows === 'string' ? { unusual: rows } : {}),
      ...(typeof meaning.rows === 'string' ? { rows: meaning.rows } : {}),
      ...(typeof meaning.supplementaryRows === 'string' ? { supplementaryRows: meaning.supplementaryRows } : {}),
      ...(typeof meaning.rotation === 'string' ? { rotation: meaning.rotation } : {}),
    };
    const fit = asJson(model, { seconds, threads, notComputed: why });
    const between = fitted.between ? { between: betweenJson(fitted.between) } : {};
    return { table, ...fit, ...between, unusual, ...interpretationJson(model, meaning) };
  });
}

/** Without rows: everything but which of them are unusual. */
async function analyzeSummary(summary: TableSummary, call: Call, terminal: Terminal): Promise<void> {
  const { flags } = call;
  const { output } = flags;
  const needing = ['supplementary', 'group', 'supplementary-rows', 'tables'].find((name) => flags[name] !== undefined);
  if (needing)
    throw new UsageError(`--${needing} needs the rows, and moments do not have them. Analyse the data themselves.`);
  const { model, seconds, notComputed, description } = await fitSummary(summary, call, terminal, 'full');
  const meaning = await interpretModel(model, call, terminal, NO_ROWS);
  if (typeof output === 'string') await writeModel(output, model);
  if (flags.json) {
    const { rows, cols, columnNames, parts } = summary.head;
    const table = { rows, columns: columnNames ?? Array.from({ length: cols }, (_, j) => String(j)), parts };
    const why = { ...notComputed, unusual: NO_ROWS, rows: NO_ROWS };
    const threads = flags.threads as number | undefined;
    const fit = asJson(model, { seconds, threads, notComputed: why });
    print(`${JSON.stringify({ table, ...fit, unusual: null, ...interpretationJson(model, meaning) })}\n`);
  } else {
    const next: Analysis['next'] = [];
    const kept = componentsToKeep(model, flags);
    const found = { model, notComputed, rows: NO_ROWS, kept, meaning, description, next };
    printLines(describeAnalysis(found, outputWidth()));
  }
  if (typeof output === 'string') terminal.note(`The model: ${output}`);
}

function unusualJson({ model, facts, found }: ComparedRows): object {
  const { limits, unusualLimits, counts, beyond } = found;
  return {
    components: model.k,
    limits,
    unusualLimits,
    beyond,
    counts: { t2: counts.t2, q: counts.q, either: counts.either ?? null },
    rows: found.unusual.map(({ row, t2, error }) => ({
      row: facts.numberOf(row),
      name: facts.nameOf?.(row) ?? null,
      t2,
      q: error,
    })),
  };
}

/** Commands that are worth trying after this one, with what they do. */
function nextSteps({ positionals, flags }: Call, { warnings, d }: Model): [command: string, what: string][] {
  const [path] = positionals;
  const { output: _, json: __, quiet: ___, debug: ____, bootstrap: _____, ...others } = flags;
  const { tables: ______, 'tables-format': _______, 'csv-safe': ________, ...same } = others;
  const words = (command: string, given: Readonly<Record<string, unknown>>, more: readonly string[] = []): string =>
    ['scree', command, ...positionals, ...spelled(given), ...more].map(shellWord).join(' ');
  const unequal = warnings.some(
    ({ code, details }) => (code === 'DOMINANT_COLUMN' || code === 'UNEQUAL_SPREAD') && details?.remedy === 'scale',
  );
  const page =
    path === undefined || path === '-'
      ? 'report.html'
      : `${basename(withoutParameters(path)).replace(/\.[^.]*$/, '') || 'report'}.html`;
  return [
    ...(unequal
      ? [
          [
            words('analyze', { ...same, scale: 'unit' }),
            'the same with every column divided by its standard deviation',
          ] as [string, string],
        ]
      : []),
    // Without a second axis the page would have no scatter plot.
    [
      words('report', same.components === 1 && d > 1 ? { ...same, components: 2 } : same, ['-o', page]),
      'a page with figures',
    ],
  ];
}

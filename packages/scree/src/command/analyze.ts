import { basename } from 'node:path';
import type { Model, TableSummary } from '@scree/core';
import { withoutParameters } from '../database/postgres-url.js';
import { writeModel } from '../disk/model-file.js';
import { checkTarget } from '../disk/output-target.js';
import { formatOf } from '../disk/write-file.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { type Analysis, describeAnalysis } from './describe-analysis.js';
import { COUNT_FLAGS, fitFile, fitOptions } from './fit-file.js';
import { fitSummary, NO_ROWS, summaryOf } from './fit-summary.js';
import { type LookedAtRows, lookAtRows } from './look-at-rows.js';
import { asJson } from './model-json.js';
import { print, printLines } from './print.js';
import { shellWord } from './shell-word.js';
import { spelled } from './spelled-flags.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withFile } from './with-file.js';
import { outputWidth } from './wrap.js';

/** `scree analyze`: whether to trust a table, how many components to keep, how stable they are, and which rows are unusual. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags } = call;
  const { output } = flags;
  fitOptions(flags);
  if (typeof output === 'string' && formatOf(output))
    throw new UsageError(`${output} would be a table, and analyze writes a model: -o model.json.`);
  if (typeof output === 'string') await checkTarget(output, positionals);
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const summary = await summaryOf(call, terminal);
  if (summary) return analyzeSummary(summary, call, terminal);
  await withFile(positionals, fileOptions(flags, call.signal), async (file) => {
    const fitted = await fitFile(file, call, terminal, { depth: 'full' });
    const { model, notComputed, seconds } = fitted;
    const rows = await lookAtRows(file, fitted, call, terminal);
    if (typeof output === 'string') await writeModel(output, model);
    const analysis: Analysis = { model, notComputed, rows, description: file.describe(), next: nextSteps(call, model) };
    if (flags.json) {
      const threads = flags.threads as number | undefined;
      const table = { rows: file.rows, columns: file.columns, leftOut: file.leftOut, dropped: file.dropped };
      const unusual = typeof rows === 'string' ? null : unusualJson(rows);
      const why = typeof rows === 'string' ? { ...notComputed, unusual: rows } : notComputed;
      print(`${JSON.stringify({ table, ...asJson(model, { seconds, threads, notComputed: why }), unusual })}\n`);
    } else printLines(describeAnalysis(analysis, outputWidth()));
    if (typeof output === 'string') terminal.note(`The model: ${output}`);
  });
}

/** Without rows: everything but which of them are unusual. */
async function analyzeSummary(summary: TableSummary, call: Call, terminal: Terminal): Promise<void> {
  const { flags } = call;
  const { output } = flags;
  const { model, seconds, notComputed, description } = await fitSummary(summary, call, terminal, 'full');
  if (typeof output === 'string') await writeModel(output, model);
  if (flags.json) {
    const { rows, cols, columnNames, parts } = summary.head;
    const table = { rows, columns: columnNames ?? Array.from({ length: cols }, (_, j) => String(j)), parts };
    const why = { ...notComputed, unusual: NO_ROWS };
    const threads = flags.threads as number | undefined;
    print(`${JSON.stringify({ table, ...asJson(model, { seconds, threads, notComputed: why }), unusual: null })}\n`);
  } else {
    const next: Analysis['next'] = [];
    printLines(describeAnalysis({ model, notComputed, rows: NO_ROWS, description, next }, outputWidth()));
  }
  if (typeof output === 'string') terminal.note(`The model: ${output}`);
}

function unusualJson({ model, facts, found }: LookedAtRows): object {
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
function nextSteps({ positionals, flags }: Call, { choice, warnings }: Model): [command: string, what: string][] {
  const [path] = positionals;
  const { output: _, json: __, quiet: ___, debug: ____, bootstrap: _____, ...same } = flags;
  const words = (command: string, given: Readonly<Record<string, unknown>>, more: readonly string[] = []): string =>
    ['scree', command, ...positionals, ...spelled(given), ...more].map(shellWord).join(' ');
  const unequal = warnings.some(({ code }) => code === 'DOMINANT_COLUMN' || code === 'UNEQUAL_SPREAD');
  const counted = COUNT_FLAGS.some((name) => flags[name] !== undefined);
  const k = !counted && choice && choice.k > 0 ? ['-k', String(choice.k)] : [];
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
    [words('report', same, [...k, '-o', page]), 'a page with figures'],
  ];
}

import { basename, join } from 'node:path';
import { type Analysis, type AnalyzeModelOptions, analyzeModel } from '@scree/analysis';
import { plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { refuseChanged } from '@scree/core/data';
import type { RowRanges } from '@scree/files';
import { withoutParameters } from '../database/postgres-url.js';
import { writeAllAtomically } from '../disk/atomic-file.js';
import type { DataFile, OpenOptions } from '../disk/index.js';
import { checkFolder, checkTarget } from '../disk/output-target.js';
import { makeReport, questionsOfFigures } from '../report/report.js';
import { analyzeFile, tableOf } from './analyze-file.js';
import { byGroup, refuseRowsApart } from './by-group.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { predictingMethod } from './data-flags.js';
import { warningWithFlags } from './describe-error.js';
import { reasonWithFlags } from './describe-reason.js';
import { checkRereadable, withModel } from './fit-file.js';
import { inFolder } from './in-folder.js';
import { groupColumns } from './method.js';
import { shellWord } from './shell-word.js';
import { spelled } from './spelled-flags.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withData } from './with-data.js';
import { countRowsOfSmallFile } from './with-file.js';

/** `scree report`: a page about the components of a data file, or one per group. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags } = call;
  const { output, figures } = flags;
  if (typeof output !== 'string') throw new UsageError('Say where the report goes: -o report.html.');
  checkEnding(output, 'report');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  if (flags.model !== undefined) refuseWithModel(flags);
  if (flags.by !== undefined) {
    refuseRowsApart(flags);
    await byGroup(call, terminal, (each, only) => writePage(each, terminal, only), { headings: false });
    return;
  }
  await checkTarget(output, [...positionals, flags.model as string | undefined]);
  if (typeof figures === 'string') await checkFolder(figures);
  await writePage(call, terminal);
}

/** Writes the page about the rows, or those of a group. */
async function writePage(call: Call, terminal: Terminal, only?: OpenOptions['only']): Promise<undefined> {
  const { positionals, flags, signal } = call;
  const [path] = positionals;
  const { figures } = flags;
  const output = flags.output as string;
  const name = path === undefined ? 'Query' : basename(withoutParameters(path));
  const title = (flags.title as string | undefined) ?? name;
  await withFileToReport(call, terminal, only, async (file, stored) => {
    const drawn = {
      labels: file.color === undefined ? undefined : await file.labels({ of: 'color' }),
      labelName: file.color,
      image: (flags.image as { width: number; height: number } | undefined) ?? pictureOf(file.shape),
    };
    const questions = { ...questionsOfFigures(drawn), listRows: false };
    const analysis = stored
      ? await analyzeModelOf(file, stored, questions, call, terminal)
      : await analyzeFile(file, call, terminal, questions);
    const { model, notComputed } = analysis;
    for (const part of ['supplementaryRows', 'rotation'] as const) {
      const reason = notComputed[part];
      if (reason) terminal.note(reasonWithFlags(part, reason));
    }
    const report = await makeReport({
      analysis,
      ...drawn,
      rowsName: path === undefined ? 'the query' : basename(withoutParameters(path)),
      title: only ? `${title}: ${only.column} = ${only.level}` : title,
      description: file.describe(),
      command: `scree report ${[...positionals, ...spelled(only ? { ...flags, by: only.column } : flags)].map(shellWord).join(' ')}`,
      describeWarning: (warning) => warningWithFlags(warning, model.columnNames),
      describeReason: reasonWithFlags,
      signal,
    });
    terminal.clear();
    await refuseChanged(file.source);
    if (typeof figures === 'string') {
      const files = report.figures.map(({ name, svg }) => [join(figures, `${name}.svg`), svg] as const);
      await inFolder(figures, () => writeAllAtomically([[output, report.html], ...files]));
    } else await writeAllAtomically([[output, report.html]]);
    terminal.note(`The report: ${output} (${Math.round(report.html.length / 1024)} KB)`);
    if (typeof figures === 'string') terminal.note(`${plural(report.figures.length, 'figure')}: ${figures}`);
  });
}

/** Analyses the rows of a file with a model that was brought. */
async function analyzeModelOf(
  file: DataFile,
  model: Model,
  questions: Pick<AnalyzeModelOptions, 'figures' | 'colours' | 'listRows'>,
  { flags, signal }: Call,
  { onProgress }: Terminal,
): Promise<Analysis> {
  const memory = flags.memory as number | undefined;
  if (!file.coding) await countRowsOfSmallFile(file, signal);
  // The model may have seen these rows or not: nothing in it tells.
  return analyzeModel(model, tableOf(file), {
    ...questions,
    rows: 'new',
    signal,
    onProgress,
    ...(memory === undefined ? {} : { memory }),
  });
}

/** Opens the file of a call, for a fit or for the model that --model names. */
async function withFileToReport(
  call: Call,
  terminal: Terminal,
  only: OpenOptions['only'],
  use: (file: DataFile, stored?: Model) => Promise<void>,
): Promise<void> {
  const { flags } = call;
  if (flags.model !== undefined) {
    await withModel(call, terminal, (file, { model }) => use(file, model));
    return;
  }
  const { color, label } = flags as { color?: string; label?: string };
  const group = groupColumns(flags);
  const more = {
    supplementary: flags.supplementary as string[] | undefined,
    groups: group,
    supplementaryRows: flags['supplementary-rows'] as RowRanges | undefined,
    only,
    // The first column of groups colours the rows, if no other one does.
    ...(group && color === undefined && label === undefined ? { color: group[0] } : {}),
  };
  await withData(call, terminal, more, async (file) => {
    checkRereadable(file);
    await use(file);
  });
}

/** Flags of a fit do not go with a model that is brought. */
function refuseWithModel(flags: Call['flags']): void {
  const other = [
    'supplementary',
    'supplementary-rows',
    'group',
    'between',
    'by',
    'rotate',
    'column-weights',
    'robust',
  ].find((name) => flags[name] !== undefined);
  if (other)
    throw new UsageError(
      `--${other} belongs to a fit, and --model brings a model. Leave one of them out${other === 'group' ? ', or use --color' : ''}.`,
    );
  const method = predictingMethod(flags);
  if (method)
    throw new UsageError(
      `--missing ${method} predicts missing values for a fit, and --model brings a model. Use --missing drop or --missing mean.`,
    );
  if (flags.bootstrap !== undefined)
    throw new UsageError(
      '--bootstrap draws from the rows of a fit, and --model brings a model. Use it with scree fit.',
    );
}

/** An array of pictures says how large they are: rows × height × width. */
function pictureOf(shape: readonly number[] | undefined): { width: number; height: number } | undefined {
  return shape?.length === 3 ? { width: shape[2], height: shape[1] } : undefined;
}

import { basename, join } from 'node:path';
import { several } from '@scree/analysis/describe';
import type { Model, TableData } from '@scree/core';
import { refuseChanged } from '@scree/core/data';
import type { RowRanges } from '@scree/files';
import { withoutParameters } from '../database/postgres-url.js';
import { writeAllAtomically } from '../disk/atomic-file.js';
import type { DataFile, OpenOptions } from '../disk/index.js';
import { checkFolder, checkTarget } from '../disk/output-target.js';
import { makeReport } from '../report/report.js';
import { byGroup, refuseRowsApart } from './by-group.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { describeWarning } from './describe-error.js';
import type { NotComputed } from './examine.js';
import { describeBetween } from './fit-between.js';
import { checkRereadable, type FittedFile, fitFile, withCoding, withModel } from './fit-file.js';
import { inFolder } from './in-folder.js';
import { type Interpretation, interpret } from './interpret.js';
import { comparedModel } from './look-at-rows.js';
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
  await withExaminedModel(call, terminal, only, async (file, { model, seconds, source, notComputed, fitted }) => {
    const meaning = fitted && (await interpret(file, fitted, call, terminal));
    for (const why of [meaning?.supplementaryRows, meaning?.rotation]) if (typeof why === 'string') terminal.note(why);
    const labels = file.color === undefined ? undefined : await file.labels({ of: 'color' });
    const report = await makeReport({
      model,
      compared: fitted && withCoding(comparedModel(fitted, flags), fitted.coding),
      source,
      notComputed,
      // A model that was brought may have seen these rows or not: nothing in it tells.
      rows: flags.model === undefined ? 'fit' : 'new',
      rowsName: path === undefined ? 'the query' : basename(withoutParameters(path)),
      title: only ? `${title}: ${only.column} = ${only.level}` : title,
      description: file.describe(),
      labels,
      labelName: file.color,
      names: file.label === undefined || file.label === file.color ? labels : await file.labels({ most: MOST_NAMES }),
      weights: fitted?.weights,
      supplementary: meaning?.supplementary,
      supplementaryRows: pointsOf(meaning?.supplementaryRows),
      means: fitted?.between && {
        groups: fitted.between.groups.length,
        share: fitted.between.share,
        sentence: describeBetween(fitted.between),
        columns: meaning?.related ?? [],
      },
      rotation: typeof meaning?.rotation === 'string' ? undefined : meaning?.rotation,
      image: (flags.image as { width: number; height: number } | undefined) ?? pictureOf(file.shape),
      command: `scree report ${[...positionals, ...spelled(only ? { ...flags, by: only.column } : flags)].map(shellWord).join(' ')}`,
      describeWarning: (warning) => describeWarning(warning, model.columnNames),
      seconds,
      rowsInFile: (rows) => file.rowsInFile(rows),
      onProgress: terminal.onProgress,
      signal,
    });
    terminal.clear();
    await refuseChanged(file.source);
    if (typeof figures === 'string') {
      const files = report.figures.map(({ name, svg }) => [join(figures, `${name}.svg`), svg] as const);
      await inFolder(figures, () => writeAllAtomically([[output, report.html], ...files]));
    } else await writeAllAtomically([[output, report.html]]);
    terminal.note(`The report: ${output} (${Math.round(report.html.length / 1024)} KB)`);
    if (typeof figures === 'string') terminal.note(`${several(report.figures.length, 'figure')}: ${figures}`);
  });
}

/** Names of rows that are kept: more than figures and tables show. */
const MOST_NAMES = 100_000;

interface Examined {
  readonly model: Model;
  readonly seconds?: number;
  readonly source: TableData;
  readonly notComputed: NotComputed;
  /** Where the model was fitted to these rows. */
  readonly fitted?: FittedFile;
}

/** Fits a model and asks how many components to keep and how stable they are; or reads one, which may have been asked when it was fitted. */
async function withExaminedModel(
  call: Call,
  terminal: Terminal,
  only: OpenOptions['only'],
  use: (file: DataFile, examined: Examined) => Promise<void>,
): Promise<void> {
  const { flags, signal } = call;
  if (flags.model !== undefined) {
    await withModel(call, terminal, async (file, { model }) => {
      if (!file.input) await countRowsOfSmallFile(file, signal);
      await use(file, { model, source: file.input ?? file.source, notComputed: STORED });
    });
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
    await countRowsOfSmallFile(file, signal);
    // As deep as analyze, so that both recommend the same number of components.
    const fitted = await fitFile(file, call, terminal, { depth: 'full' });
    const { model, coding, source } = fitted;
    await use(file, { ...fitted, model: withCoding(model, coding), source: file.input ?? source, fitted });
  });
}

/** Flags of a fit do not go with a model that is brought. */
function refuseWithModel(flags: Call['flags']): void {
  const other = ['supplementary', 'supplementary-rows', 'group', 'between', 'by', 'rotate', 'column-weights'].find(
    (name) => flags[name] !== undefined,
  );
  if (other)
    throw new UsageError(
      `--${other} belongs to a fit, and --model brings a model. Leave one of them out${other === 'group' ? ', or use --color' : ''}.`,
    );
  if (flags.bootstrap !== undefined)
    throw new UsageError(
      '--bootstrap draws from the rows of a fit, and --model brings a model. Use it with scree fit.',
    );
}

/** Rows without a part in the fit as points, by their names or numbers. */
function pointsOf(
  rows: Interpretation['supplementaryRows'],
): { readonly name: string; readonly scores: Float64Array }[] | undefined {
  if (rows === undefined || typeof rows === 'string') return undefined;
  const { data, cols } = rows.found.scores;
  return rows.numbers.map((number, i) => ({
    name: rows.names[i] ?? String(number),
    scores: data.subarray(i * cols, (i + 1) * cols),
  }));
}

/** Of a stored model. */
const STORED: NotComputed = {
  choice: 'The model does not say how many components to keep; scree fit stores that with newer models.',
  stability: 'The model was stored without a bootstrap. Fit it again with scree fit to add one.',
};

/** An array of pictures says how large they are: rows × height × width. */
function pictureOf(shape: readonly number[] | undefined): { width: number; height: number } | undefined {
  return shape?.length === 3 ? { width: shape[2], height: shape[1] } : undefined;
}

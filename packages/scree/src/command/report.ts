import { basename, join } from 'node:path';
import type { Model, TableData } from '@scree/core';
import { several } from '@scree/core/describe';
import { refuseChanged } from '@scree/core/engine';
import { withoutParameters } from '../database/postgres-url.js';
import { writeAllAtomically } from '../disk/atomic-file.js';
import type { DataFile } from '../disk/index.js';
import { checkFolder, checkTarget } from '../disk/output-target.js';
import { makeReport } from '../report/report.js';
import type { Call } from './command.js';
import { describeWarning } from './describe-error.js';
import type { NotComputed } from './examine.js';
import { checkRereadable, fitFile, withCoding, withModel } from './fit-file.js';
import { inFolder } from './in-folder.js';
import { shellWord } from './shell-word.js';
import { spelled } from './spelled-flags.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withData } from './with-data.js';
import { countRowsOfSmallFile } from './with-file.js';

/** `scree report`: a page about the components of a data file. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags, signal } = call;
  const [path] = positionals;
  const { output, figures } = flags;
  if (typeof output !== 'string') throw new UsageError('Say where the report goes: -o report.html.');
  await checkTarget(output, [...positionals, flags.model as string | undefined]);
  if (typeof figures === 'string') await checkFolder(figures);
  const terminal = new Terminal({ quiet: flags.quiet === true });
  await withExaminedModel(call, terminal, async (file, { model, seconds, source, notComputed }) => {
    const labels = file.color === undefined ? undefined : await file.labels({ of: 'color' });
    const report = await makeReport({
      model,
      source,
      notComputed,
      // A model that was brought may have seen these rows or not: nothing in it tells.
      rows: flags.model === undefined ? 'fit' : 'new',
      rowsName: path === undefined ? 'the query' : basename(withoutParameters(path)),
      title: (flags.title as string | undefined) ?? (path === undefined ? 'Query' : basename(withoutParameters(path))),
      description: file.describe(),
      labels,
      labelName: file.color,
      names: file.label === undefined || file.label === file.color ? labels : await file.labels({ most: MOST_NAMES }),
      image: (flags.image as { width: number; height: number } | undefined) ?? pictureOf(file.shape),
      command: `scree report ${[...positionals, ...spelled(flags)].map(shellWord).join(' ')}`,
      describeWarning: (warning) => describeWarning(warning, model.columnNames),
      seconds,
      placesOf: (rows) => file.placesOf(rows),
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
/** Numbers of a table up to which every criterion for the number of components is asked, as for a bootstrap. */
const SMALL_TABLE = 1e7;

interface Examined {
  readonly model: Model;
  readonly seconds?: number;
  readonly source: TableData;
  readonly notComputed: NotComputed;
}

/** Fits a model and asks how many components to keep and how stable they are; or reads one, which may have been asked when it was fitted. */
async function withExaminedModel(
  call: Call,
  terminal: Terminal,
  use: (file: DataFile, examined: Examined) => Promise<void>,
): Promise<void> {
  const { flags, signal } = call;
  if (flags.model !== undefined) {
    if (flags.bootstrap !== undefined)
      throw new UsageError(
        '--bootstrap draws from the rows of a fit, and --model brings a model. Use it with scree fit.',
      );
    await withModel(call, terminal, async (file, { model }) => {
      if (!file.input) await countRowsOfSmallFile(file, signal);
      await use(file, { model, source: file.input ?? file.source, notComputed: STORED });
    });
    return;
  }
  await withData(call, terminal, {}, async (file) => {
    checkRereadable(file);
    await countRowsOfSmallFile(file, signal);
    const { rows = Number.POSITIVE_INFINITY, cols } = file.source;
    const depth = rows * cols <= SMALL_TABLE ? 'full' : 'brief';
    const { model, coding, source, ...fitted } = await fitFile(file, call, terminal, { depth });
    await use(file, { ...fitted, model: withCoding(model, coding), source: file.input ?? source });
  });
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

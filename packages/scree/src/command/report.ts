import { mkdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { several } from '@scree/core/describe';
import { refuseChanged } from '@scree/core/engine';
import { writeAllAtomically } from '../disk/atomic-file.js';
import { checkFolder, checkTarget } from '../disk/output-target.js';
import { systemError } from '../disk/system-error.js';
import { makeReport } from '../report/report.js';
import type { Call } from './command.js';
import { describeWarning } from './describe-error.js';
import { withModel } from './fit-file.js';
import { shellWord } from './shell-word.js';
import { spelled } from './spelled-flags.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile } from './with-file.js';

/** `scree report`: a page about the components of a data file. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags, signal } = call;
  const [path] = positionals;
  const { output, figures } = flags;
  if (typeof output !== 'string') throw new UsageError('Say where the report goes: -o report.html.');
  await checkTarget(output, [path, flags.model as string | undefined]);
  if (typeof figures === 'string') await checkFolder(figures);
  const terminal = new Terminal({ quiet: flags.quiet === true });
  await withModel(call, terminal, async (file, { model, seconds }) => {
    const labels = file.color === undefined ? undefined : await file.labels({ of: 'color' });
    await countRowsOfSmallFile(file, signal);
    const report = await makeReport({
      model,
      source: file.source,
      // A model that was brought may have seen these rows or not: nothing in it tells.
      rows: flags.model === undefined ? 'fit' : 'new',
      rowsName: path === undefined ? 'the query' : basename(path),
      title: (flags.title as string | undefined) ?? (path === undefined ? 'Query' : basename(path)),
      description: file.describe(),
      labels,
      labelName: file.color,
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

/** Writes into a folder, which is made if it is not there, and goes again if nothing can be written. */
async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  const first = await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw systemError(error, folder, 'written');
  });
  try {
    await write();
  } catch (error) {
    // From the innermost outwards, up to the first that was made here; one that is not empty stays.
    for (let made = resolve(folder); first !== undefined && made.length >= first.length; made = dirname(made)) {
      if (
        !(await rmdir(made).then(
          () => true,
          () => false,
        ))
      )
        break;
    }
    throw error;
  }
}

/** An array of pictures says how large they are: rows × height × width. */
function pictureOf(shape: readonly number[] | undefined): { width: number; height: number } | undefined {
  return shape?.length === 3 ? { width: shape[2], height: shape[1] } : undefined;
}

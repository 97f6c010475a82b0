import { stat } from 'node:fs/promises';
import { plural } from '@scree/analysis/describe';
import { showBytes } from '@scree/files/platform';
import { expandPaths } from '../disk/expand-paths.js';
import { checkTarget, isSameFile } from '../disk/output-target.js';
import { mergeSummaryFiles, readManifest, writeSummary } from '../disk/summary-file.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { print } from './print.js';
import { shellWord } from './shell-word.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Names of files of moments inside a folder. */
export const MOMENTS_NAME = /\.moments$/;

/** `scree merge`: the moments of several parts as those of one table. */
export async function run({ positionals, flags, signal }: Call): Promise<void> {
  const { output, manifest } = flags;
  if (typeof output !== 'string') throw new UsageError('Say where the merged moments go: -o all.moments.');
  checkEnding(output, 'moments');
  await checkTarget(output, [manifest as string | undefined]);
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const paths: string[] = [];
  // The result of an earlier run is not a part: merge *.moments -o all.moments can be repeated.
  for (const path of await expandPaths(positionals, MOMENTS_NAME)) {
    if (!(await isSameFile(path, output))) paths.push(path);
  }
  if (paths.length === 0) throw new UsageError(`There is nothing to merge besides ${output} itself.`);
  const expected = typeof manifest === 'string' ? { manifest: await readManifest(manifest) } : {};
  const summary = await mergeSummaryFiles(paths, {
    ...expected,
    allowDuplicates: flags['allow-duplicates'] === true,
    onProgress: terminal.onProgress,
    signal,
  });
  await writeSummary(output, summary);
  terminal.clear();
  const { header } = summary;
  const { size } = await stat(output);
  if (flags.json) print(`${JSON.stringify({ ...header, output, bytes: size })}\n`);
  else {
    terminal.note(
      `${plural(header.parts.length, 'part')}, ${plural(header.rows, 'row')} of ${plural(header.cols, 'column')}: ${output} (${showBytes(size)})`,
    );
    terminal.note(`Next: scree fit ${shellWord(output)} -o model.json`);
  }
}

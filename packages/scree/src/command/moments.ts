import { stat } from 'node:fs/promises';
import { plural } from '@scree/analysis/describe';
import { DEFAULT_MEMORY } from '@scree/files';
import { showBytes } from '@scree/files/platform';
import { checkTarget } from '../disk/output-target.js';
import { type SummarizeFileOptions, summarizeFile, writeSummary } from '../disk/summary-file.js';
import { offerEngines } from '../offer-engines.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { nameFile, warningWithFlags } from './describe-error.js';
import { print } from './print.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

offerEngines();

/** Flags with the same name as an option of `summarizeFile`. */
const OWN = ['engine', 'threads', 'keep', 'size', 'scale', 'bootstrap', 'seed'] as const;

/** `scree moments`: what is left of a part of a table, to be merged with other parts. */
export async function run({ positionals, flags, signal }: Call): Promise<void> {
  const { output } = flags;
  if (typeof output !== 'string') throw new UsageError('Say where the moments go: -o part.moments.');
  if (positionals.length === 0 || positionals.includes('')) throw new UsageError('Name a data file.');
  if (flags.missing === 'mean') {
    throw new UsageError(
      '--missing mean fills gaps with the means of the whole table, which a part of it does not know. Use --missing drop.',
    );
  }
  checkEnding(output, 'moments');
  await checkTarget(output, positionals);
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const own = OWN.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]);
  const options: SummarizeFileOptions = {
    ...fileOptions(flags),
    ...Object.fromEntries(own),
    ...(flags.components === undefined ? {} : { k: flags.components as number }),
    onProgress: terminal.onProgress,
    signal,
  };
  const path = positionals.length > 1 ? positionals : positionals[0];
  const summary = await summarizeFile(path, options).catch((error: unknown) => {
    throw nameFile(error, positionals[0]);
  });
  await writeSummary(output, summary);
  terminal.clear();
  const { header } = summary;
  const { size } = await stat(output);
  if (flags.json) {
    print(`${JSON.stringify({ ...header, warnings: summary.warnings, output, bytes: size })}\n`);
    return;
  }
  const memory = (flags.memory as number | undefined) ?? DEFAULT_MEMORY;
  for (const warning of summary.warnings) terminal.note(`Warning: ${warningWithFlags(warning, header.columnNames)}`);
  const lines = [
    `${plural(header.rows, 'row')} of ${plural(header.cols, 'column')}: ${output} (${showBytes(size)})`,
    header.kind === 'moments'
      ? `Kept: moments, ${header.cols} × ${header.cols} numbers. Merging loses nothing but rounding.`
      : whySketch(summary.kept as { readonly size: number }, header.cols, memory, flags.keep === 'sketch'),
    ...(header.replicates > 0 ? [`Kept too: ${plural(header.replicates, 'replicate')} of a bootstrap.`] : []),
  ];
  for (const line of lines) terminal.note(line);
}

function whySketch({ size }: { readonly size: number }, cols: number, memory: number, asked: boolean): string {
  const bytes = 8 * cols * cols;
  const why = asked
    ? '--keep sketch was given'
    : `the moments of ${plural(cols, 'column')} would take ${showBytes(bytes)}${4 * bytes > memory ? `, and --memory is ${showBytes(memory)}` : ''}`;
  return `Kept: a sketch of ${plural(size, 'row')}, because ${why}. The model will say how far from exact it can be; a larger -k keeps more rows.`;
}

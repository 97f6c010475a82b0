import { extname } from 'node:path';
import { checkTarget } from '../disk/output-target.js';
import { formatOf, isTextFile, OUTPUT_FORMATS } from '../disk/write-file.js';
import type { Call } from './command.js';
import { shellWord } from './shell-word.js';
import { UsageError } from './usage-error.js';

/** Checks --output before any work is done. It must be given, and its name must have a known format. */
export async function checkOutput(
  { positionals, flags }: Pick<Call, 'positionals' | 'flags'>,
  missing = 'Say where it goes: -o data.npy.',
): Promise<string> {
  const { output } = flags;
  if (typeof output !== 'string') throw new UsageError(missing);
  await checkTable(output, { positionals, flags });
  return output;
}

/** Checks the name of a table that will be written. */
export async function checkTable(
  output: string,
  { positionals, flags }: Pick<Call, 'positionals' | 'flags'>,
): Promise<void> {
  const format = formatOf(output);
  if (!format) {
    const formats = OUTPUT_FORMATS.map((each) => `.${each}`).join(', ');
    throw new UsageError(`${output} names no format that can be written. Use ${formats}.`);
  }
  if (flags['csv-safe'] && !isTextFile(format))
    throw new UsageError(`--csv-safe is for .csv and .tsv: ${output} cannot hold formulas. Leave it out.`);
  await checkTarget(output, positionals);
}

/** Outputs other than tables, and the endings of their file names. */
const WRITTEN = {
  report: { what: 'a page', extensions: ['.html', '.htm'] },
  model: { what: 'a model', extensions: ['.json', '.pca', '.model', '.bin'] },
  onnx: { what: 'an ONNX file', extensions: ['.onnx'] },
  moments: { what: 'a file of moments', extensions: ['.moments'] },
  compressed: { what: 'a compressed file', extensions: ['.scree'] },
} as const;

/**
 * Throws if a file name has the ending of another format: a page in a file named .pdf would not be a PDF. A name without an ending is
 * accepted.
 */
export function checkEnding(output: unknown, kind: keyof typeof WRITTEN): void {
  if (typeof output !== 'string') return;
  const extension = extname(output).toLowerCase();
  const { what, extensions } = WRITTEN[kind];
  if (extension === '' || extensions.some((each) => each === extension)) return;
  const [first, ...others] = extensions;
  const may = others.length === 0 ? first : `${extensions.slice(0, -1).join(', ')} or ${others.at(-1)}`;
  const instead = `${output.slice(0, -extension.length)}${first}`;
  throw new UsageError(
    `${output}: ${what} is written as ${may}, not as ${extname(output)}. Use -o ${shellWord(instead)}.`,
  );
}

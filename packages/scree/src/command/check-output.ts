import { checkTarget } from '../disk/output-target.js';
import { formatOf, holdsText, OUTPUT_FORMATS } from '../disk/write-file.js';
import type { Call } from './command.js';
import { UsageError } from './usage-error.js';

/** Checks --output before any work is done. A missing one, or a name without a known format, is wrong usage. */
export async function checkOutput(
  { positionals, flags }: Pick<Call, 'positionals' | 'flags'>,
  missing = 'Say where it goes: -o data.npy.',
): Promise<string> {
  const { output } = flags;
  if (typeof output !== 'string') throw new UsageError(missing);
  const format = formatOf(output);
  if (!format) {
    const formats = OUTPUT_FORMATS.map((each) => `.${each}`).join(', ');
    throw new UsageError(`${output} names no format that can be written. Use ${formats}.`);
  }
  if (flags['csv-safe'] && !holdsText(format))
    throw new UsageError(`--csv-safe is for .csv and .tsv: ${output} cannot hold formulas. Leave it out.`);
  await checkTarget(output, positionals);
  return output;
}

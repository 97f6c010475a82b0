import { checkTarget } from '../files/target.js';
import { formatOf, OUTPUT_FORMATS } from '../files/write-file.js';
import { UsageError } from './usage-error.js';

/** Where rows go, as --output says. None, or a name that no format has, is wrong usage; the rest is said before any work. */
export async function rowsOutput({ output }: Readonly<Record<string, unknown>>, missing: string): Promise<string> {
  if (typeof output !== 'string') throw new UsageError(missing);
  if (!formatOf(output)) {
    const formats = OUTPUT_FORMATS.map((each) => `.${each}`).join(', ');
    throw new UsageError(`${output} names no format that can be written. Use ${formats}.`);
  }
  await checkTarget(output);
  return output;
}

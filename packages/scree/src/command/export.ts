import { plural } from '@scree/analysis/describe';
import { type StoredNumbers, toOnnx } from '@scree/core/exchange';
import { writeAtomically } from '../disk/atomic-file.js';
import { readModel } from '../disk/model-file.js';
import { checkTarget } from '../disk/output-target.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** `scree export`: the transform of a model as an ONNX file. */
export async function run({ positionals, flags }: Call): Promise<void> {
  const [path] = positionals;
  const { output } = flags;
  if (typeof output !== 'string') throw new UsageError('Say where the ONNX file goes: -o model.onnx.');
  checkEnding(output, 'onnx');
  await checkTarget(output, positionals);
  const model = await readModel(path);
  const dtype = flags.dtype as StoredNumbers | undefined;
  await writeAtomically(output, toOnnx(model, { dtype }));
  new Terminal({ quiet: flags.quiet === true }).note(
    `${plural(model.k, 'component')} of ${plural(model.d, 'column')} as ONNX: ${output}`,
  );
}

import { DataError, type Matrix } from '@scree/core';
import { several } from '@scree/core/describe';
import { readModel } from '../disk/model-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { Terminal } from './terminal.js';
import { withFile } from './with-file.js';
import { writeRows } from './write-rows.js';

/** `scree reconstruct`: rows back from scores. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [modelPath, scoresPath],
    flags,
    signal,
  } = call;
  const output = await checkOutput(call, 'Say where the rows go: -o data.npy.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  const expected = model.whiten === 'zca' ? model.d : model.k;
  await withFile(scoresPath, fileOptions(flags, signal), async (file) => {
    const { cols, dtype } = file.source;
    if (cols !== expected) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `${scoresPath} has ${several(cols, 'column')}, and scores of this model ${expected}.`,
        {
          value: cols,
          expected,
        },
      );
    }
    const csvSafe = flags['csv-safe'] === true;
    const options = { cols: model.d, dtype, columnNames: model.columnNames, csvSafe };
    const rows = (scores: unknown): Promise<Matrix> => model.inverseTransform(scores as Matrix, { signal });
    const count = await writeRows(file.source, output, options, rows, { terminal, signal, phase: 'reconstructions' });
    terminal.note(`${several(count, 'row')} of ${several(model.d, 'column')}: ${output}`);
  });
}

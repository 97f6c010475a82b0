import type { Model } from '@scree/core';
import { readModel } from '../model-file.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { checkWidth, columnsOf } from './fitted.js';
import { withFile } from './opened.js';
import { rowsOutput } from './rows-output.js';
import { rowsThrough } from './rows-through.js';
import { Narrator } from './terminal.js';

/** `scree transform`: scores of the rows of a file. */
export async function run({ words: [modelPath, dataPath], flags, signal }: Call): Promise<void> {
  const output = await rowsOutput(flags, 'Say where the scores go: -o scores.npy.');
  const narrator = new Narrator({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  const threads = typeof flags.threads === 'number' ? { threads: flags.threads } : {};
  await withFile(dataPath, columnsOf(model, fileOptions(flags)), async (file) => {
    checkWidth(model, file.source.cols, dataPath);
    const cols = model.whiten === 'zca' ? model.d : model.k;
    const columnNames = Array.from({ length: cols }, (_, i) => (model.whiten === 'zca' ? `c${i}` : `pc${i + 1}`));
    const options = { cols, columnNames, dtype: file.source.dtype };
    const scores = (rows: Parameters<Model['transform']>[0]) => model.transform(rows, { ...threads, signal });
    const count = await rowsThrough(file.source, output, options, scores, { narrator, signal, phase: 'scores' });
    narrator.say(`${count} rows of ${cols} ${cols === 1 ? 'score' : 'scores'}: ${output}`);
  });
}

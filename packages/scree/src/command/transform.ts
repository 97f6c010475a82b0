import type { Model } from '@scree/core';
import { several } from '@scree/core/describe';
import { readModel } from '../disk/model-file.js';
import { formatOf, holdsText, type OutputFormat } from '../disk/write-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { describeWarning } from './describe-error.js';
import { codedModel, fileOptionsFor, readFor } from './for-model.js';
import { Terminal } from './terminal.js';
import { withFile } from './with-file.js';
import { writeRows } from './write-rows.js';

/** `scree transform`: scores of the rows of a file. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [modelPath, ...dataPaths],
    flags,
    signal,
  } = call;
  const output = await checkOutput(call, 'Say where the scores go: -o scores.npy.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  const threads = typeof flags.threads === 'number' ? { threads: flags.threads } : {};
  const plain = codedModel(model);
  await withFile(dataPaths, fileOptionsFor(model, flags, signal), async (raw) => {
    const file = await readFor(model, raw, call, dataPaths[0]);
    const cols = model.whiten === 'zca' ? model.d : model.k;
    const columnNames = Array.from({ length: cols }, (_, i) => (model.whiten === 'zca' ? `c${i}` : `pc${i + 1}`));
    // With its name a row can be found again, also where others were left out.
    const label = holdsText(formatOf(output) as OutputFormat) ? file.label : undefined;
    const csvSafe = flags['csv-safe'] === true;
    const options = { cols, columnNames, dtype: file.source.dtype, label, csvSafe };
    const scores = (rows: Parameters<Model['transform']>[0]) => plain.transform(rows, { ...threads, signal });
    const how = { terminal, signal, phase: 'scores' };
    const labelled = label === undefined ? undefined : file.labelled();
    const count = await writeRows(file.source, output, options, scores, how, labelled);
    const { dropped } = file;
    const left = dropped === 0 ? '' : `; ${dropped} with missing values ${dropped === 1 ? 'was' : 'were'} left out`;
    terminal.note(`${several(count, 'row')} of ${several(cols, 'score')}${left}: ${output}`);
    for (const warning of (await file.source.warnings?.()) ?? []) {
      if (['VALUES_FILLED', 'VALUES_CONVERTED'].includes(warning.code))
        terminal.note(`Warning: ${describeWarning(warning, model.columnNames)}`);
    }
    if (file.label !== undefined && label === undefined)
      terminal.note('Names of rows are only written to .csv and .tsv files.');
  });
}

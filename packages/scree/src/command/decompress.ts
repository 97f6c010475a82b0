import { plural } from '@scree/analysis/describe';
import type { Matrix } from '@scree/core';
import { openCompressed } from '../compress/index.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { Terminal } from './terminal.js';
import { writeRows } from './write-rows.js';

/** `scree decompress`: rows back from a .scree file. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [path],
    flags,
    signal,
  } = call;
  const output = await checkOutput(call, 'Say where the rows go: -o data.npy.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const file = await openCompressed(path);
  try {
    const { source, cols, columnNames, dtype } = file;
    const options = { cols, dtype, columnNames, csvSafe: flags['csv-safe'] === true };
    const same = async (rows: unknown): Promise<Matrix> => rows as Matrix;
    const count = await writeRows(source, output, options, same, { terminal, signal, phase: 'rows' });
    terminal.note(`${plural(count, 'row')} of ${plural(cols, 'column')}: ${output}`);
  } finally {
    await file.close();
  }
}

import { plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import type { Call } from './command.js';
import { type ComputedName, computedColumns } from './computed-columns.js';
import { warningWithFlags } from './describe-error.js';
import { fileOptionsFor, readFor } from './for-model.js';
import { keepFor, rowOutput } from './row-output.js';
import type { Terminal } from './terminal.js';
import { withFile } from './with-file.js';
import { writeRows } from './write-rows.js';

/** The file of computed columns, the files that they are computed from, and the wanted columns. */
export interface ComputedOutput {
  readonly paths: readonly string[];
  readonly output: string;
  readonly wanted: readonly ComputedName[];
}

/** Reads the rows of files for a model, and writes their scores and what else is wanted. */
export async function writeComputed(
  model: Model,
  { paths, output, wanted }: ComputedOutput,
  call: Call,
  terminal: Terminal,
): Promise<void> {
  const { flags, signal } = call;
  const computed = computedColumns(model, wanted, call);
  const options = { ...fileOptionsFor(model, flags, signal), ...keepFor(flags, output) };
  await withFile(paths, options, async (raw) => {
    const file = readFor(model, raw, call, paths[0]);
    const { options: how, parts, namesLeftOut } = rowOutput(file, output, computed.columns, call);
    const control = { terminal, signal, phase: 'scores' };
    const count = await writeRows(file.source, output, how, computed.of, control, parts);
    const { dropped } = file;
    const left = dropped === 0 ? '' : `; ${dropped} with missing values ${dropped === 1 ? 'was' : 'were'} left out`;
    terminal.note(`${plural(count, 'row')} of ${describeColumns(wanted, computed.columns.length)}${left}: ${output}`);
    for (const warning of (await file.source.warnings?.()) ?? []) {
      if (['VALUES_FILLED', 'VALUES_CONVERTED'].includes(warning.code))
        terminal.note(`Warning: ${warningWithFlags(warning, model.columnNames)}`);
    }
    if (namesLeftOut) terminal.note('Names of rows are not written to .npy files, which hold numbers only.');
  });
}

function describeColumns(wanted: readonly ComputedName[], columns: number): string {
  return wanted.length === 1 && wanted[0] === 'scores' ? plural(columns, 'score') : plural(columns, 'computed column');
}

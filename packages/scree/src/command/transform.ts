import { withoutEncoding } from '@scree/analysis';
import { plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { scoreNames } from '@scree/core/data';
import { isSparkUrl } from '../cluster/spark-url.js';
import { typedUrl } from '../database/postgres-url.js';
import { readModel } from '../disk/model-file.js';
import { formatOf, holdsText, type OutputFormat } from '../disk/write-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { nameFile, warningWithFlags } from './describe-error.js';
import { fileOptionsFor, readFor } from './for-model.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withFile } from './with-file.js';
import { writeRows } from './write-rows.js';

/** `scree transform`: scores of the rows of a file. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [modelPath, ...dataPaths],
    flags,
    signal,
  } = call;
  if (flags.into !== undefined) return writeIntoTable(call);
  const alone = ['errors', 't2'].find((name) => flags[name] !== undefined);
  if (alone) throw new UsageError(`--${alone} is for tables on Spark: use it with --into TABLE.`);
  const output = await checkOutput(call, 'Say where the scores go: -o scores.npy.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  const threads = typeof flags.threads === 'number' ? { threads: flags.threads } : {};
  const plain = withoutEncoding(model);
  await withFile(dataPaths, fileOptionsFor(model, flags, signal), async (raw) => {
    const file = readFor(model, raw, call, dataPaths[0]);
    const cols = model.whiten === 'zca' ? model.d : model.k;
    const columnNames = model.whiten === 'zca' ? Array.from({ length: cols }, (_, i) => `c${i}`) : scoreNames(cols);
    // The name identifies a row even if other rows were left out.
    const label = holdsText(formatOf(output) as OutputFormat) ? file.label : undefined;
    const csvSafe = flags['csv-safe'] === true;
    const options = { cols, columnNames, dtype: file.source.dtype, label, csvSafe };
    const scores = (rows: Parameters<Model['transform']>[0]) =>
      plain.transform(rows, { ...threads, signal, missing: 'error' });
    const how = { terminal, signal, phase: 'scores' };
    const labelled = label === undefined ? undefined : file.labelled();
    const count = await writeRows(file.source, output, options, scores, how, labelled);
    const { dropped } = file;
    const left = dropped === 0 ? '' : `; ${dropped} with missing values ${dropped === 1 ? 'was' : 'were'} left out`;
    terminal.note(`${plural(count, 'row')} of ${plural(cols, 'score')}${left}: ${output}`);
    for (const warning of (await file.source.warnings?.()) ?? []) {
      if (['VALUES_FILLED', 'VALUES_CONVERTED'].includes(warning.code))
        terminal.note(`Warning: ${warningWithFlags(warning, model.columnNames)}`);
    }
    if (file.label !== undefined && label === undefined)
      terminal.note('Names of rows are only written to .csv and .tsv files.');
  });
}

/** Writes the scores of a table on Spark into another table there. */
async function writeIntoTable({ positionals: [modelPath, ...dataPaths], flags, signal }: Call): Promise<void> {
  const [path, more] = dataPaths;
  if (!isSparkUrl(path) || more !== undefined)
    throw new UsageError('--into writes a table on Spark: give its address, sc://host:15002, and --table or --sql.');
  if (flags.output !== undefined) throw new UsageError('--into and --output exclude one another.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  if (model.coding)
    throw new UsageError(
      '--into computes scores on Spark, and this model first codes or transforms its columns. Write them to a file instead: -o scores.parquet.',
    );
  const { writeScores } = await import('../cluster/write-scores.js');
  try {
    const { rows, columns } = await writeScores(model, typedUrl(path), {
      ...fileOptionsFor(model, flags, signal),
      signal,
      into: String(flags.into),
      errors: flags.errors === true,
      t2: flags.t2 === true,
      onProgress: (progress) => terminal.onProgress(progress),
    });
    terminal.clear();
    terminal.note(
      `${plural(rows, 'row')} of ${plural(columns.length, 'column')} (${listOf(columns)}): table ${flags.into}`,
    );
  } catch (error) {
    throw nameFile(error, path);
  } finally {
    terminal.clear();
  }
}

function listOf(names: readonly string[]): string {
  return names.length > 8 ? `${names.slice(0, 7).join(', ')}, … ${names.at(-1)}` : names.join(', ');
}

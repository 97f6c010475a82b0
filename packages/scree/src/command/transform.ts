import { plural } from '@scree/analysis/describe';
import { isSparkUrl } from '../cluster/spark-url.js';
import { typedUrl } from '../database/postgres-url.js';
import { readModel } from '../disk/model-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { type ComputedName, columnsWanted } from './computed-columns.js';
import { nameFile } from './describe-error.js';
import { fileOptionsFor } from './for-model.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { writeComputed } from './write-computed.js';

/** `scree transform`: scores of the rows of a file, and what else --with names. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [modelPath, ...dataPaths],
    flags,
  } = call;
  const wanted = columnsWanted(flags);
  if (flags.into !== undefined) return writeIntoTable(call, wanted);
  const output = await checkOutput(call, 'Say where the scores go: -o scores.npy.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const model = await readModel(modelPath);
  await writeComputed(model, { paths: dataPaths, output, wanted }, call, terminal);
}

/** Writes the scores of a table on Spark into another table there. */
async function writeIntoTable(
  { positionals: [modelPath, ...dataPaths], flags, signal }: Call,
  wanted: readonly ComputedName[],
): Promise<void> {
  const [path, more] = dataPaths;
  if (!isSparkUrl(path) || more !== undefined)
    throw new UsageError('--into writes a table on Spark: give its address, sc://host:15002, and --table or --sql.');
  if (flags.output !== undefined) throw new UsageError('--into and --output exclude one another.');
  if (!wanted.includes('scores') || wanted.includes('flag'))
    throw new UsageError('--into writes the scores, and besides them t2, q or error: --with scores,t2,q.');
  if (wanted.includes('q') && wanted.includes('error'))
    throw new UsageError('q and error are the same number: leave one of them out.');
  if (flags.append === true)
    throw new UsageError('--into writes the columns that the model does not use as well: leave out --append.');
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
      error: wanted.find((name) => name === 'error' || name === 'q'),
      t2: wanted.includes('t2'),
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

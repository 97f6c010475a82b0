import { plural } from '@scree/analysis/describe';
import { showBytes } from '@scree/files/platform';
import { compressFile, neighbourRecall, openCompressed, type Quantiser } from '../compress/index.js';
import { checkTarget } from '../disk/output-target.js';
import { checkEnding } from './check-output.js';
import type { Call } from './command.js';
import { checkRereadable, withModel } from './fit-file.js';
import { print, printLines } from './print.js';
import { duration, Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** `scree compress`: a data file as a model and rounded scores. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags, signal } = call;
  const output = flags.output;
  if (typeof output !== 'string') throw new UsageError('Say where it goes: -o data.scree.');
  if (flags.whiten !== undefined) throw new UsageError('Whitened scores are no smaller: leave --whiten out.');
  checkEnding(output, 'compressed');
  await checkTarget(output, [...positionals, flags.model as string | undefined]);
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const start = performance.now();
  await withModel(call, terminal, async (file, { model }) => {
    if (model.coding)
      throw new UsageError(
        'The model transforms or codes columns, and a compressed file holds numbers as they are. Use a model without --transform, --method, --residualize or --scale clr.',
      );
    const { source } = file;
    if (flags.recall) checkRereadable(file);
    const { onProgress } = terminal;
    const done = await compressFile({
      source,
      model,
      path: output,
      quantise: flags.quantise as Quantiser | undefined,
      columnNames: source.columnNames,
      onProgress,
      signal,
      memory: flags.memory as number | undefined,
    });
    terminal.clear();
    const seconds = (performance.now() - start) / 1000;
    const recall = flags.recall ? await recallOf(source, output, signal) : undefined;
    if (flags.json) {
      print(`${JSON.stringify({ ...done, seconds, ...(recall ? { recall } : {}) })}\n`);
      return;
    }
    const lines = [
      `${plural(done.rows, 'row')} of ${plural(done.cols, 'column')} as ${plural(done.k, `${done.quantise} score`)} each: ${showBytes(done.original)} to ${showBytes(done.bytes)}, ${describeSize(done.ratio)} (${duration(seconds)}).`,
      `RMS error ${done.rmsError.toPrecision(3)} in the data's units; ${(100 * done.relativeError ** 2).toPrecision(3)} % of the variance is lost.`,
      ...(recall
        ? [
            `Of the ten nearest neighbours of a row (${recall.metric}) ${(10 * recall.recall).toFixed(1)} are still among them when rows are read back, on a sample of ${recall.sample}.`,
          ]
        : []),
      `The file: ${output}`,
    ];
    printLines(lines);
  });
}

/** Small files have a model that is larger than they are. */
function describeSize(ratio: number): string {
  return ratio >= 1 ? `${ratio.toFixed(1)} times smaller` : `${(1 / ratio).toFixed(1)} times larger: too small to gain`;
}

async function recallOf(
  source: Parameters<typeof neighbourRecall>[0],
  path: string,
  signal: AbortSignal,
): ReturnType<typeof neighbourRecall> {
  const small = await openCompressed(path);
  try {
    return await neighbourRecall(source, small.source, { signal });
  } finally {
    await small.close();
  }
}

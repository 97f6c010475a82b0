import { plural } from '@scree/analysis/describe';
import { DataError, type Matrix, type Model } from '@scree/core';
import type { ReconstructedColumn } from '@scree/core/data';
import { compositionParts, hasCategories, inputNames, refuseChanged, reversible } from '@scree/core/data';
import { AtomicFile } from '../disk/atomic-file.js';
import { csvText } from '../disk/csv-writer.js';
import type { DataFile } from '../disk/index.js';
import { readModel } from '../disk/model-file.js';
import { formatOf, isTextFile, type OutputFormat } from '../disk/write-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withFile } from './with-file.js';
import { matrixOf, writeRows } from './write-rows.js';

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
  const encoding = reversible(model.coding);
  const mixed = encoding !== undefined && hasCategories(encoding);
  const format = formatOf(output) as OutputFormat;
  if (mixed && !isTextFile(format))
    throw new UsageError(`The rows have categories, and .${format} files hold numbers only here: write .csv or .tsv.`);
  const expected = model.whiten === 'zca' ? model.d : model.k;
  await withFile(scoresPath, fileOptions(flags, signal), async (file) => {
    const { cols, dtype } = file.source;
    if (cols !== expected) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `${scoresPath} has ${plural(cols, 'column')}, and scores of this model ${expected}.`,
        {
          value: cols,
          expected,
        },
      );
    }
    const csvSafe = flags['csv-safe'] === true;
    const width = encoding?.columns.length ?? model.d;
    const columnNames = encoding ? inputNames(encoding) : model.columnNames;
    const options = { cols: width, dtype, columnNames, csvSafe };
    const rows = (scores: unknown): Promise<Matrix> => model.inverseTransform(scores as Matrix, { signal });
    const count = mixed
      ? await writeMixed(model, file, output, { delimiter: format === 'tsv' ? '\t' : ',', csvSafe }, call, terminal)
      : await writeRows(file.source, output, options, rows, { terminal, signal, phase: 'reconstructions' });
    terminal.note(`${plural(count, 'row')} of ${plural(width, 'column')}: ${output}`);
    if (model.coding?.regression)
      terminal.note('These are residuals: what the regression took out is not in the scores.');
    if (mixed) terminal.note('Of every category it is the level with the largest fitted value.');
    if (encoding && compositionParts(encoding.columns).length > 0)
      terminal.note('Parts of a composition are shares that add up to 1: log-ratios do not have their total.');
  });
}

/** Writes numbers and levels of a table with categories, block by block. After an error the file does not exist. */
async function writeMixed(
  model: Model,
  { source }: DataFile,
  path: string,
  how: { readonly delimiter: string; readonly csvSafe: boolean },
  { signal }: Call,
  terminal: Terminal,
): Promise<number> {
  const names = model.coding?.columns.map(({ name }) => name) ?? [];
  const file = await AtomicFile.create(path);
  try {
    await file.append(Buffer.from(csvText([names], how)));
    let done = 0;
    for await (const block of source.blocks()) {
      signal.throwIfAborted();
      const columns = await model.reconstruct(matrixOf(block) as Matrix, { signal });
      const lines = Array.from({ length: block.rows }, (_, i) => columns.map((column) => cellOf(column, i)));
      await file.append(Buffer.from(csvText(lines, how)));
      done += block.rows;
      terminal.onProgress({ phase: 'reconstructions', done });
    }
    await refuseChanged(source);
    await file.close();
    return done;
  } catch (error) {
    await file.abort();
    throw error;
  } finally {
    terminal.clear();
  }
}

/** The level of missing values becomes an empty cell. */
function cellOf(column: ReconstructedColumn, row: number): string | number {
  return column.kind === 'number' ? column.values[row] : (column.levels[row] ?? '');
}

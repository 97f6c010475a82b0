import { plural } from '@scree/analysis/describe';
import type { RowSource } from '@scree/core';
import { type Block, mapAsync } from '@scree/core/data';
import { uniqueNames } from '@scree/files/platform';
import type { DataFile, WriteOptions } from '../disk/index.js';
import { formatOf, holdsText, isTextFile, type OutputColumn, type OutputFormat } from '../disk/write-file.js';
import type { Call } from './command.js';
import { UsageError } from './usage-error.js';
import type { RowsBeside } from './write-rows.js';

/** The option of `openFile` that keeps the columns of the user's table, for a file of this name. */
export function keepFor(flags: Call['flags'], output: string): { keep?: 'text' | 'numbers' } {
  if (flags.append !== true) return {};
  return { keep: isTextFile(formatOf(output) as OutputFormat) ? 'text' : 'numbers' };
}

/** How computed columns are written: alone, after the names of the rows, or after every column of the user's table. */
export interface RowOutput {
  readonly options: WriteOptions;
  /** The rows with what stands before the computed columns. */
  readonly parts: AsyncIterable<RowsBeside>;
  /** True if the rows have names that the format cannot hold. */
  readonly namesLeftOut: boolean;
}

/** Decides which columns stand before the computed ones, in `output`. Throws if the format cannot hold them. */
export function rowOutput(
  file: DataFile,
  output: string,
  computed: readonly OutputColumn[],
  { flags }: Pick<Call, 'flags'>,
): RowOutput {
  const { kept, label, source } = file;
  const format = formatOf(output) as OutputFormat;
  const csvSafe = flags['csv-safe'] === true;
  const { dtype } = source;
  const numbers = (columns: readonly OutputColumn[]): number => columns.filter(({ kind }) => kind === 'number').length;
  if (kept) {
    const texts = kept.columns.filter(({ kind }) => kind === 'text');
    if (texts.length > 0 && !holdsText(format)) {
      const names = texts.slice(0, 3).map(({ name }) => JSON.stringify(name));
      throw new UsageError(
        `${output} holds numbers only, and the table has ${plural(texts.length, 'column')} of text: ${names.join(', ')}${texts.length > 3 ? ', …' : ''}. Write .csv, .parquet or .arrow, or leave out --append.`,
      );
    }
    const before = kept.columns.map((column): OutputColumn => ({ ...column, nullable: true }));
    const all = [...before, ...computed];
    const columns = uniqueNames(all.map(({ name }) => name)).map((name, j) => ({ ...all[j], name }));
    const options = {
      cols: numbers(columns),
      columns,
      dtype: isTextFile(format) ? dtype : ('float64' as const),
      csvSafe,
    };
    return { options, parts: kept.blocks(), namesLeftOut: false };
  }
  const named = label !== undefined && holdsText(format);
  const columns = [...(named ? [{ name: label, kind: 'text' } as const] : []), ...computed];
  const parts = named
    ? mapAsync(file.labelled(), ({ block, labels }): RowsBeside => ({ block, texts: [labels] }))
    : blocksOf(source);
  return {
    options: { cols: numbers(columns), columns, dtype, csvSafe },
    parts,
    namesLeftOut: label !== undefined && !named,
  };
}

async function* blocksOf(source: RowSource): AsyncGenerator<{ readonly block: Block }, void, void> {
  for await (const block of source.blocks()) yield { block };
}

import type { Table } from '@scree/core/data';
import type { BufferPool } from './bytes/buffer-pool.js';
import { type Bytes, readerAt } from './bytes/bytes.js';
import type { CsvLayout } from './csv/layout.js';
import { asSeekable } from './formats.js';
import type { PageTools } from './parquet/codecs.js';
import type { NumberDecoder, NumberTask } from './parquet/number-decoder.js';
import type { ParquetPlatform } from './parquet/parquet-table.js';

/**
 * Facts that the readers of this package find in a file, for callers that read the file by other means. A reader is loaded by the first
 * call that needs it.
 */

/** Columns of a Parquet file that are durations, by the schema that Arrow leaves in it: to Parquet they are whole numbers. */
export async function arrowDurations(schema: string | undefined): Promise<string[]> {
  if (schema === undefined) return [];
  const types = await (await import('./arrow/arrow-table.js')).arrowTypes(schema);
  return [...types].filter(([, type]) => type === 'duration').map(([name]) => name);
}

/** A Parquet file, with what a platform adds to its reader. */
export async function openParquet(
  file: Bytes,
  options: { readonly memory: number },
  platform: ParquetPlatform,
): Promise<Table> {
  return (await import('./parquet/parquet-table.js')).openParquet(asSeekable(file), options, platform);
}

/** Decodes the numbers of a reading that `openParquet` began in another thread. */
export async function decodeParquet(
  file: Bytes,
  tools: PageTools,
  task: NumberTask,
  pool: BufferPool,
): Promise<NumberDecoder> {
  return (await import('./parquet/parquet-table.js')).decodeParquet(asSeekable(file), tools, task, pool);
}

/** Verifies the checksums and sizes of all pages of a Parquet file, for a program that does not. */
export async function verifyParquet(
  file: Bytes,
  options: { readonly memory: number },
  tools: PageTools,
): Promise<void> {
  return (await import('./parquet/parquet-table.js')).verifyParquet(asSeekable(file), options, tools);
}

/** How a text table is written. `na` are texts that mean "no value". */
export async function csvLayout(bytes: Bytes, na: readonly string[]): Promise<CsvLayout> {
  return (await import('./csv/layout.js')).detectLayout(bytes, na);
}

/** The table of an Arrow stream in memory, as servers send them. */
export async function openArrowBytes(bytes: Uint8Array, path: string, memory: number): Promise<Table> {
  const readAt = async (into: Uint8Array, position: number): Promise<number> => {
    const part = bytes.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  };
  const file = { path, size: bytes.length, rereadable: true, readAt, open: () => readerAt(readAt) };
  return (await import('./arrow/arrow-table.js')).openArrow(file, { memory });
}

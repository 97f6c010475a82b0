import type { Table } from '@scree/core/data';
import { type Bytes, readerAt } from './bytes/bytes.js';
import type { CsvLayout } from './csv/layout.js';

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

import type { Bytes } from './bytes/bytes.js';
import type { CsvLayout } from './csv/layout.js';

/** What our readers find out about a file, for others who read it themselves. A reader is loaded when it is asked. */

/** Columns of a Parquet file that are durations, by the schema that Arrow leaves in it: to Parquet they are whole numbers. */
export async function arrowDurations(schema: string | undefined): Promise<string[]> {
  if (schema === undefined) return [];
  const types = await (await import('./arrow/arrow-table.js')).arrowTypes(schema);
  return [...types].filter(([, type]) => type === 'duration').map(([name]) => name);
}

/** How a text table is written. */
export async function csvLayout(bytes: Bytes): Promise<CsvLayout> {
  return (await import('./csv/layout.js')).csvLayout(bytes);
}

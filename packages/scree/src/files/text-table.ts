import type { Bytes } from './bytes.js';
import type { Table } from './table.js';

export interface TextOptions {
  readonly kind: 'csv' | 'tsv' | 'json' | 'ndjson';
  readonly memory: number;
  /** For people: "CSV, gzip". */
  readonly format: string;
}

/** A table of text, parsed on this thread. */
export async function openText(bytes: Bytes, { kind, memory, format }: TextOptions): Promise<Table> {
  if (kind === 'csv' || kind === 'tsv') return (await import('./csv-table.js')).openCsv(bytes, { memory, format });
  const { openJson } = await import('./json-table.js');
  return openJson(bytes, { memory, format, lines: kind === 'ndjson' });
}

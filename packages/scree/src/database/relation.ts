import { OptionError } from '@scree/core';
import type { Identified } from '@scree/files/platform';
import { csvRelation } from './csv-relation.js';
import { type DuckDb, fileName, parquetRelation } from './duckdb.js';
import { parquetCheck } from './parquet-check.js';
import { parquetNotes } from './parquet-notes.js';

/** A file as a SQL expression that can follow FROM. */
export interface Relation {
  readonly sql: string;
  isIndex?(name: string): boolean;
}

export async function relationOf(
  found: Identified,
  file: string,
  duck: DuckDb,
  na: readonly string[],
): Promise<Relation> {
  const { format, packing, bytes } = found;
  if (format === 'csv' || format === 'tsv') return csvRelation(found, file, duck, na);
  if (format === 'json' || format === 'ndjson') {
    const packed = packing ? `, compression = '${packing}'` : '';
    return { sql: `read_json(${fileName(file)}, hive_partitioning = false, map_inference_threshold = -1${packed})` };
  }
  if (format === 'parquet') {
    await parquetCheck(duck, { file, path: bytes.path })('all');
    return { sql: parquetRelation(file), isIndex: (await parquetNotes(duck, file)).isIndex };
  }
  throw new OptionError('BAD_OPTION', `sql reads .csv, .parquet, .json and databases; ${bytes.path} is .${format}.`, {
    option: 'sql',
  });
}

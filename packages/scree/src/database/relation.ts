import { OptionError } from '@scree/core';
import { type Identified, openParquet, verifyParquet } from '@scree/files/platform';
import { nodePageTools } from '../disk/page-tools.js';
import { csvRelation } from './csv-relation.js';
import { type DuckDb, fileName, parquetRelation } from './duckdb.js';

/** A file as a SQL expression that can follow FROM. */
export interface Relation {
  readonly sql: string;
  isIndex?(name: string): boolean;
}

export async function relationOf(
  found: Identified,
  file: string,
  duck: DuckDb,
  { na, memory }: { readonly na: readonly string[]; readonly memory: number },
): Promise<Relation> {
  const { format, packing, bytes } = found;
  if (format === 'csv' || format === 'tsv') return csvRelation(found, file, duck, na);
  if (format === 'json' || format === 'ndjson') {
    const packed = packing ? `, compression = '${packing}'` : '';
    return { sql: `read_json(${fileName(file)}, hive_partitioning = false, map_inference_threshold = -1${packed})` };
  }
  if (format === 'parquet') {
    // DuckDB verifies no checksums, and returns memory that was never written where a page has fewer values than it should.
    await verifyParquet(bytes, { memory }, nodePageTools);
    const { columns } = await openParquet(bytes, { memory }, { tools: nodePageTools });
    const indexes = new Set(columns.filter(({ index }) => index).map(({ name }) => name));
    return { sql: parquetRelation(file), isIndex: (name) => indexes.has(name) };
  }
  throw new OptionError('BAD_OPTION', `sql reads .csv, .parquet, .json and databases; ${bytes.path} is .${format}.`, {
    option: 'sql',
  });
}

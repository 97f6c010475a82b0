import { OptionError } from '@scree/core';
import type { Identified } from '@scree/core/files';
import { fileName, parquetRelation } from './duckdb.js';

/** What DuckDB calls a file, for queries over it. */
export function relationOf({ format, packing, bytes }: Identified, file: string): string {
  const packed = packing ? `, compression = '${packing}'` : '';
  if (format === 'csv' || format === 'tsv') return `read_csv(${fileName(file)}, hive_partitioning = false${packed})`;
  if (format === 'json' || format === 'ndjson')
    return `read_json(${fileName(file)}, hive_partitioning = false, map_inference_threshold = -1${packed})`;
  if (format === 'parquet') return parquetRelation(file);
  throw new OptionError('BAD_OPTION', `sql reads .csv, .parquet, .json and databases; ${bytes.path} is .${format}.`, {
    option: 'sql',
  });
}

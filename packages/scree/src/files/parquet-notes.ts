import type { DuckDBBlobValue } from '@duckdb/node-api';
import { pandasIndex } from '@scree/core/files';
import { type Duck, fileName } from './duckdb.js';

/** What a Parquet file says of its columns beyond their types. */
export interface Notes {
  /** Whether a column numbers the rows. */
  isIndex(name: string): boolean;
}

export async function parquetNotes(duck: Duck, file: string): Promise<Notes> {
  const entries = await duck.rows(`SELECT key, value FROM parquet_kv_metadata(${fileName(file)})`);
  const said = new Map(
    (entries as [DuckDBBlobValue, DuckDBBlobValue][]).map(([key, value]) => [textOf(key), textOf(value)]),
  );
  return { isIndex: pandasIndex(said.get('pandas')) };
}

function textOf({ bytes }: DuckDBBlobValue): string {
  return Buffer.from(bytes).toString('utf8');
}

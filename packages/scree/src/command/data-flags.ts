import type { FileOptions } from '@scree/files';
import { choice, type Flag, list, size, text } from './flags.js';

/** As core's readers need it; nothing of theirs is loaded for a help text. */
const LEAST_MEMORY = 2 ** 24;

/** How a data file is read, the same for every command that reads one. */
export const DATA_FLAGS: readonly Flag[] = [
  list('columns', 'A,B,…', 'columns to use; all numeric ones otherwise. Of arrays by number: 0-99,120'),
  list('exclude', 'A,B,…', 'columns not to use'),
  text('label', 'COLUMN', 'a column that names or colours the rows; it is not analysed'),
  text('weight', 'COLUMN', 'a column that says how often each row counts'),
  choice('missing', ['error', 'drop', 'mean'], 'rows with missing values: an error (default), left out, or filled in'),
  text('sql', 'QUERY', 'analyse the result of a query; the file is the table "data", a database has its own'),
  text('member', 'NAME', 'which array of a .npz, or which table of a database'),
  choice(
    'format',
    ['npy', 'npz', 'idx', 'csv', 'tsv', 'parquet', 'json', 'ndjson', 'arrow', 'duckdb', 'sqlite', 'scree'],
    'the format, where it should not be found out',
  ),
  size('memory', 'memory to stay below; 1GB otherwise, 256MB is about the least for Parquet and SQL', LEAST_MEMORY),
];

/** What the flags say about reading. */
export function fileOptions(flags: Readonly<Record<string, unknown>>): FileOptions {
  const named = DATA_FLAGS.map(({ name }) => [name, flags[name]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as FileOptions;
}

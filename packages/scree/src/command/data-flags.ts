import type { FileOptions } from '@scree/files';
import { choice, type Flag, list, size, text } from './flags.js';

/** The least that `@scree/files` accepts; repeated here because a help text must not load the readers. */
const LEAST_MEMORY = 2 ** 24;

/** How a data file is read, the same for every command that reads one. */
export const DATA_FLAGS: readonly Flag[] = [
  list('columns', 'A,B,…', 'columns to use (default: all numeric ones); those of arrays by number: 0-99,120'),
  list('exclude', 'A,B,…', 'columns to leave out'),
  text('label', 'COLUMN', 'column that names or colours the rows; it is not analysed'),
  text('weight', 'COLUMN', 'column that says how many times each row counts'),
  choice(
    'missing',
    ['error', 'drop', 'mean'],
    'rows with missing values: stop, leave them out, or fill in column means (default: error)',
  ),
  text('sql', 'QUERY', 'analyse the result of a query; a file is the table "data", a database has its own tables'),
  text('member', 'NAME', 'array of a .npz file, or table of a database'),
  choice(
    'format',
    ['npy', 'npz', 'idx', 'csv', 'tsv', 'parquet', 'json', 'ndjson', 'arrow', 'duckdb', 'sqlite', 'scree'],
    'format of the file (default: recognised by its first bytes and its name)',
    'NAME',
  ),
  size('memory', 'memory to use at most (default: 1GB; Parquet and SQL need about 256MB)', LEAST_MEMORY),
];

/** What the flags say about reading. */
export function fileOptions(flags: Readonly<Record<string, unknown>>): FileOptions {
  const named = DATA_FLAGS.map(({ name }) => [name, flags[name]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as FileOptions;
}

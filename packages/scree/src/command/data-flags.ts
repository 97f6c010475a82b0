import type { FillMethodName } from '@scree/core/pipeline';
import type { FileFormat } from '@scree/files';
import type { OpenOptions } from '../disk/open-file.js';
import { choice, type Flag, list, size, text, toggle } from './flags.js';

/** The least that `@scree/files` accepts. Repeated here because a help text must not load the readers. */
const MIN_MEMORY = 16e6;

/** Every format of `@scree/files`. The compiler holds this list to its registry, which a help text must not load. */
const FORMATS = Object.keys({
  npy: 0,
  npz: 0,
  idx: 0,
  csv: 0,
  tsv: 0,
  parquet: 0,
  json: 0,
  ndjson: 0,
  arrow: 0,
  duckdb: 0,
  sqlite: 0,
  scree: 0,
} satisfies Record<FileFormat, 0>);

/** Flags that say how a data file is read. All commands that read one have them. */
export const DATA_FLAGS: readonly Flag[] = [
  list('columns', 'A,B,…', 'columns to use (default: all numeric ones); those of arrays by number: 0-99,120'),
  list('exclude', 'A,B,…', 'columns to leave out'),
  toggle(
    'transpose',
    'the file has variables in rows, such as genes, and observations in columns: exchange them; the first column names the variables, and the header names the observations',
  ),
  text('label', 'COLUMN', 'column that names the rows and colours them in figures; it is not analysed'),
  text('name', 'COLUMN', 'column that names the rows, if another one colours them'),
  text('color', 'COLUMN', 'column that colours the rows in figures, if another one names them'),
  text('weight', 'COLUMN', 'column that says how many times each row counts'),
  choice(
    'missing',
    ['error', 'drop', 'mean'],
    'rows with missing values: stop, leave them out, or fill in column means (default: error)',
  ),
  list(
    'na',
    'A,B,…',
    'texts and numbers that mean a missing value, besides empty cells, and NA, -, . and the like in columns of numbers',
  ),
  text('sql', 'QUERY', 'analyse the result of a query; a file is the table "data", a database has its own tables'),
  text('member', 'NAME', 'array of a .npz file, or table of a database'),
  text('table', 'NAME', 'table of a database or of Spark; the same as --member'),
  choice('format', FORMATS, 'format of the file (default: recognised by its first bytes and its name)', 'NAME'),
  size('memory', 'memory to use at most (default: 1GB; Parquet and SQL need about 256MB)', MIN_MEMORY),
];

/** The same for commands that take categories: a missing value can be a level of its own. */
export const MIXED_DATA_FLAGS: readonly Flag[] = DATA_FLAGS.map((flag) =>
  flag.name === 'missing'
    ? choice(
        'missing',
        ['error', 'drop', 'mean', 'level'],
        'rows with missing values: stop, leave them out, fill in column means, or make them a level of categories (default: error)',
      )
    : flag,
);

/** The methods that predict missing values (the compiler compares them with those of core). */
const PREDICTING: readonly FillMethodName[] = ['iterative', 'em', 'nipals'];

/** The same for commands that fit a model to the rows themselves: missing values can be predicted. */
export const FIT_DATA_FLAGS: readonly Flag[] = MIXED_DATA_FLAGS.map((flag) =>
  flag.name === 'missing'
    ? choice(
        'missing',
        ['error', 'iterative', 'em', 'nipals', 'drop', 'mean', 'level'],
        'missing values: stop, predict them from the other columns (iterative: regularised iterative PCA; em: maximum likelihood; nipals), leave their rows out, fill in column means, or make them a level of categories (default: error)',
      )
    : flag,
);

/** The method of --missing that predicts values; undefined for another rule. */
export function predictingMethod({ missing }: Readonly<Record<string, unknown>>): FillMethodName | undefined {
  return PREDICTING.find((method) => method === missing);
}

/** The options of `openFile` from the flags. */
export function fileOptions(flags: Readonly<Record<string, unknown>>, signal?: AbortSignal): OpenOptions {
  const named = DATA_FLAGS.filter(({ name }) => name !== 'table').map(({ name }) => [name, flags[name]] as const);
  if (flags.table !== undefined) named.push(['member', flags.table]);
  const options = { ...Object.fromEntries(named.filter(([, value]) => value !== undefined)), signal };
  return predictingMethod(flags) ? { ...options, missing: 'keep' } : options;
}

import type { DuckDBBlobValue } from '@duckdb/node-api';
import { arrowDurations, pandasIndex } from '@scree/files/platform';
import { type DuckDb, fileName, quoted } from './duckdb.js';

/** DuckDB reads decimals of more digits as wrong numbers. */
const LONGEST_DECIMAL = 38;

/** Facts about columns from the metadata of a Parquet file, in addition to their types. */
export interface ParquetNotes {
  /** True if a column only numbers the rows. */
  isIndex(name: string): boolean;
  /** Columns that have a numeric type but no numbers to analyse, and what they are: `duration`, `empty`. */
  readonly nonNumeric: ReadonlyMap<string, string>;
}

export async function parquetNotes(duck: DuckDb, file: string): Promise<ParquetNotes> {
  const entries = await duck.rows(`SELECT key, value FROM parquet_kv_metadata(${fileName(file)})`);
  const metadata = new Map(
    (entries as [DuckDBBlobValue, DuckDBBlobValue][]).map(([key, value]) => [textOf(key), textOf(value)]),
  );
  const durations = await arrowDurations(metadata.get('ARROW:schema'));
  const elements = await schemaOf(duck, file);
  const flat = flatColumns(elements);
  const leaves = elements.filter(({ children }) => children === 0).length;
  const empty = await emptyColumns(duck, file, flat, leaves);
  const long = [...flat.values()].filter(({ precision }) => precision > LONGEST_DECIMAL).map(({ name }) => name);
  return {
    isIndex: pandasIndex(metadata.get('pandas')),
    nonNumeric: new Map([...named(durations, 'duration'), ...named(long, 'long decimal'), ...named(empty, 'empty')]),
  };
}

function named(columns: readonly string[], what: string): [string, string][] {
  return columns.map((name) => [name, what]);
}

function textOf({ bytes }: DuckDBBlobValue): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Columns whose values are all missing, according to their type or to the statistics of their chunks. */
async function emptyColumns(
  duck: DuckDb,
  file: string,
  flat: ReadonlyMap<string, Element>,
  leaves: number,
): Promise<string[]> {
  // Usually the first row group already shows that there is none. There may be very many groups.
  const counted = `SELECT path_in_schema, num_values, stats_null_count FROM parquet_metadata(${fileName(file)})`;
  const candidates = (await duck.rows(
    `SELECT path_in_schema FROM (${counted} LIMIT ${leaves}) WHERE stats_null_count = num_values AND num_values > 0`,
  )) as [string][];
  const paths = candidates.map(([path]) => path).filter((path) => flat.has(path));
  const missing = [...flat].filter(([, { type }]) => type === 'NullType()').map(([column]) => column);
  if (paths.length === 0) return missing;
  const empty = (await duck.rows(
    `SELECT path_in_schema FROM (${counted}) WHERE path_in_schema IN (${paths.map(quoted).join(', ')}) GROUP BY path_in_schema HAVING count(stats_null_count) = count(*) AND sum(stats_null_count) = sum(num_values)`,
  )) as [string][];
  return [...missing, ...empty.map(([path]) => path)];
}

/** An element of a schema. */
interface Element {
  readonly name: string;
  readonly children: number;
  /** Its logical type. */
  readonly type: string | null;
  /** Digits of a decimal. */
  readonly precision: number;
}

async function schemaOf(duck: DuckDb, file: string): Promise<Element[]> {
  const rows = (await duck.rows(
    `SELECT name, coalesce(num_children, 0), logical_type, coalesce(precision, 0) FROM parquet_schema(${fileName(file)})`,
  )) as [string, bigint, string | null, bigint][];
  return rows.map(([name, children, type, precision]) => ({
    name,
    type,
    children: Number(children),
    precision: Number(precision),
  }));
}

/** Columns that are not nested. The elements are in depth-first order, root first. */
function flatColumns(elements: readonly Element[]): Map<string, Element> {
  const flat = new Map<string, Element>();
  let inside = 0;
  for (const element of elements.slice(1)) {
    const { name, children } = element;
    if (inside === 0 && children === 0) flat.set(name, element);
    inside = inside === 0 ? children : inside - 1 + children;
  }
  return flat;
}

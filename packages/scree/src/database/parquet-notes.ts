import type { DuckDBBlobValue } from '@duckdb/node-api';
import { arrowDurations, pandasIndex } from '@scree/files/internal';
import { type Duck, fileName, quoted } from './duckdb.js';

/** Most digits of a decimal: longer ones DuckDB reads as other numbers. */
const LONGEST_DECIMAL = 38;

/** What a Parquet file says of its columns beyond their types. */
export interface Notes {
  /** Whether a column numbers the rows. */
  isIndex(name: string): boolean;
  /** Columns that hold no numbers though their type is one: what they are instead. */
  readonly listed: ReadonlyMap<string, string>;
}

export async function parquetNotes(duck: Duck, file: string): Promise<Notes> {
  const entries = await duck.rows(`SELECT key, value FROM parquet_kv_metadata(${fileName(file)})`);
  const said = new Map(
    (entries as [DuckDBBlobValue, DuckDBBlobValue][]).map(([key, value]) => [textOf(key), textOf(value)]),
  );
  const durations = await arrowDurations(said.get('ARROW:schema'));
  const elements = await schemaOf(duck, file);
  const flat = flatColumns(elements);
  const leaves = elements.filter(({ children }) => children === 0).length;
  const empty = await emptyColumns(duck, file, flat, leaves);
  const long = [...flat.values()].filter(({ precision }) => precision > LONGEST_DECIMAL).map(({ name }) => name);
  return {
    isIndex: pandasIndex(said.get('pandas')),
    listed: new Map([...named(durations, 'duration'), ...named(long, 'long decimal'), ...named(empty, 'empty')]),
  };
}

function named(columns: readonly string[], what: string): [string, string][] {
  return columns.map((name) => [name, what]);
}

function textOf({ bytes }: DuckDBBlobValue): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Columns whose values are all missing, as far as their type or the counts of their chunks say so. */
async function emptyColumns(
  duck: Duck,
  file: string,
  flat: ReadonlyMap<string, Element>,
  leaves: number,
): Promise<string[]> {
  // Of most files the first group says that there is none, and there may be very many groups.
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

async function schemaOf(duck: Duck, file: string): Promise<Element[]> {
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

/** Columns that are not nested: elements stand in depth-first order, the root first. */
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

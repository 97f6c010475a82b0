import { type DuckDb, quoted } from './duckdb.js';

/**
 * The files that a query names: as a table, FROM 'x.csv', or in a table function, read_csv('x*.csv'). The query may read
 * these. Views of the database may not read any other files.
 */
export async function filesOfQuery(sql: string, duck: DuckDb): Promise<string[]> {
  const query = sql.trim().replace(/;\s*$/, '');
  const [[parsed]] = (await duck.rows(`SELECT json_serialize_sql(${quoted(query)})`)) as [[string]];
  const files: string[] = [];
  for (const name of namesIn(JSON.parse(parsed), false)) {
    // DuckDB must be allowed both a pattern and the files that it matches. Text that is not a file name matches nothing.
    const matching = await duck.rows(`SELECT file FROM glob(${quoted(name)})`).catch(() => []);
    files.push(name, ...matching.map(([file]) => String(file)));
  }
  return files;
}

/** Walks DuckDB's syntax tree. `inside` a table function, any text may be a file name. */
function* namesIn(node: unknown, inside: boolean): Generator<string, void, void> {
  if (typeof node !== 'object' || node === null) return;
  const {
    type,
    table_name: table,
    value,
  } = node as { type?: unknown; table_name?: unknown; value?: { value?: unknown } };
  if (type === 'BASE_TABLE' && typeof table === 'string' && /[./\\]/.test(table)) yield table;
  if (inside && type === 'VALUE_CONSTANT' && typeof value?.value === 'string') yield value.value;
  for (const child of Object.values(node)) yield* namesIn(child, inside || type === 'TABLE_FUNCTION');
}

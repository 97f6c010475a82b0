import { type Duck, quoted } from './duckdb.js';

/**
 * The files that a query names itself: as a table, FROM 'x.csv', or in a table function, read_csv('x*.csv'). These it may
 * read. A view that a database brings along may name others, and must not.
 */
export async function filesOfQuery(sql: string, duck: Duck): Promise<string[]> {
  const query = sql.trim().replace(/;\s*$/, '');
  const [[parsed]] = (await duck.rows(`SELECT json_serialize_sql(${quoted(query)})`)) as [[string]];
  const files: string[] = [];
  for (const name of namesIn(JSON.parse(parsed), false)) {
    // Patterns stand for files, and both must be allowed. What is no file matches nothing.
    const matching = await duck.rows(`SELECT file FROM glob(${quoted(name)})`).catch(() => []);
    files.push(name, ...matching.map(([file]) => String(file)));
  }
  return files;
}

/** Walks through DuckDB's syntax tree; `inside` a table function all text may be the name of a file. */
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

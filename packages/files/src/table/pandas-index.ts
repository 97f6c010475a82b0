/** The name that pandas gives to the column of an index without a name. */
const NAMELESS = /^__index_level_\d+__$/;

/**
 * Which columns are pandas' index, by what it writes under "pandas" into the metadata of a schema: they number the rows, as the
 * first column of its CSV does.
 */
export function pandasIndex(metadata: string | undefined): (name: string) => boolean {
  const named = new Set(indexColumns(metadata));
  return (name) => named.has(name) || NAMELESS.test(name);
}

/** An index of consecutive numbers is a record, and no column. */
function indexColumns(metadata: string | undefined): string[] {
  try {
    const { index_columns: columns } = JSON.parse(metadata ?? '{}') as { index_columns?: unknown };
    return Array.isArray(columns) ? columns.filter((column) => typeof column === 'string') : [];
  } catch {
    // Not JSON as pandas writes it: then there is no index.
    return [];
  }
}

import type { ColumnAccess } from './column-access.js';

/** Most columns of groups, and of other numbers, that components are compared with. */
const MOST_GROUP_COLUMNS = 5;
const MOST_NUMBER_COLUMNS = 10;
/** Most groups of a column, and the rows per group at least on average: otherwise its cells are names rather than groups. */
const MOST_LEVELS = 20;
const ROWS_PER_GROUP = 3;
/** Most cells that are compared: columns of text are read from the file, and numbers are copied. */
const MOST_CELLS = 5e6;

/** The rows of a fit, as rows of the table. */
export interface RowsOfTable {
  readonly length: number;
  at(row: number): number;
}

/** Columns that were not fitted and that components can be compared with. */
export interface OtherColumns {
  /** Columns of groups: the label of every row of the fit, null where one has none. */
  readonly groups: readonly { readonly name: string; readonly labels: readonly (string | null)[] }[];
  /** Other columns of numbers, NaN where a value is missing. */
  readonly numbers: readonly { readonly name: string; at(row: number): number }[];
}

/**
 * The columns that had no part in a fit: the first 5 of groups and the first 10 of other numbers. Columns of up to 20 different texts or whole numbers
 * are groups, if there are 3 rows or more per group. `left` are columns that only tell rows apart.
 */
export async function otherColumns(
  table: ColumnAccess,
  rows: RowsOfTable,
  fitted: readonly number[],
  left: ReadonlySet<number>,
): Promise<OtherColumns> {
  const groups: { name: string; labels: readonly (string | null)[] }[] = [];
  const numbers: { name: string; at: (row: number) => number }[] = [];
  const most = Math.floor(MOST_CELLS / table.rows);
  let texts = 0;
  for (const [column, { name, kind }] of table.columns.entries()) {
    if (kind === 'other' || fitted.includes(column) || left.has(column)) continue;
    const values = table.numbers(column);
    if (!values && texts++ >= most) continue;
    const at = values && ((row: number) => values(rows.at(row)));
    const cells = at ? undefined : await table.texts(column);
    const labels = Array.from({ length: rows.length }, (_, row) => (at ? at(row) : cells?.[rows.at(row)]));
    if (areGroups(labels)) groups.push({ name, labels: labels.map(textOf) });
    else if (at) numbers.push({ name, at });
  }
  return {
    groups: groups.slice(0, MOST_GROUP_COLUMNS),
    numbers: numbers.slice(0, Math.min(MOST_NUMBER_COLUMNS, most)),
  };
}

type Cell = string | number | null | undefined;

/** Whether labels make groups: two or more, of enough rows each; of numbers, whole ones only. */
function areGroups(labels: readonly Cell[]): boolean {
  const levels = new Set<Cell>();
  let present = 0;
  for (const label of labels) {
    if (textOf(label) === null) continue;
    if (typeof label === 'number' && !Number.isInteger(label)) return false;
    present++;
    levels.add(label);
    if (levels.size > MOST_LEVELS) return false;
  }
  return levels.size >= 2 && present >= ROWS_PER_GROUP * levels.size;
}

/** A label; null if the row has none. */
function textOf(label: Cell): string | null {
  return label === null || label === undefined || label === '' || Number.isNaN(label) ? null : String(label);
}

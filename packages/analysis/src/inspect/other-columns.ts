import type { ColumnAccess } from './column-access.js';

/** Most columns of groups, and of other numbers, that are compared with components. */
const MOST_GROUP_COLUMNS = 5;
const MOST_NUMBER_COLUMNS = 10;
/** Most groups of a column, and the fewest rows per group on average. Otherwise its cells are names rather than groups. */
const MOST_LEVELS = 20;
const ROWS_PER_GROUP = 3;
/** Most cells that are compared, because texts are read from the file, and numbers are copied. */
const MOST_CELLS = 5e6;

/** The row indexes in the table of the rows of a fit. */
export interface RowsOfTable {
  readonly length: number;
  at(row: number): number;
}

/** Columns that were not fitted and can be compared with components. */
export interface OtherColumns {
  /** Columns of groups: the label of every row of the fit, or null. */
  readonly groups: readonly { readonly name: string; readonly labels: readonly (string | null)[] }[];
  /** Other columns of numbers, with NaN for missing values. */
  readonly numbers: readonly { readonly name: string; at(row: number): number }[];
}

/**
 * The columns that were not fitted: the first 5 of groups and the first 10 of other numbers. Columns of up to 20 different texts or
 * whole numbers are groups, if there are 3 rows or more per group. `left` has columns that only identify rows.
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

/** Returns true if labels make two or more groups with enough rows each. Numbers must be whole. */
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

/** The label as text, or null if the row has none. */
function textOf(label: Cell): string | null {
  return label === null || label === undefined || label === '' || Number.isNaN(label) ? null : String(label);
}

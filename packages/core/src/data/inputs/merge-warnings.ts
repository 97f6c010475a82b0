import type { Warning, WarningCode } from '../../warning.js';

/** A column, and the number of its values that a warning counts. */
interface Counted {
  readonly name: string;
  readonly count?: number;
}

/** Number of columns that a message names. */
const MOST_NAMED = 5;

/**
 * Merges warnings of several files or parts of a table: adds up their counts. `kept` is the number of all rows, without dropped
 * rows.
 */
export function mergeWarnings(lists: readonly (readonly Warning[])[], kept: number | undefined): Warning[] {
  const byCode = new Map<WarningCode, Warning[]>();
  for (const warning of lists.flat()) byCode.set(warning.code, [...(byCode.get(warning.code) ?? []), warning]);
  return [...byCode.values()].flatMap((same) => {
    const { code } = same[0];
    const write = SENTENCES[code];
    if (!write) return distinct(same);
    if (lists.length === 1) return same;
    const columns = new Map<string, Counted>();
    for (const { details } of same) {
      for (const column of (details?.columns ?? []) as readonly Counted[]) {
        const before = columns.get(column.name);
        const count = (before?.count ?? 0) + (column.count ?? 0);
        columns.set(column.name, { ...(before ?? column), ...(column.count === undefined ? {} : { count }) });
      }
    }
    const all = [...columns.values()];
    const sum = (name: string): number => same.reduce((total, { details }) => total + Number(details?.[name] ?? 0), 0);
    const details = {
      ...same[0].details,
      columns: all,
      ...(code === 'COLUMNS_LEFT_OUT' ? { count: all.length } : { count: sum('count') }),
      ...(code === 'VALUES_CONVERTED' || code === 'VALUES_FILLED' ? { values: sum('values') } : {}),
      ...(code === 'ROWS_DROPPED' ? { rows: kept === undefined ? sum('rows') : kept + sum('count') } : {}),
    };
    const some = all.slice(0, MOST_NAMED).map(({ name, count }) => JSON.stringify(name) + (count ? ` (${count})` : ''));
    if (all.length > MOST_NAMED) some.push(`${all.length - MOST_NAMED} more columns`);
    return [{ code, details, message: `${write(details as never)}: ${some.join(', ')}.` }];
  });
}

function distinct(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
}

type Numbers = Readonly<Record<'count' | 'values' | 'rows', number>>;

const SENTENCES: { readonly [Code in WarningCode]?: (details: Numbers) => string } = {
  ROWS_DROPPED: ({ count, rows }) =>
    `${count} of ${rows} rows ${count === 1 ? 'was' : 'were'} left out, because values are missing`,
  VALUES_CONVERTED: ({ values }) =>
    `${values} ${values === 1 ? 'value was' : 'values were'} not written as plain numbers and converted`,
  INTEGERS_ROUNDED: ({ count }) =>
    `${count} whole ${count === 1 ? 'number' : 'numbers'} beyond 2^53 were rounded to the nearest float64`,
  COLUMNS_LEFT_OUT: ({ count }) => `${count} ${count === 1 ? 'column was' : 'columns were'} left out as mostly text`,
};

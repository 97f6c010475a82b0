import type { Warning } from '../warning.js';
import type { RemoteReading } from './table.js';

/** Columns that a message names. */
const NAMED = 5;

/** Counts how one reading handles missing values, for the warnings VALUES_FILLED and ROWS_DROPPED. */
export class GapCounts {
  /** Rows that were read, dropped ones too. */
  rows = 0;
  dropped = 0;
  /** The replacements of missing values: the column means of the file, or numbers from the caller. */
  readonly #from: 'mean' | 'given';
  /** Missing values by column, filled in or in dropped rows. */
  readonly #missing = new Map<number, number>();
  #filled = 0;

  constructor(from: 'mean' | 'given' = 'mean') {
    this.#from = from;
  }

  /** The counts of a reading on a cluster. */
  static of({ read, incomplete, gaps }: RemoteReading, drops: boolean, from: 'mean' | 'given'): GapCounts {
    const counts = new GapCounts(from);
    counts.rows = read;
    counts.dropped = drops ? incomplete : 0;
    counts.#filled = drops ? 0 : gaps.reduce((sum, count) => sum + count, 0);
    gaps.forEach((count, j) => {
      if (count > 0) counts.#missing.set(j, count);
    });
    return counts;
  }

  /** Counts a value that was filled in. */
  fill(column: number): void {
    this.#filled++;
    this.#count(column);
  }

  /** Counts a dropped row that misses the values of these columns. */
  drop(columns: Iterable<number>): void {
    this.dropped++;
    for (const column of columns) this.#count(column);
  }

  /** Number of missing values of a column. */
  missing(column: number): number {
    return this.#missing.get(column) ?? 0;
  }

  #count(column: number): void {
    this.#missing.set(column, (this.#missing.get(column) ?? 0) + 1);
  }

  warnings(nameOf: (column: number) => string): Warning[] {
    const { rows, dropped } = this;
    const columns = [...this.#missing]
      .sort(([a], [b]) => a - b)
      .map(([column, count]) => ({ name: nameOf(column), count }));
    const values = this.#filled;
    if (values > 0) {
      const means = this.#from === 'mean' ? "the column's mean, which shrinks correlations" : 'the given number';
      const were = values === 1 ? 'was' : 'were';
      const message =
        columns.length === 1
          ? `${values} of ${rows} values of ${JSON.stringify(columns[0].name)} ${were} filled in with ${means}.`
          : `${values} missing values were filled in, each with ${means}: ${listed(columns)}, of ${rows} rows.`;
      return [{ code: 'VALUES_FILLED', message, details: { columns, values, rows, with: this.#from } }];
    }
    if (dropped === 0) return [];
    return [
      {
        code: 'ROWS_DROPPED',
        message: `${dropped} of ${rows} rows ${dropped === 1 ? 'was' : 'were'} left out, because values are missing: ${listed(columns)}.`,
        details: { count: dropped, rows, columns },
      },
    ];
  }
}

/** "Ozone" (37), "Solar.R" (7). */
function listed(columns: readonly { readonly name: string; readonly count: number }[]): string {
  const some = columns.slice(0, NAMED).map(({ name, count }) => `${JSON.stringify(name)} (${count})`);
  if (columns.length > NAMED) some.push(`${columns.length - NAMED} more columns`);
  return some.join(', ');
}

import type { Warning } from '@scree/core';

/** How a value was written that is read as a number: a truth value, an amount of money, a percentage, or with separated thousands. */
export type Conversion = 'boolean' | 'currency' | 'percent' | 'thousands';

/** A column with values that were converted, and one of them. */
export interface ConvertedColumn {
  readonly name: string;
  readonly kind: Conversion;
  readonly count: number;
  /** A text of the file, and the number that it became. */
  readonly from: string;
  readonly to: number;
}

interface Counted {
  readonly kind: Conversion;
  readonly from: string;
  readonly to: number;
  count: number;
}

/** Columns that a message names, and characters of a text. */
const NAMED = 5;
const SHOWN = 20;

/**
 * Counts values that were not written as plain numbers, per column, for the warning VALUES_CONVERTED. Every reading counts
 * for itself, and the largest count stands.
 */
export class ConvertedValues {
  readonly #counts = new Map<number, Counted>();

  /** Begins to count one reading. */
  reading(): (column: number, kind: Conversion, from: string, to: number) => void {
    const counts = new Map<number, number>();
    return (column, kind, from, to) => {
      const count = (counts.get(column) ?? 0) + 1;
      counts.set(column, count);
      const known = this.#counts.get(column);
      if (!known) this.#counts.set(column, { kind, from: from.slice(0, SHOWN), to, count });
      else if (count > known.count) known.count = count;
    };
  }

  warnings(path: string, nameOf: (column: number) => string): Warning[] {
    const columns = [...this.#counts].sort(([a], [b]) => a - b);
    return convertedWarning(
      path,
      columns.map(([column, counted]) => ({ name: nameOf(column), ...counted })),
    );
  }
}

/** The warning that values of these columns were converted. */
export function convertedWarning(path: string, columns: readonly ConvertedColumn[]): Warning[] {
  if (columns.length === 0) return [];
  const values = columns.reduce((sum, { count }) => sum + count, 0);
  const some = columns
    .slice(0, NAMED)
    .map(({ name, count, from, to }) => `${JSON.stringify(name)} (${count}, such as ${from} → ${to})`);
  if (columns.length > NAMED) some.push(`${columns.length - NAMED} more columns`);
  const [noun, were] = values === 1 ? ['value', 'was'] : ['values', 'were'];
  return [
    {
      code: 'VALUES_CONVERTED',
      message: `${values} ${noun} of ${path} ${were} not written as plain numbers and ${were} converted: ${some.join(', ')}.`,
      details: { values, columns },
    },
  ];
}

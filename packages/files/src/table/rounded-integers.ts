import type { Warning } from '@scree/core';

/** From here on not every whole number is a float64. */
export const LARGEST_EXACT = 2 ** 53;
/** Columns that a message names. */
const NAMED = 5;

/**
 * Counts whole numbers that float64 cannot hold, per column, for the warning INTEGERS_ROUNDED. A fit reads its rows
 * several times, so every reading counts for itself, and the largest count stands.
 */
export class RoundedIntegers {
  readonly #counts = new Map<number, number>();

  /** Begins to count one reading. */
  reading(): RoundedReading {
    return new RoundedReading(this.#counts);
  }

  /** Counts that were made elsewhere. */
  merge(counts: Iterable<readonly [number, number]>): void {
    for (const [column, count] of counts) this.#counts.set(column, Math.max(count, this.#counts.get(column) ?? 0));
  }

  /** Columns, and how many of their values were rounded. */
  counts(): readonly (readonly [number, number])[] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }

  warnings(path: string, nameOf: (column: number) => string): Warning[] {
    const columns = this.counts().map(([column, count]) => ({ name: nameOf(column), count }));
    if (columns.length === 0) return [];
    const count = columns.reduce((sum, column) => sum + column.count, 0);
    const named = columns.slice(0, NAMED).map((column) => `${JSON.stringify(column.name)} (${column.count})`);
    if (columns.length > NAMED) named.push(`${columns.length - NAMED} more columns`);
    return [
      {
        code: 'INTEGERS_ROUNDED',
        message: `${count} whole ${count === 1 ? 'number' : 'numbers'} beyond 2^53 in ${path} were rounded to the nearest float64: ${named.join(', ')}. If such a column holds identifiers, exclude it.`,
        details: { count, columns },
      },
    ];
  }
}

/** The counts of one reading. */
export class RoundedReading {
  readonly #total: Map<number, number>;
  readonly #counts = new Map<number, number>();

  constructor(total: Map<number, number>) {
    this.#total = total;
  }

  add(column: number, count = 1): void {
    const sum = (this.#counts.get(column) ?? 0) + count;
    this.#counts.set(column, sum);
    if (sum > (this.#total.get(column) ?? 0)) this.#total.set(column, sum);
  }
}

/** Returns true if the 64-bit integer with these halves was rounded to another number, `value`. */
export function wasRounded(value: number, high: number, low: number): boolean {
  if (value > -LARGEST_EXACT && value < LARGEST_EXACT) return false;
  // The halves of what it became: beyond 2^53 it is a whole number, and its low half is exact.
  const becameLow = value - Math.floor(value / 2 ** 32) * 2 ** 32;
  return becameLow !== low || Math.floor(value / 2 ** 32) !== high;
}

/** Returns true if digits, with or without a sign, are another whole number than `value`, the float64 that was read from them. */
export function wasTextRounded(digits: string, value: number): boolean {
  return (
    Math.abs(value) >= LARGEST_EXACT && Number.isFinite(value) && BigInt(digits.replace(/^\+/, '')) !== BigInt(value)
  );
}

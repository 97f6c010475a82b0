import type { RowOrder } from '../inspect/row-order.js';
import { count, formatNumber, listed } from './numbers.js';
import { relationText } from './relation-text.js';

/** Sentences about the structure of tables that the command and the page share. */

/** Most components that are named. */
const MOST_NAMED = 3;

/** Says in which components neighbouring rows are alike, and whether they wander: a sentence without its full stop. */
export function describeRowOrder({ components, randomWalks }: RowOrder): string {
  const named = (numbers: readonly number[]): string =>
    numbers.length > MOST_NAMED
      ? `${count(numbers.length)} components`
      : listed(numbers.map((number) => `PC${number}`));
  const strongest = Math.max(...components.map(({ lag1 }) => lag1));
  const alike = `Neighbouring rows are alike in ${named(components.map(({ component }) => component))} (r ${shortCorrelation(strongest)} from one row to the next), as in a time series`;
  return randomWalks.length === 0
    ? alike
    : `${alike}; ${named(randomWalks)} ${randomWalks.length === 1 ? 'wanders' : 'wander'} like a random walk`;
}

/** "up to .97", and "> .99" for correlations that would be rounded to 1. */
function shortCorrelation(r: number): string {
  return r >= 0.995 ? '> .99' : `up to ${r.toFixed(2).replace(/^0/, '')}`;
}

/** The sum of every row, or its range if sums were rounded. */
export function describeTotal(total: number, least: number, most: number): string {
  return most - least > 1e-6 * total ? `${formatNumber(least)} to ${formatNumber(most)}` : formatNumber(total);
}

/** A relation as the warning LINEAR_RELATION has it. */
export interface WrittenRelation {
  readonly left: string | number;
  readonly terms: readonly { readonly column: string | number; readonly coefficient: number }[];
  readonly constant: number;
}

/** "ts = sws + ps". */
export function describeRelation({ left, terms, constant }: WrittenRelation): string {
  const named = terms.map(({ column, coefficient }) => ({ name: String(column), coefficient }));
  return relationText(String(left), named, constant);
}

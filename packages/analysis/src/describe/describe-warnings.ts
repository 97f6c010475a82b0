import { formatNumber, listed } from './numbers.js';

/** Sentences of warnings that the library, the command and the page share. */

/** The `details` of the warning FEW_DIGITS: names or indexes of columns, and facts about the first one. */
export interface FewDigits {
  readonly columns: readonly (string | number)[];
  readonly count: number;
  readonly largest: number;
  /** The distance of neighbouring numbers of this size. */
  readonly step: number;
  readonly deviation: number;
  readonly dtype: 'float32' | 'float64';
}

/** Says how few digits there are, why, and what to do. `called` returns the title of a column. */
export function describeFewDigits(
  { columns, count, largest, step, deviation, dtype }: FewDigits,
  called: (column: string | number) => string,
): string {
  const digits = Math.round(Math.log10(deviation / step));
  const about = digits < 1 ? 'less than 1 digit' : `only about ${digits === 1 ? '1 digit' : `${digits} digits`}`;
  const numbers = `its numbers are up to ${formatNumber(largest)}, where neighbours in ${dtype} are ${formatNumber(step)} apart, and its standard deviation is ${formatNumber(deviation)}`;
  const remedy = `If they were measured with more digits, ${largest < 1000 * step ? 'multiply them by a constant' : 'subtract a constant'} before they are stored.`;
  if (count === 1)
    return `The differences between rows in column ${called(columns[0])} have ${about}: ${numbers}. ${remedy}`;
  const names = [...columns.map(called), ...(count > columns.length ? [`${count - columns.length} more`] : [])];
  return `The differences between rows in columns ${listed(names)} have few digits, those of ${called(columns[0])} ${about}: ${numbers}. ${remedy}`;
}

/** The `details` of the warning RANK_BELOW_K. */
export interface RankDetails {
  readonly rank: number;
  readonly k: number;
  readonly d: number;
}

/** Says how many components have variance, and what the others are. */
export function describeRank({ rank, k, d }: RankDetails): string {
  if (rank === 0)
    return `None of the ${k} components has variance that can be told from zero: the data vary by no more than the rounding of their own numbers.`;
  const others =
    d - rank === 1
      ? `component ${k} is the one direction orthogonal to the others`
      : `the ${k - rank === 1 ? 'other is' : 'others are'} not determined by the data`;
  return `Only ${rank} of the ${k} components ${rank > 1 ? 'have' : 'has'} variance that can be told from zero; ${others}.`;
}

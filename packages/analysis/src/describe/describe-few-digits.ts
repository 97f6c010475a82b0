import { formatNumber, listed } from './numbers.js';

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

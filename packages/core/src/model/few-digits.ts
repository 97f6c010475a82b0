import { columnDeviation } from '../data/scaling.js';
import type { ColumnStatistics } from '../data/statistics.js';
import { describeColumn } from '../errors.js';
import { powerOfTwo } from '../linalg/vector.js';
import type { Warning } from '../warning.js';

/** Columns are listed whose standard deviation is less than so many steps of the type that stores them: three digits. */
const FEW_STEPS = 1000;
/** Columns that details name. */
const MOST_NAMED = 5;

/** The distance of neighbouring numbers of size 1, and the distance of the smallest numbers. */
const STEPS = { float32: [2 ** -23, 2 ** -149], float64: [2 ** -52, 2 ** -1074] } as const;

/** Columns that are so far from zero, or so small, that few digits are left for what differs from row to row: `details` of the warning. */
export interface FewDigits {
  /** The names of columns, or their indexes, those with the fewest digits first; and how many there are. */
  readonly columns: readonly (string | number)[];
  readonly count: number;
  /** Of the first: its largest absolute value, the distance of neighbouring numbers there, and its standard deviation. */
  readonly largest: number;
  readonly step: number;
  readonly deviation: number;
  readonly dtype: 'float32' | 'float64';
}

/** Finds columns with few digits. Nothing can be known of digits that were rounded away before; these are those that are left. */
export function findFewDigits(
  stats: ColumnStatistics,
  dtype: 'float32' | 'float64',
  divisor: number,
  names: readonly string[] | undefined,
): FewDigits | undefined {
  const [relative, least] = STEPS[dtype];
  const found = Array.from(stats.mean.keys()).flatMap((j) => {
    if (stats.spread[j] === 0) return [];
    const largest = Math.max(-stats.min[j], stats.max[j]);
    if (dtype === 'float32' && mayBeIntegers(stats.min[j], stats.max[j])) return [];
    // Powers of two end at 2^-1000; the distance of smaller numbers is that of larger ones, as many powers below.
    const lift = largest < 1 ? 2 ** 60 : 1;
    const step = Math.max((powerOfTwo(largest * lift) * relative) / lift, least);
    const deviation = columnDeviation(stats, j, divisor, true);
    return deviation < FEW_STEPS * step ? [{ column: names?.[j] ?? j, largest, step, deviation }] : [];
  });
  if (found.length === 0) return undefined;
  found.sort((a, b) => a.deviation / a.step - b.deviation / b.step);
  const [{ largest, step, deviation }] = found;
  const columns = found.slice(0, MOST_NAMED).map(({ column }) => column);
  return { columns, count: found.length, largest, step, deviation, dtype };
}

/** Integers of up to 16 bits count as float32, which has all of them; they have all of their digits. */
function mayBeIntegers(min: number, max: number): boolean {
  return Number.isInteger(min) && Number.isInteger(max) && min >= -(2 ** 15) && max < 2 ** 16;
}

/** What is wrong and what to do, for any reader; `called` is what a column is called. */
export function describeFewDigits(
  { columns, count, largest, step, deviation, dtype }: FewDigits,
  called: (column: string | number) => string,
): string {
  const more = count > columns.length ? [`${count - columns.length} more`] : [];
  const names = [...columns.map(called), ...more];
  const list = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
  const digits = Math.round(Math.log10(deviation / step));
  const change = step === STEPS[dtype][1] ? 'multiply them by a constant' : 'subtract a constant';
  const about = digits < 1 ? 'less than 1 digit' : `only about ${digits === 1 ? '1 digit' : `${digits} digits`}`;
  const numbers = `numbers are as large as ${short(largest)}, where neighbours in ${dtype} are ${short(step)} apart, and their standard deviation is ${short(deviation)}`;
  const remedy = `If they were measured with more digits, ${change} before they are stored.`;
  return count === 1
    ? `The differences within column ${list} have ${about}: its ${numbers}. ${remedy}`
    : `The differences within columns ${list} have few digits, those of ${called(columns[0])} ${about}: its ${numbers}. ${remedy}`;
}

/** The warning, with columns counted from 1 if they have no names. */
export function fewDigitsWarning(found: FewDigits | undefined): Warning[] {
  if (!found) return [];
  const called = (column: string | number): string =>
    typeof column === 'number' ? describeColumn(column) : JSON.stringify(column);
  return [{ code: 'FEW_DIGITS', message: describeFewDigits(found, called), details: { ...found } }];
}

/** A number of any size, in a few characters. */
function short(value: number): string {
  if (value === 0 || (value >= 1e-3 && value < 1e6)) return String(Number(value.toPrecision(3)));
  return value.toExponential(1).replace('.0e', 'e').replace('e+', 'e');
}

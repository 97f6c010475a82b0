import type { ColumnFacts } from './column-inspector.js';
import { wordsOf } from './column-names.js';

/** Tells from the names and the numbers of columns whether they are dates. */

/** Returns true for a column named year with calendar years. */
export function isYear({ name = '', integers, min, max }: ColumnFacts): boolean {
  return /^(year|yr)$/.test(wordsOf(name).join(' ')) && integers === true && min >= 1500 && max <= 2200;
}

/** Names of the parts of dates and times, and the range of their whole numbers. */
const DATE_PARTS: readonly (readonly [name: RegExp, least: number, most: number])[] = [
  [/^(month|mon|mo|month of (the )?year|month (no|nr|num|number))$/, 0, 12],
  // Includes days since some date.
  [/^(day|mday|dom|day of (the )?month)$/, 0, Number.POSITIVE_INFINITY],
  [/^(weekday|wday|dow|day of (the )?week)$/, 0, 7],
  [/^(yday|doy|julian|day of (the )?year)$/, 0, 366],
  [/^(week|iso week|woy|week of (the )?year)$/, 0, 53],
  [/^(quarter|qtr)$/, 1, 4],
  [/^(hour|hr|hour of (the )?day)$/, 0, 24],
  [/^(minute|second)$/, 0, 59],
];
const POINT_IN_TIME = /(^| )(timestamp|time stamp|datetime|date time|date|unix time)$/;
const MAY_BE_TIME = /(^| )(time|ts|epoch|at|created|updated|modified|seconds|millis|ms)$/;

/** Returns true if the name of a column is one of dates or times, and its numbers are in their range. */
export function isDate({ name = '', integers, min, max }: ColumnFacts): boolean {
  const words = wordsOf(name).join(' ');
  if (POINT_IN_TIME.test(words)) return true;
  if (MAY_BE_TIME.test(words) && areTimestamps(min, max)) return true;
  return (
    integers === true && DATE_PARTS.some(([pattern, least, most]) => pattern.test(words) && min >= least && max <= most)
  );
}

/** The first seconds of 1980 and 2100, since 1970. */
const [FROM, TO] = [315_532_800, 4_102_444_800];

/** Returns true if numbers may be times since 1970 in seconds, milliseconds, microseconds or nanoseconds. */
function areTimestamps(min: number, max: number): boolean {
  return [1, 1e3, 1e6, 1e9].some((unit) => min >= FROM * unit && max <= TO * unit);
}

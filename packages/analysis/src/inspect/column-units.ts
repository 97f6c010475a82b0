import type { ColumnFacts } from './column-inspector.js';

/** This many columns with the same minimum, usually 0, count as measured in one unit (pixels, counts of words). */
const ALIKE = 10;
/** Fewest columns with the same range, or with names that are positions, that count as one unit. */
const FEWEST = 3;
/** Units at the end of names without brackets: bill_length_mm, share.pct. */
const UNITS =
  /(?:^|[^\p{L}\p{N}])(nm|um|mm|cm|dm|m|km|mg|g|kg|ms|s|sec|min|h|hz|khz|mhz|ml|l|v|mv|db|pct|perc|percent|ppm|ppb|usd|eur|gbp|%)$/iu;

/** Returns true if many columns have the same minimum, as pixels and counts have 0. */
export function beginAlike(columns: readonly ColumnFacts[]): boolean {
  return columns.length >= ALIKE && columns.every(({ min }) => min === columns[0].min);
}

/**
 * Returns true if columns seem to have one unit, so that scaling is not needed: many have the same minimum; all have the same range, as
 * ratings do; their names end in the same unit, "(cm)" or "_cm"; or their names are positions, such as wavelengths and years:
 * "X900.nm", "X902.nm".
 */
export function haveOneUnit(columns: readonly ColumnFacts[]): boolean {
  if (columns.length < 2) return false;
  return beginAlike(columns) || haveOneRange(columns) || nameOneUnit(columns) || namePositions(columns);
}

function haveOneRange(columns: readonly ColumnFacts[]): boolean {
  const [{ min, max }] = columns;
  return columns.length >= FEWEST && columns.every((each) => each.min === min && each.max === max);
}

function nameOneUnit(columns: readonly ColumnFacts[]): boolean {
  const units = columns.map(({ name = '' }) => unitOf(name.trim()));
  return units[0] !== undefined && units.every((unit) => unit === units[0]);
}

function unitOf(name: string): string | undefined {
  return (/[([]([^()[\]]+)[)\]]$/.exec(name) ?? UNITS.exec(name))?.[1].trim().toLowerCase();
}

/**
 * Returns true if names are rising or falling numbers with the same letters around them. Numbers that count from 0 or 1 do not count:
 * x1, x2, x3.
 */
function namePositions(columns: readonly ColumnFacts[]): boolean {
  if (columns.length < FEWEST) return false;
  const parts = columns.map(({ name = '' }) => /^([^\d]*)(\d+(?:\.\d+)?)([^\d]*)$/.exec(name));
  const [first] = parts;
  if (!first || !parts.every((part) => part?.[1] === first[1] && part[3] === first[3])) return false;
  const numbers = parts.map((part) => Number(part?.[2]));
  const steps = numbers.slice(1).map((value, i) => value - numbers[i]);
  if (!steps.every((step) => step > 0) && !steps.every((step) => step < 0)) return false;
  const counts = steps.every((step) => Math.abs(step) === 1);
  return !counts || Math.min(...numbers) > columns.length;
}

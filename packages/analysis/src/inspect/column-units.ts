import type { ColumnFacts } from './column-inspector.js';

/** Columns that begin at one value, 0 for most, count as measured in one unit (pixels, counts of words) from this many on. */
const ALIKE = 10;
/** Columns from which the same range, or names that are positions, are no chance. */
const FEWEST = 3;
/** Units that names end in without brackets: bill_length_mm, share.pct. */
const UNITS =
  /(?:^|[^\p{L}\p{N}])(nm|um|mm|cm|dm|m|km|mg|g|kg|ms|s|sec|min|h|hz|khz|mhz|ml|l|v|mv|db|pct|perc|percent|ppm|ppb|usd|eur|gbp|%)$/iu;

/** Whether columns begin at one and the same value, as pixels and counts begin at 0. */
export function beginAlike(columns: readonly ColumnFacts[]): boolean {
  return columns.length >= ALIKE && columns.every(({ min }) => min === columns[0].min);
}

/**
 * Whether columns are known to have one unit, so that scaling them is no remedy for units: many begin at the same value; all have the
 * same range, as ratings do; their names end in the same unit, "(cm)" or "_cm"; or their names are positions, such as
 * wavelengths and years: "X900.nm", "X902.nm".
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
 * Whether names are numbers that rise or fall, with the same letters around them. Numbers that count from 0 or 1 are those of any
 * columns: x1, x2, x3.
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

import type { ColumnFacts } from './column-inspector.js';
import { wordsOf } from './column-names.js';

/** This many columns with the same minimum, usually 0, count as measured in one unit (pixels, counts of words). */
const ALIKE = 10;
/** Share of the columns with the same minimum, if single abundances are never 0. */
const MOSTLY_ALIKE = 0.8;
/** Words for lengths. */
const LENGTHS = /^(length|width|height|depth|breadth|thickness|diameter|radius)$/;
/** Fewest columns with the same range, or with names that are positions, that count as one unit. */
const FEWEST = 3;
/** Units at the end of names without brackets: bill_length_mm, share.pct. */
const UNITS =
  /(?:^|[^\p{L}\p{N}])(nm|um|mm|cm|dm|m|km|mg|g|kg|ms|s|sec|min|h|hz|khz|mhz|ml|l|v|mv|db|pct|perc|percent|ppm|ppb|usd|eur|gbp|%)$/iu;

/** Returns true if many columns have the same minimum, as pixels and counts have 0: all of them, or a share. */
export function beginAlike(columns: readonly ColumnFacts[], share = 1): boolean {
  if (columns.length < ALIKE) return false;
  const least = columns.reduce((low, { min }) => Math.min(low, min), Number.POSITIVE_INFINITY);
  return columns.filter(({ min }) => min === least).length >= share * columns.length;
}

/** Why columns seem to have one unit. */
export type OneUnit =
  /** Their names end in the same unit: "(cm)" or "_cm". */
  | 'name'
  /** Their names are lengths: "Sepal.Length", "Petal.Width". */
  | 'lengths'
  /** Their names are positions, such as wavelengths and years: "X900.nm", "X902.nm". */
  | 'positions'
  /** All have the same range, as ratings do. */
  | 'range'
  /** Many have the same minimum, as pixels and counts have 0. */
  | 'minimum';

/** Returns true if columns seem to have one unit, so that scaling is not needed. */
export function haveOneUnit(columns: readonly ColumnFacts[]): boolean {
  return whyOneUnit(columns) !== undefined;
}

/** The reason why columns seem to have one unit; undefined if nothing says so. */
export function whyOneUnit(columns: readonly ColumnFacts[]): OneUnit | undefined {
  if (columns.length < 2) return undefined;
  if (nameOneUnit(columns)) return 'name';
  if (namePositions(columns)) return 'positions';
  if (nameLengths(columns)) return 'lengths';
  if (haveOneRange(columns)) return 'range';
  return beginAlike(columns, MOSTLY_ALIKE) ? 'minimum' : undefined;
}

/** Two different units that the names of columns end in; undefined if there are none. */
export function differentUnits(columns: readonly ColumnFacts[]): readonly [string, string] | undefined {
  const units = new Set(columns.flatMap(({ name = '' }) => unitOf(name.trim()) ?? []));
  const [one, other] = units;
  return other === undefined ? undefined : [one, other];
}

/** Returns true if all names end in a word for a length. */
function nameLengths(columns: readonly ColumnFacts[]): boolean {
  return columns.length >= FEWEST && columns.every(({ name = '' }) => LENGTHS.test(wordsOf(name).at(-1) ?? ''));
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

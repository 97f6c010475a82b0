/** The values of single cells of a text table. */

/**
 * Texts that mean "no value" in a column of numbers, as R, pandas, SQL, spreadsheets and the UCI archive write them. In a column of
 * text they may be values: "None" is a level in many surveys, and NA is Namibia.
 */
const MISSING_TEXTS = [
  '',
  'NA',
  'N/A',
  'n/a',
  '#N/A',
  '#NA',
  '<NA>',
  'NaN',
  'nan',
  '-nan',
  '-NaN',
  'NAN',
  'NULL',
  'null',
  'Null',
  'None',
  'none',
  '?',
  '-',
  '.',
  '\\N',
  'missing',
];
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITE = /^([+-]?)(?:inf|infinity|1\.#inf)$/i;

/** The texts that mean "no value" in a column of numbers: those above, and those that the user names. */
export function missingTexts(na: readonly string[] = []): ReadonlySet<string> {
  return new Set([...MISSING_TEXTS, ...na]);
}

/** Parses a cell as a number; undefined if it is something else. Truth values are 1 and 0. */
export function cellNumber(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^true$/i.test(text)) return 1;
  if (/^false$/i.test(text)) return 0;
  return undefined;
}

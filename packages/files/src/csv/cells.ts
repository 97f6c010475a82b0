/** What single cells of a text table mean. */

/** Texts that mean "no value", as R, pandas, SQL, spreadsheets and the UCI archive write them. */
export const MISSING_TEXTS: ReadonlySet<string> = new Set([
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
]);
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITE = /^([+-]?)(?:inf|infinity|1\.#inf)$/i;

/** Whether a cell, without the blanks around it, stands for a missing value. */
export function isMissing(cell: string): boolean {
  return MISSING_TEXTS.has(cell);
}

/** A cell's number; undefined when it is none. Truth is 1 or 0. */
export function cellNumber(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^true$/i.test(text)) return 1;
  if (/^false$/i.test(text)) return 0;
  return undefined;
}

import { classifyCell } from './decimal-marks.js';

/**
 * Numbers as people write them: $1,200, 12 %, 1 234,5, 1'234. A notation is used for a column only if all cells at the
 * beginning of the file are written in it. A cell further down that does not fit is an error.
 */
export interface Notation {
  /** The sign of the currency, or %; undefined if only thousands are separated. */
  readonly sign: string | undefined;
  /** The separator of thousands, if it is neither a comma nor a point. */
  readonly separator: 'space' | 'apostrophe' | undefined;
}

/** Spaces that people put between thousands: plain, no-break, narrow no-break and thin. */
const SPACES = ' \u00a0\u202f\u2009';
const APOSTROPHES = "'’";
const CURRENCY = '[$€£¥₹₩₽]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK';
const SIGNED = new RegExp(
  `^([(+-]?)(?:(${CURRENCY})[${SPACES}]?)?([+-]?[\\d.,${SPACES}${APOSTROPHES}]+?)(?:[${SPACES}]?(${CURRENCY}|%))?(\\)?)$`,
);
const SEPARATED = {
  space: new RegExp(`^[+-]?[1-9]\\d{0,2}(?:[${SPACES}]\\d{3})+(?:[.,]\\d*)?$`),
  apostrophe: new RegExp(`^[+-]?[1-9]\\d{0,2}(?:[${APOSTROPHES}]\\d{3})+(?:[.,]\\d*)?$`),
} as const;

/** A cell without its notation: digits and marks, as `parseNumber` reads them. Undefined if it has no notation. */
function parsed(cell: string): { readonly notation: Notation; readonly digits: string } | undefined {
  const [, before, prefix, body, suffix, after] = SIGNED.exec(cell) ?? [];
  if (body === undefined || (prefix !== undefined && suffix !== undefined)) return undefined;
  const sign = prefix ?? suffix;
  // Accountants write negative amounts in brackets.
  if ((before === '(') !== (after === ')') || (before === '(' && (sign === undefined || sign === '%')))
    return undefined;
  const separator = SEPARATED.space.test(body) ? 'space' : SEPARATED.apostrophe.test(body) ? 'apostrophe' : undefined;
  const plain = separator ? body.replace(SEPARATORS, '') : body;
  if (!/^[+-]?[\d.,]+$/.test(plain) || (before !== '' && /^[+-]/.test(plain))) return undefined;
  return { notation: { sign, separator }, digits: (before === '(' ? '-' : before) + plain };
}

const SEPARATORS = new RegExp(`[${SPACES}${APOSTROPHES}]`, 'g');

/** Returns true if a cell is a number in some notation. */
export function hasNotation(cell: string): boolean {
  const found = parsed(cell);
  return found !== undefined && isNotation(found.notation) && classifyCell(found.digits) !== 'text';
}

function isNotation({ sign, separator }: Notation): boolean {
  return sign !== undefined || separator !== undefined;
}

/** The notation of a column; undefined if numbers are plain, cells are text, or notations are mixed. */
export function notationOf(cells: Iterable<string>, missing: ReadonlySet<string>): Notation | undefined {
  const signs = new Set<string | undefined>();
  const separators = new Set<Notation['separator']>();
  const lengths = new Set<number>();
  let tells = false;
  for (const cell of cells) {
    if (missing.has(cell)) continue;
    const found = parsed(cell);
    if (!found || classifyCell(found.digits) === 'text') return undefined;
    signs.add(found.notation.sign);
    if (found.notation.separator) separators.add(found.notation.separator);
    lengths.add(found.digits.length);
    tells ||= found.notation.separator === 'apostrophe' || /[-.,]/.test(found.digits);
  }
  // A percentage without its sign may be a share; amounts may lack theirs, as 0 often does.
  if (!signs.has('%')) signs.delete(undefined);
  if (signs.size > 1 || separators.size > 1) return undefined;
  const notation = { sign: [...signs][0], separator: [...separators][0] };
  // Groups of three digits, all of one length, may be telephone numbers.
  return notation.sign !== undefined || (notation.separator !== undefined && (tells || lengths.size > 1))
    ? notation
    : undefined;
}

/**
 * A cell of a column with a notation, as plain digits and marks; undefined if the cell does not have the notation. Amounts may
 * lack their sign, as 0 often does. A number without % among numbers with it is ambiguous, so it is undefined.
 */
export function stripNotation(cell: string, notation: Notation): string | undefined {
  const found = parsed(cell);
  if (!found) return undefined;
  const { sign, separator } = found.notation;
  const signed = sign === notation.sign || (sign === undefined && notation.sign !== '%');
  const separated = separator === undefined || separator === (notation.separator ?? separator);
  return signed && separated ? found.digits : undefined;
}

import { isGap } from '../data/blocks/gap.js';
import {
  checkRow,
  exactNumber,
  hasColumn,
  isRecord,
  missingColumn,
  otherKeys,
  type Row,
} from '../data/inputs/row-gatherer.js';
import { notFinite } from '../data/statistics/not-finite.js';
import { DataError, describeColumn, describeValue, OptionError } from '../errors.js';

/**
 * Copies the numbers of one row, given by position or by name, into `out`. `names` are the columns of the model, and `d` is their
 * number. Records may have further fields. `onGap` returns the number for a missing value, or throws. `at` is the index of the row, for
 * messages.
 */
export function readOneRow(
  row: Row,
  names: readonly string[] | undefined,
  d: number,
  out: Float64Array,
  onGap: (column: number, names: readonly string[] | undefined) => number = refuseGap,
  at = 0,
): void {
  const record = isRecord(row);
  const keys = record ? (names ?? Object.keys(row)) : undefined;
  const cols = (keys ?? (row as ArrayLike<number>))?.length;
  if (!keys) checkRow(row, at);
  if (cols !== d) throw widthMismatch(cols, d, at);
  for (let j = 0; j < d; j++) {
    const value: unknown = (row as Record<string | number, unknown>)[keys ? keys[j] : j];
    if (typeof value !== 'number') {
      if (keys && !hasColumn(row, keys[j])) throw missingColumn(at, keys[j], j, otherKeys(row, keys));
      out[j] = isGap(value) ? onGap(j, names) : exactNumber(value, at, j, names);
      continue;
    }
    if (Number.isNaN(value)) {
      out[j] = onGap(j, names);
      continue;
    }
    if (value - value !== 0) throw notFinite(value, at, j, names);
    out[j] = value;
  }
}

/** For `transformSync`: a missing value is an error. */
export function refuseGap(column: number, names: readonly string[] | undefined): never {
  throw new DataError(
    'MISSING_VALUES',
    `The value of column ${describeColumn(column, names)} is missing. Use await model.transform(row), which predicts it: the code for that is loaded on demand.`,
    { row: 0, column, ...(names?.[column] === undefined ? {} : { columnName: names[column] }) },
  );
}

/**
 * z = Vb, k numbers. Each sum is written where it is computed: a function that returned it would allocate an object for the number at
 * every call, which a server would have to collect.
 */
export function projectInto(components: Float64Array, b: Float64Array, z: Float64Array): void {
  const d = b.length;
  const end = d - (d % 4);
  for (let c = 0, at = 0; c < z.length; c++, at += d) {
    let p = 0;
    let q = 0;
    let r = 0;
    let s = 0;
    for (let j = 0; j < end; j += 4) {
      p += components[at + j] * b[j];
      q += components[at + j + 1] * b[j + 1];
      r += components[at + j + 2] * b[j + 2];
      s += components[at + j + 3] * b[j + 3];
    }
    for (let j = end; j < d; j++) p += components[at + j] * b[j];
    z[c] = p + q + (r + s);
  }
}

/** Throws unless `out` has room for the scores. */
export function checkOut(out: ArrayLike<number>, needed: number): void {
  if (typeof out === 'object' && out !== null && out.length >= needed) return;
  const found = typeof out?.length === 'number' ? `has room for ${out.length}` : `is ${describeValue(out)}`;
  throw new OptionError('BAD_OPTION', `out ${found}; transformSync writes ${counted(needed, 'score')} there.`, {
    option: 'out',
    value: out?.length,
    expected: needed,
  });
}

function widthMismatch(cols: number, d: number, at: number): DataError {
  return new DataError(
    'WIDTH_MISMATCH',
    `Row ${at + 1} has ${counted(cols, 'column')}, and ${d} ${d === 1 ? 'is' : 'are'} needed. Pass the same columns in the same order.`,
    { row: at, value: cols, expected: d },
  );
}

/** Throws if `row` is a list of rows. */
export function checkOneRow(row: unknown): void {
  const first: unknown = Array.isArray(row) ? row[0] : undefined;
  if (typeof first !== 'object' || first === null) return;
  throw new DataError(
    'BAD_DATA',
    'transformSync takes one row, and this is a list of rows. Use await model.transform(rows).',
    { value: row },
  );
}

/** The error of rows or scores that do not have the width which the model needs. */
export function wrongWidth(what: 'rows' | 'scores', cols: number, needed: number): DataError {
  const expected =
    what === 'rows'
      ? `the model was fitted to ${counted(needed, 'column')}. Pass the same columns in the same order.`
      : `those of this model have ${needed}. Pass scores as transform returns them.`;
  return new DataError('WIDTH_MISMATCH', `These ${what} have ${counted(cols, 'column')}, but ${expected}`, {
    value: cols,
    expected: needed,
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

import { builtInName } from './base/built-in-name.js';

/**
 * Every error that scree throws on purpose is a `ScreeError`. It has a stable `code` for programs, a message for people that
 * names the value, its position and a remedy, and the same facts as data in `details`.
 */

export type ErrorCode =
  // data
  | 'EMPTY_DATA'
  | 'TOO_FEW_ROWS'
  | 'RAGGED_ROWS'
  | 'NOT_A_NUMBER'
  | 'NOT_FINITE'
  | 'BAD_DATA'
  | 'BAD_SPARSE'
  | 'WIDTH_MISMATCH'
  | 'MISSING_COLUMN'
  | 'SOURCE_CHANGED'
  | 'OUT_OF_RANGE'
  | 'TOO_LARGE'
  | 'MISSING_VALUES'
  | 'NOT_A_COVARIANCE'
  // files
  | 'NO_FILE'
  | 'NO_ACCESS'
  | 'BAD_FILE'
  | 'FILE_TRUNCATED'
  | 'UNSUPPORTED'
  | 'DISK_FULL'
  // databases on a server
  | 'NO_CONNECTION'
  | 'CONNECTION_LOST'
  // options
  | 'UNKNOWN_OPTION'
  | 'BAD_OPTION'
  | 'K_OUT_OF_RANGE'
  | 'BAD_SCALE'
  | 'BAD_WEIGHTS'
  // models
  | 'BAD_MODEL'
  | 'MODEL_TRUNCATED'
  | 'MODEL_CHANGED'
  | 'MODEL_TOO_NEW'
  | 'MEAN_UNKNOWN'
  // computing
  | 'NOT_CONVERGED'
  | 'DIVERGED'
  | 'WORKER_LOST';

/**
 * The facts of an error message, for programs. They are small, and can always be written as JSON: a list is cut to its first
 * entries, and a value that is neither a number nor a short text is described.
 */
export interface ErrorDetails {
  /** Zero-based row of the data. */
  readonly row?: number;
  /** Zero-based column of the data. */
  readonly column?: number;
  /** The name of the column, if the columns have names. */
  readonly columnName?: string;
  readonly option?: string;
  /** The value that was found: a number, a text, or a description of another value. A list is cut to its first 10 entries. */
  readonly value?: unknown;
  readonly expected?: unknown;
  /** The number of entries of the list in `value`, before it was cut. */
  readonly count?: number;
  /** The file, as the caller named it. */
  readonly path?: string;
  /** The number of rows that have the problem, and of all rows. */
  readonly affectedRows?: number;
  readonly totalRows?: number;
  /** Tells problems apart that share a code. */
  readonly reason?: ErrorReason;
  /** Why something is not available on this machine, as part of a sentence. */
  readonly cause?: string;
}

export type ErrorReason =
  // BAD_DATA: the comma or point of a number can be read in two ways, a quotation mark is never closed, or a column has no scale
  | 'ambiguous-mark'
  | 'open-quote'
  | 'median-deviation-0'
  // NOT_A_NUMBER: a supplementary column of text
  | 'supplementary-text'
  // RAGGED_ROWS: lists among records, a key that other records lack, lists of other lengths
  | 'mixed-forms'
  | 'unknown-key'
  | 'list-length'
  // BAD_FILE and FILE_TRUNCATED, with the row
  | 'missing-comma'
  | 'not-a-record'
  | 'nested-too-deep'
  | 'invalid-json'
  | 'unfinished-row'
  | 'missing-row'
  // BAD_DATA: a level of a category that the fit did not see, or a table without categories
  | 'unseen-level'
  | 'no-categories'
  // OUT_OF_RANGE: a transform of a value that it is not defined for
  | 'transform'
  // UNSUPPORTED: an optional npm package is not installed
  | 'missing-package'
  // TOO_LARGE and UNSUPPORTED: the option `memory` allows too little
  | 'memory'
  // BAD_DATA: parts of a table that are repeated, missing, unexpected or summarised differently
  | 'repeated-part'
  | 'missing-part'
  | 'unexpected-part'
  | 'other-summary'
  // EMPTY_DATA and MISSING_VALUES: every row was dropped, a value of a mixed table or of a covariate is missing, or a column or row has no value
  | 'no-complete-row'
  | 'missing-cell'
  | 'missing-covariate'
  | 'missing-group'
  | 'unseen-covariate'
  | 'empty-column'
  | 'empty-row';

/**
 * The class of all errors that scree throws on purpose: `code` for programs, `message` for people, and `details` with the facts
 * of the message.
 */
export class ScreeError extends Error {
  override readonly name: string = 'ScreeError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = summarize(details);
  }
}

/** The data cannot be analysed as they are. */
export class DataError extends ScreeError {
  override readonly name = 'DataError';
}

/** The value of an option is not allowed. */
export class OptionError extends ScreeError {
  override readonly name = 'OptionError';
}

/** A stored model cannot be read. */
export class ModelError extends ScreeError {
  override readonly name = 'ModelError';
}

/** An iteration stopped before it reached the tolerance. `best` is its best result so far. */
export class ConvergenceError<Best = unknown> extends ScreeError {
  override readonly name = 'ConvergenceError';
  readonly best: Best;

  constructor(
    message: string,
    best: Best,
    details: ErrorDetails = {},
    code: 'NOT_CONVERGED' | 'DIVERGED' = 'NOT_CONVERGED',
  ) {
    super(code, message, details);
    this.best = best;
  }
}

/** An engine could not do its work. */
export class EngineError extends ScreeError {
  override readonly name = 'EngineError';
}

/** The message of a thrown value, which may be no Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a copy of the error with more details, for example the path of the file. The copy has the stack of the original. */
export function withDetails<Kind extends ScreeError>(error: Kind, details: ErrorDetails): Kind {
  const copy = new ScreeError(error.code, error.message, { ...error.details, ...details });
  const same: Kind = Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  const { stack } = error;
  return Object.assign(same, { ...error, details: copy.details }, stack === undefined ? {} : { stack });
}

/** A short description of a value for a message. It shows the type of the value. */
export function describeValue(value: unknown): string {
  try {
    if (typeof value === 'string') return JSON.stringify(shorten(value, 40));
    if (typeof value === 'bigint') return shorten(`${value}n`, 40);
    if (typeof value === 'function') return 'a function';
    if (Array.isArray(value)) return `an array of length ${value.length}`;
    if (builtInName(value) === 'Date') return `a Date (${(value as Date).toJSON()})`;
    if (ArrayBuffer.isView(value)) return `a ${value.constructor.name}`;
    if (typeof value === 'object' && value !== null)
      return `an object with keys ${describeValue(Object.keys(value).slice(0, 20).join(', '))}`;
    return shorten(String(value), 40);
  } catch {
    // A proxy or a getter threw.
    return 'an object that cannot be read';
  }
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}

/** Limits for the details of an error: entries of a list, characters of a text, and characters of all details as JSON. */
const MOST_ENTRIES = 10;
const MOST_TEXT = 500;
const MOST_JSON = 4000;

/** Shortens the details until their JSON text has at most MOST_JSON characters. */
function summarize(details: ErrorDetails, most = MOST_TEXT): ErrorDetails {
  const small: Record<string, unknown> = {};
  for (const [key, fact] of Object.entries(details)) small[key] = summary(fact, most, small);
  // Escapes make JSON longer than the text: a control character takes six characters.
  return most > 10 && JSON.stringify(small).length > MOST_JSON ? summarize(details, most / 4) : small;
}

/**
 * Returns numbers, booleans, null and undefined unchanged. Shortens texts. Cuts a list to its first entries, which may be records
 * { name, count }, and writes the length of the list to `into.count`. Describes any other value.
 */
function summary(fact: unknown, most: number, into?: Record<string, unknown>): unknown {
  if (typeof fact === 'string') return shorten(fact, most);
  if (fact == null || typeof fact === 'number' || typeof fact === 'boolean') return fact;
  try {
    if (into && Array.isArray(fact)) {
      if (fact.length > MOST_ENTRIES) into.count = fact.length;
      return Array.from({ length: Math.min(fact.length, MOST_ENTRIES) }, (_, i) => summary(fact[i], most));
    }
    const { name, count } = fact as { readonly name?: unknown; readonly count?: unknown };
    if (!into && typeof count === 'number') return { name: summary(name, most), count };
  } catch {
    // A proxy, or a getter, that throws.
  }
  return describeValue(fact);
}

/** "row 3, column 2" or "row 3, column "height"". Messages count from 1. */
export function describeCell(row: number, column: number, names?: readonly string[]): string {
  return `row ${row + 1}, column ${describeColumn(column, names)}`;
}

/** The name of a column in quotation marks, or its number counted from 1 if it has no name. */
export function describeColumn(column: number, names?: readonly string[]): string {
  const name = names?.[column];
  return name === undefined ? String(column + 1) : describeValue(name);
}

import { DataError, type ErrorCode, type ErrorDetails, OptionError, ScreeError, type Warning } from '@scree/core';
import { FileError, type FileFormat } from '@scree/files';
import type { Packing, Request, Table } from '@scree/files/internal';

/** Formats that are parsed letter by letter. */
export type TextFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

export function isText(format: FileFormat): format is TextFormat {
  return format === 'csv' || format === 'tsv' || format === 'json' || format === 'ndjson';
}

/** What the thread is to read. */
export type ThreadTask = TextTask | SqliteTask;

/** A file of text that is open already, by its number, which threads of a process share. */
export interface TextTask {
  readonly kind: 'text';
  readonly format: TextFormat;
  readonly memory: number;
  readonly file: number;
  readonly size: number;
  /** What messages call it. */
  readonly path: string;
  readonly packing: Packing | undefined;
}

/** A SQLite database, and what is asked of it. */
export interface SqliteTask {
  readonly kind: 'sqlite';
  readonly memory: number;
  /** Where the database is opened. */
  readonly file: string;
  /** What messages call it. */
  readonly path: string;
  readonly member: string | undefined;
  readonly sql: string | undefined;
}

/** What is known of the table when it is open. */
export type TableFacts = Pick<
  Table,
  'format' | 'columns' | 'width' | 'named' | 'uniform' | 'rows' | 'mayMissValues' | 'checkMissing' | 'rereadable'
> & { readonly dtype: ReturnType<Table['dtype']> };

/** To the thread: begin a reading; a buffer that may be filled with a batch of it; end it. */
export type ToThread =
  | { readonly kind: 'read'; readonly reading: number; readonly request: Request }
  | { readonly kind: 'more'; readonly reading: number; readonly buffer: ArrayBuffer | undefined }
  | { readonly kind: 'stop'; readonly reading: number };

export type FromThread =
  | { readonly kind: 'open'; readonly facts: TableFacts }
  | { readonly kind: 'batch'; readonly reading: number; readonly batch: SentBatch }
  | { readonly kind: 'end'; readonly reading: number; readonly warnings: readonly Warning[] }
  /** Of one reading, or of opening the table. */
  | { readonly kind: 'error'; readonly reading: number | undefined; readonly error: SentError };

/** Rows of float64, packed; the array is handed over and not copied. */
export interface SentBatch {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array<ArrayBuffer>;
  readonly text: readonly (string | null)[] | undefined;
}

/** An error as data: classes do not survive the way. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly path: string | undefined;
}

export function sendError(error: unknown): SentError {
  if (!(error instanceof Error)) return { ...NOTHING, name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  const ours = error instanceof ScreeError ? { code: error.code, details: error.details } : {};
  const { code } = error as NodeJS.ErrnoException;
  return {
    ...NOTHING,
    ...{ name, message, stack, code },
    ...ours,
    ...(error instanceof FileError ? { path: error.path } : {}),
  };
}

const NOTHING = { stack: undefined, code: undefined, details: undefined, path: undefined };

/** The same error again: its type, code, message and facts, and where it came from. */
export function receiveError({ name, message, stack, code, details, path }: SentError): Error {
  const error = makeError();
  if (stack !== undefined) error.stack = stack;
  return error;

  function makeError(): Error {
    if (name === 'FileError' && path !== undefined) return new FileError(code as ErrorCode, path, message, details);
    if (name === 'DataError') return new DataError(code as ErrorCode, message, details);
    if (name === 'OptionError') return new OptionError(code as ErrorCode, message, details);
    if (details) return new ScreeError(code as ErrorCode, message, details);
    return Object.assign(new Error(message), code === undefined ? {} : { code });
  }
}

import { DataError, type ErrorCode, type ErrorDetails, OptionError, ScreeError, type Warning } from '@scree/core';
import { FileError, type FileFormat } from '@scree/files';
import type { Packing, ReadRequest, Table, TableBatch } from '@scree/files/platform';
import { errorCode } from './error-code.js';

/** Formats that are parsed as text. */
export type TextFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

export function isTextFormat(format: FileFormat): format is TextFormat {
  return format === 'csv' || format === 'tsv' || format === 'json' || format === 'ndjson';
}

/** The task of the thread. */
export type ThreadTask = TextTask | SqliteTask;

/** An open text file, by its file descriptor, which all threads of a process share. */
export interface TextTask {
  readonly kind: 'text';
  readonly format: TextFormat;
  readonly memory: number;
  readonly na?: readonly string[] | undefined;
  readonly file: number;
  readonly size: number;
  /** The name of the file in messages. */
  readonly path: string;
  readonly packing: Packing | undefined;
}

/** A SQLite database, and the table or query to read. */
export interface SqliteTask {
  readonly kind: 'sqlite';
  readonly memory: number;
  /** The path that is opened. */
  readonly file: string;
  /** True if the file is a copy with a write-ahead log. */
  readonly logged: boolean;
  /** The name of the file in messages. */
  readonly path: string;
  readonly na?: readonly string[] | undefined;
  readonly member: string | undefined;
  readonly sql: string | undefined;
}

/** Properties of the open table. */
export type TableFacts = Pick<
  Table,
  | 'format'
  | 'columns'
  | 'width'
  | 'named'
  | 'uniform'
  | 'rows'
  | 'mayMissValues'
  | 'checkMissing'
  | 'rereadable'
  | 'manyTexts'
  | 'verbatim'
> & { readonly dtype: ReturnType<Table['dtype']> };

/** Messages to the thread: start a read, provide a buffer for its next batch, stop the read. */
export type ToThread =
  | { readonly kind: 'read'; readonly reading: number; readonly request: ReadRequest }
  | { readonly kind: 'more'; readonly reading: number; readonly buffer: ArrayBuffer | undefined }
  | { readonly kind: 'stop'; readonly reading: number };

export type FromThread =
  | { readonly kind: 'open'; readonly facts: TableFacts }
  | { readonly kind: 'batch'; readonly reading: number; readonly batch: SentBatch }
  | { readonly kind: 'end'; readonly reading: number; readonly warnings: readonly Warning[] }
  /** An error of one read, or of opening the table. */
  | { readonly kind: 'error'; readonly reading: number | undefined; readonly error: SentError };

/** Rows of float64 without gaps. The array is transferred, not copied. */
export interface SentBatch {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array<ArrayBuffer>;
  readonly texts: TableBatch['texts'];
}

/** An error as data, because its class is lost when it is sent. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** The code of an error of ours, or of the operating system. */
  readonly ownCode: ErrorCode | undefined;
  readonly systemCode: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly path: string | undefined;
}

export function serializeError(error: unknown): SentError {
  if (!(error instanceof Error)) return { ...NOTHING, name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  return {
    ...NOTHING,
    ...{ name, message, stack },
    ...(error instanceof ScreeError
      ? { ownCode: error.code, details: error.details }
      : { systemCode: errorCode(error) }),
    ...(error instanceof FileError ? { path: error.path } : {}),
  };
}

const NOTHING = { stack: undefined, ownCode: undefined, systemCode: undefined, details: undefined, path: undefined };

/** Restores an error with its class, code, message, details and stack. */
export function receiveError({ name, message, stack, ownCode, systemCode, details, path }: SentError): Error {
  const error = makeError();
  if (stack !== undefined) error.stack = stack;
  return error;

  function makeError(): Error {
    if (ownCode === undefined) return Object.assign(new Error(message), systemCode ? { code: systemCode } : {});
    if (name === 'FileError' && path !== undefined) return new FileError(ownCode, path, message, details);
    if (name === 'DataError') return new DataError(ownCode, message, details);
    if (name === 'OptionError') return new OptionError(ownCode, message, details);
    return new ScreeError(ownCode, message, details);
  }
}

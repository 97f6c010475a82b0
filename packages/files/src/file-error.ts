import { type ErrorCode, type ErrorDetails, ScreeError } from '@scree/core';

/** A file cannot be read or written as asked. */
export class FileError extends ScreeError {
  override readonly name = 'FileError';
  /** The file, as the caller named it. */
  readonly path: string;

  constructor(code: ErrorCode, path: string, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
    this.path = path;
  }
}

/** The file is not what it says it is. */
export function badFile(path: string, what: string, details: ErrorDetails = {}): FileError {
  return new FileError('BAD_FILE', path, `${path} cannot be read: ${what}.`, details);
}

/** The file ends early. */
export function truncated(path: string, what: string, details: ErrorDetails = {}): FileError {
  return new FileError(
    'FILE_TRUNCATED',
    path,
    `${path} is cut off: ${what}. Copy or download it again, or ask its author.`,
    details,
  );
}

/** The file is valid, but holds something that is not supported. */
export function unsupported(path: string, what: string, remedy: string, details: ErrorDetails = {}): FileError {
  return new FileError('UNSUPPORTED', path, `${path} ${what}. ${remedy}`, details);
}

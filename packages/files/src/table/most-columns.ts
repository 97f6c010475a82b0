import { showBytes } from '../bytes/show-bytes.js';
import { FileError } from '../file-error.js';

/** Bytes that a named column takes while a file is read: its name and type, its place in several lists, its counts. */
const COLUMN_BYTES = 512;

/** How many named columns half of the memory holds. */
export function mostColumns(memory: number): number {
  return Math.floor(memory / 2 / COLUMN_BYTES);
}

/** Refuses more columns than fit. `count` may also be a bound that was passed while counting. */
export function checkColumns(count: number, memory: number, path: string): void {
  if (count > mostColumns(memory)) throw tooManyColumns(path, memory, `${count} columns`);
}

export function tooManyColumns(path: string, memory: number, what = 'too many columns'): FileError {
  const most = mostColumns(memory);
  return new FileError(
    'TOO_LARGE',
    path,
    `${path} has ${what}, and ${most} columns fit in the ${showBytes(memory)} that reading may take. Allow more memory, or save the data as .npy, whose columns have no names.`,
    { expected: most },
  );
}

import { FileError } from './file-error.js';
import { showBytes } from './show-bytes.js';

/** The window that every decoder should allow, and the largest that zstd's own programs allow. */
const [LEAST_WINDOW, MOST_WINDOW] = [2 ** 23, 2 ** 27];

/** Bytes of the largest window that may be unpacked when reading may take so much memory. */
export function largestWindow(memory: number): number {
  return Math.min(MOST_WINDOW, Math.max(LEAST_WINDOW, Math.floor(memory / 4)));
}

/** A frame needs more memory than reading may take. */
export function windowTooLarge(path: string, largest: number): FileError {
  return new FileError(
    'TOO_LARGE',
    path,
    `${path} needs a window of more than ${showBytes(largest)} to be unpacked. Allow more memory, or pack it again with zstd -19 or less and without --long.`,
  );
}

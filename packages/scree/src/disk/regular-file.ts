import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DataError } from '@scree/core';
import { FileError } from '@scree/files';
import { showBytes } from '@scree/files/platform';
import { closeRead } from './file-bytes.js';
import { systemError } from './system-error.js';

/** Without O_NONBLOCK, opening a named pipe waits for a writer, and that cannot be interrupted. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Most bytes of one read. */
const MAX_READ = 1 << 30;

/**
 * Opens a regular file for reading. Pipes and devices are rejected with `remedy`, and opening them never waits. The check uses
 * the open file and not its path, so the file cannot be replaced in between.
 */
export async function openRegularFile(path: string, remedy: string): Promise<{ handle: FileHandle; size: number }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, FLAGS);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new FileError('BAD_FILE', path, `${path} is a folder. Name a file inside it.`);
    if (!stats.isFile()) {
      const what = stats.isFIFO() ? 'a pipe' : 'a device';
      throw new FileError('BAD_FILE', path, `${path} is ${what}, not a regular file. ${remedy}`);
    }
    return { handle, size: stats.size };
  } catch (error) {
    await closeRead(handle);
    throw systemError(error, path, 'read');
  }
}

/** Reads a whole file. `limitOf` returns the largest allowed size from its first bytes. `what` names the kind of file in the message. */
export async function readRegularFile(
  path: string,
  { what, limitOf }: { readonly what: string; limitOf(firstBytes: Uint8Array): number },
): Promise<Buffer> {
  const { handle, size } = await openRegularFile(path, `Save ${what} as a file first (cat ${path} > FILE).`);
  try {
    if (size === 0) throw new DataError('EMPTY_DATA', `${path} is empty.`);
    const limit = limitOf(await readBytes(handle, Math.min(size, 16)));
    if (size > limit) {
      throw new FileError(
        'TOO_LARGE',
        path,
        `${path} has ${showBytes(size)}, and ${what} may have ${showBytes(limit)} at most. Is it ${what}?`,
        { value: size, expected: limit },
      );
    }
    return await readBytes(handle, size);
  } catch (error) {
    throw systemError(error, path, 'read');
  } finally {
    await closeRead(handle);
  }
}

/** The first `size` bytes, or fewer if the file has become shorter. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, Math.min(MAX_READ, size - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

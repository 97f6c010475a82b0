import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileError } from '@scree/core/files';
import { systemError } from './system-error.js';

/**
 * Where a file really goes: behind a link, which stays one. Files take their names by a rename, and that would put a plain
 * file in the place of a device or a pipe: for root even /dev/null would be gone.
 */
export async function targetOf(path: string): Promise<string> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) throw new FileError('BAD_FILE', path, `${path} is a folder. Name a file inside it.`);
    if (!facts.isFile()) {
      throw new FileError(
        'BAD_FILE',
        path,
        `${path} is a device or a pipe, and only files can be written. Name a file.`,
      );
    }
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw systemError(error, path, 'written');
  }
}

/** Whether a file can go there, before any work is done for it. */
export async function checkTarget(path: string): Promise<void> {
  const target = await targetOf(path);
  await access(dirname(target), constants.W_OK).catch((error: unknown) => {
    throw systemError(error, path, 'written');
  });
}

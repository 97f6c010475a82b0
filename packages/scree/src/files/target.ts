import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw systemError(error, path, 'written');
    // Nothing is there, or a link to nothing.
    const behind = await readlink(path).catch(() => undefined);
    return behind === undefined ? path : resolve(dirname(path), behind);
  }
}

/** Whether a file can go there, before any work is done for it: not in the place of one that is `read`. */
export async function checkTarget(path: string, read: readonly (string | undefined)[]): Promise<void> {
  const target = await targetOf(path);
  await access(dirname(target), constants.W_OK).catch((error: unknown) => {
    throw systemError(error, path, 'written');
  });
  const there = await keyOf(target);
  if (there === undefined) return;
  for (const other of read) {
    if (other === undefined || other === '-' || (await keyOf(other)) !== there) continue;
    throw new FileError('BAD_FILE', path, `${path} is what is read, and would be gone. Give the output another name.`);
  }
}

/** What tells one file from another, whatever it is called. */
async function keyOf(path: string): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  return facts && `${facts.dev} ${facts.ino}`;
}

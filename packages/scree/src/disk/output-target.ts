import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileError } from '@scree/files';
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
    if (/[\\/]$/.test(path)) throw systemError(error, path, 'written');
    const folder = await realpath(dirname(path)).catch(() => undefined);
    if (folder === undefined) return path;
    // Nothing is there, or a link to nothing.
    const behind = await readlink(path).catch(() => undefined);
    return behind === undefined ? join(folder, basename(path)) : targetOf(resolve(folder, behind));
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

/** Whether files can go into a folder, which may not be there yet, before any work is done for them. */
export async function checkFolder(path: string): Promise<void> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    try {
      const facts = await stat(folder);
      if (!facts.isDirectory()) throw new FileError('BAD_FILE', path, `${folder} is a file. Name a folder.`);
      return await access(folder, constants.W_OK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === dirname(folder))
        throw systemError(error, path, 'written');
    }
  }
}

/** Whether two names are the same file: also through links and folders that are links, and also where neither is there yet. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([targetOf(one), targetOf(other)]);
  if (first === second) return true;
  const key = await keyOf(first);
  return key !== undefined && key === (await keyOf(second));
}

/** What tells one file from another, whatever it is called. */
async function keyOf(path: string): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  return facts && `${facts.dev} ${facts.ino}`;
}

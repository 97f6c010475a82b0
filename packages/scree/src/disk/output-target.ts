import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileError } from '@scree/files';
import { errorCode } from './error-code.js';
import { expandPaths } from './expand-paths.js';
import { systemError } from './system-error.js';

/**
 * The path to write to: links are followed, and stay links. Devices and pipes are rejected, because outputs are renamed to their target,
 * and root could replace even /dev/null by a regular file.
 */
export async function targetOf(path: string): Promise<string> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new FileError('BAD_FILE', path, `${path} is a folder. Name a file inside it.`);
    if (!stats.isFile()) {
      throw new FileError(
        'BAD_FILE',
        path,
        `${path} is a device or a pipe, and only files can be written. Name a file.`,
      );
    }
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw systemError(error, path, 'written');
    if (/[\\/]$/.test(path)) throw systemError(error, path, 'written');
    const folder = await realpath(dirname(path)).catch(() => undefined);
    if (folder === undefined) return path;
    // The file does not exist, or the path is a link to a missing file.
    const behind = await readlink(path).catch(() => undefined);
    return behind === undefined ? join(folder, basename(path)) : targetOf(resolve(folder, behind));
  }
}

/** Checks before the work begins that the file can be written, and that it is not one of the inputs. */
export async function checkTarget(path: string, read: readonly (string | undefined)[]): Promise<void> {
  const target = await targetOf(path);
  await access(dirname(target), constants.W_OK).catch((error: unknown) => {
    throw systemError(error, path, 'written');
  });
  const there = await keyOf(target);
  if (there === undefined) return;
  const names = read.flatMap((other) => (other === undefined || other === '-' ? [] : [other]));
  // A pattern that matches no file gets its error when its files are opened.
  for (const other of await expandPaths([...new Set(names)]).catch(() => names)) {
    if ((await keyOf(other)) !== there) continue;
    throw new FileError(
      'BAD_FILE',
      path,
      `${path} is the input, and would be overwritten. Give the output another name.`,
    );
  }
}

/** Checks before the work begins that files can be written into a folder, which may not exist yet. */
export async function checkFolder(path: string): Promise<void> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    try {
      const stats = await stat(folder);
      if (!stats.isDirectory()) throw new FileError('BAD_FILE', path, `${folder} is a file. Name a folder.`);
      return await access(folder, constants.W_OK);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || folder === dirname(folder)) throw systemError(error, path, 'written');
    }
  }
}

/** Returns true if two paths are the same file, also through links, and also if the file does not exist yet. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([targetOf(one), targetOf(other)]);
  if (first === second) return true;
  const key = await keyOf(first);
  return key !== undefined && key === (await keyOf(second));
}

/** The identity of a file, the same for all its paths. */
async function keyOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Returns true if a file or folder has this name. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

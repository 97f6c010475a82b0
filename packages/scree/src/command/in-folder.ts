import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemError } from '../disk/system-error.js';

/** Writes into a folder, which is made if it is not there, and goes again if nothing can be written. */
export async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  const first = await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw systemError(error, folder, 'written');
  });
  try {
    await write();
  } catch (error) {
    // From the innermost outwards, up to the first that was made here; one that is not empty stays.
    for (let made = resolve(folder); first !== undefined && made.length >= first.length; made = dirname(made)) {
      if (
        !(await rmdir(made).then(
          () => true,
          () => false,
        ))
      )
        break;
    }
    throw error;
  }
}

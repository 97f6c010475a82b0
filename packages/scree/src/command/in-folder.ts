import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemError } from '../disk/system-error.js';

/** Creates a folder if needed, and writes into it. If writing fails, the folders that were created are removed. */
export async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  const first = await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw systemError(error, folder, 'written');
  });
  try {
    await write();
  } catch (error) {
    // From the innermost folder outwards, up to the first one that was created here. A folder that is not empty stays.
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

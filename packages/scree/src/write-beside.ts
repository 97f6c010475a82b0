import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeAtExit, settled } from './files/leftovers.js';
import { systemError } from './files/system-error.js';
import { targetOf } from './files/target.js';

/**
 * Writes a file beside its target and renames it when it is whole, so that there is never half of one. It is on the same disk, so
 * that the rename is a single step. With a name of its own several can write at once; `alone`, what a killed program has left
 * is written over by the next and does not pile up.
 */
export async function writeBeside(path: string, content: string | Uint8Array, alone = false): Promise<void> {
  const target = await targetOf(path);
  const part = alone ? besideOf(target) : `${target}.${randomUUID()}.part`;
  removeAtExit(part);
  try {
    await writeFile(part, content, { flush: true });
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw systemError(error, path, 'written');
  } finally {
    settled(part);
  }
}

/** Removes a file that was written alone, with what a killed program may have left beside it. */
export async function removeWritten(path: string): Promise<void> {
  const target = await targetOf(path);
  await rm(target, { force: true });
  await rm(besideOf(target), { force: true });
}

/** A name that nobody gives to a file of theirs. */
function besideOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.scree-part`);
}

import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { removeAtExit, settled } from './files/leftovers.js';
import { systemError } from './files/system-error.js';
import { targetOf } from './files/target.js';

/**
 * Writes a file beside its target and renames it when it is whole, so that there is never half of one. `beside` is on the same disk,
 * so that the rename is a single step; a name of its own lets several write at once.
 */
export async function writeBeside(path: string, content: string | Uint8Array, beside?: string): Promise<void> {
  const target = await targetOf(path);
  const part = beside ?? `${target}.${randomUUID()}.part`;
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

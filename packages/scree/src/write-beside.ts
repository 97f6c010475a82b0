import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { systemError } from './files/system-error.js';

/**
 * Writes a file beside its target and renames it when it is whole, so that there is never half of one. `beside` is on the same disk,
 * so that the rename is a single step; a name of its own lets several write at once.
 */
export async function writeBeside(
  path: string,
  content: string | Uint8Array,
  beside = `${path}.${randomUUID()}.part`,
): Promise<void> {
  try {
    await writeFile(beside, content, { flush: true });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw systemError(error, path, 'written');
  }
}

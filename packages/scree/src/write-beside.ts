import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { systemError } from './files/system-error.js';

/** Writes a file beside its target and renames it when it is whole, so that there is never half of one. */
export async function writeBeside(path: string, content: string | Uint8Array): Promise<void> {
  // On the same disk, so that the rename is a single step.
  const beside = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(beside, content, { flush: true });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw systemError(error, path, 'written');
  }
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bytes, chunksOf, type TemporaryCopy } from '@scree/files/platform';
import { collectAbandonedFolders, FOLDER_PREFIX } from './abandoned-folders.js';
import { closeRead, fileBytes } from './file-bytes.js';
import { systemError } from './system-error.js';
import { removeAtExit, settled } from './temporary-files.js';

/** Copies bytes that can be read only once, or only in order, to a temporary file, which can be read at any position. */
export async function copyToDisk(bytes: Bytes): Promise<TemporaryCopy> {
  const folder = await temporaryFolder();
  const file = join(folder.path, randomUUID());
  try {
    const handle = await open(file, 'wx+', 0o600);
    try {
      let size = 0;
      for await (const chunk of chunksOf(bytes.open(), 1 << 20)) {
        await handle.writeFile(chunk);
        size += chunk.length;
      }
      return {
        bytes: { ...fileBytes(handle, bytes.path, 0, size), file },
        close: async () => {
          await closeRead(handle);
          await folder.remove();
        },
      };
    } catch (error) {
      await closeRead(handle);
      throw error;
    }
  } catch (error) {
    await folder.remove();
    throw systemError(error, file, 'written');
  }
}

/** Creates a folder for files that are only needed while a data file is open. Folders that killed processes left are removed first. */
export async function temporaryFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  await collectAbandonedFolders();
  const path = await mkdtemp(join(tmpdir(), FOLDER_PREFIX)).catch((error: unknown) => {
    throw systemError(error, tmpdir(), 'written');
  });
  removeAtExit(path);
  return {
    path,
    // If removing fails, it is tried again at exit. The data that were read are valid in any case.
    remove: () =>
      rm(path, { recursive: true, force: true, maxRetries: 3 }).then(
        () => settled(path),
        () => {},
      ),
  };
}

import type { FileHandle } from 'node:fs/promises';
import { type Bytes, readerAt, truncated } from '@scree/files/platform';
import { systemError } from './system-error.js';

/** The part of a file handle that reading uses. */
interface ReadableFile {
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** The bytes of an open file from `start` on. */
export function fileBytes(handle: ReadableFile, path: string, start: number, size: number): Bytes {
  const readAt = async (into: Uint8Array, position: number): Promise<number> => {
    let filled = 0;
    const wanted = Math.max(0, Math.min(into.length, size - position));
    try {
      while (filled < wanted) {
        const { bytesRead } = await handle.read(into, filled, wanted - filled, start + position + filled);
        // Reads never go beyond the size that the file had when it was opened.
        if (bytesRead === 0) throw truncated(path, 'it became shorter while it was read');
        filled += bytesRead;
      }
    } catch (error) {
      throw systemError(error, path, 'read');
    }
    return filled;
  };
  return {
    path,
    size,
    rereadable: true,
    readAt,
    open: () => readerAt(readAt),
  };
}

/** Closes a file that was only read. An error is ignored, because the data that were read are valid. */
export async function closeRead(handle: FileHandle | undefined): Promise<void> {
  await handle?.close().catch(() => {});
}

import { FileError } from '../file-error.js';
import { blobBytes } from './blob-bytes.js';
import { type Bytes, chunksOf } from './bytes.js';
import { showBytes } from './show-bytes.js';

/** Bytes that can be read at any place, and what to do when they are not needed any more. */
export interface TemporaryCopy {
  readonly bytes: Bytes;
  close(): Promise<void>;
}

/** Lays bytes that come in order only down where they can be read at any place. `memory` is what reading may take. */
export type MakeCopy = (bytes: Bytes, memory: number) => Promise<TemporaryCopy>;

/** Bytes of a part that is handed over at once. */
const PART = 1 << 20;

/**
 * Lays them down in a `Blob`, which browsers keep on disk when it is large, up to as many as the memory allowed: what
 * was made to do harm may unpack without end.
 */
export const copyToBlob: MakeCopy = async (bytes, memory) => {
  const { path } = bytes;
  const parts: Blob[] = [];
  let size = 0;
  for await (const chunk of chunksOf(bytes.open(), PART)) {
    size += chunk.length;
    if (size > memory) {
      throw new FileError(
        'TOO_LARGE',
        path,
        `${path} unpacks to more than ${showBytes(memory)}, and its format is read at many places. Allow more memory, or unpack it first.`,
        { expected: memory, reason: 'memory' },
      );
    }
    parts.push(new Blob([chunk as Uint8Array<ArrayBuffer>]));
  }
  return { bytes: blobBytes(new Blob(parts), path), close: async () => {} };
};

import { FileError } from '../file-error.js';
import { blobBytes } from './blob-bytes.js';
import { type Bytes, chunksOf } from './bytes.js';
import { showBytes } from './show-bytes.js';

/** A copy that can be read at any position, until it is closed. */
export interface TemporaryCopy {
  readonly bytes: Bytes;
  close(): Promise<void>;
}

/**
 * Copies bytes that can only be read in order to bytes that can be read at any position. `memory` is the number of bytes that reading may
 * take.
 */
export type MakeCopy = (bytes: Bytes, memory: number) => Promise<TemporaryCopy>;

/** Bytes added to a Blob at once. */
const PART = 1 << 20;

/**
 * Copies them into a `Blob`, which browsers keep on disk if it is large. The size is limited by `memory`, because a hostile file may
 * unpack without end.
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

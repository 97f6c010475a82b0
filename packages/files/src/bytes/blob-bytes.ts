import type { SeekableBytes } from '../archive/zip.js';
import { FileError } from '../file-error.js';
import { readerAt } from './bytes.js';

/** Short reads are served from blocks of this size: a browser takes as long for ten bytes as for many. */
const BLOCK = 1 << 18;
/** Blocks that are kept: columns of a file are read at several positions in turn. */
const KEPT = 16;

/** The bytes of a blob, at any position. */
export function blobBytes(blob: Blob, path: string): SeekableBytes {
  const { size } = blob;
  const blocks = new Map<number, Promise<Uint8Array>>();

  const load = async (from: number, to: number): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await blob.slice(from, to).arrayBuffer());
    } catch (error) {
      throw blobError(error, path);
    }
  };

  /** Loads a block by its number. The blocks that were used last are kept. */
  const block = (number: number): Promise<Uint8Array> => {
    const found = blocks.get(number) ?? load(number * BLOCK, (number + 1) * BLOCK);
    blocks.delete(number);
    blocks.set(number, found);
    // A failure is not kept: the next request may succeed.
    found.catch(() => blocks.delete(number));
    for (const oldest of blocks.keys()) {
      if (blocks.size <= KEPT) break;
      blocks.delete(oldest);
    }
    return found;
  };

  const readAt = async (into: Uint8Array, position: number): Promise<number> => {
    const wanted = Math.max(0, Math.min(into.length, size - position));
    if (wanted === 0) return 0;
    if (wanted > BLOCK) {
      const part = await load(position, position + wanted);
      into.set(part);
      return part.length;
    }
    let filled = 0;
    while (filled < wanted) {
      const at = position + filled;
      const bytes = await block(Math.floor(at / BLOCK));
      const part = bytes.subarray(at % BLOCK, (at % BLOCK) + wanted - filled);
      if (part.length === 0) break;
      into.set(part, filled);
      filled += part.length;
    }
    return filled;
  };
  return { path, size, rereadable: true, readAt, open: () => readerAt(readAt) };
}

/** Turns the error of a browser that cannot read a file (any more) into a FileError. */
function blobError(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const details = { value: error.name };
  if (error.name === 'NotFoundError') {
    return new FileError('NO_FILE', path, `${path} is not there any more (${error.name}). Choose it again.`, details);
  }
  return new FileError(
    'NO_ACCESS',
    path,
    `${path} cannot be read any more (${error.name}): it was changed, moved or locked since it was chosen. Choose it again.`,
    details,
  );
}

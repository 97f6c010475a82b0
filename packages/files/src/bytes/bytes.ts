import { DataError } from '@scree/core';
import { truncated } from '../file-error.js';

/** A source of bytes, read from the beginning. */
export interface Bytes {
  /** The name in messages. */
  readonly path: string;
  /** Number of bytes; undefined if it is known only at the end. */
  readonly size: number | undefined;
  /** True if `open` may be called again and gives the same bytes. */
  readonly rereadable: boolean;
  /** Path on disk, for libraries that open files themselves; undefined if there is none. */
  readonly file?: string | undefined;
  /** In Node, the descriptor of the open file that has these bytes from its beginning on. Threads share it. */
  readonly descriptor?: number | undefined;
  open(): ByteReader;
  /** Reads at a position, if the source allows it. Fills `into` up to the end of the bytes and returns the count. */
  readonly readAt?: (into: Uint8Array, position: number) => Promise<number>;
}

/** One pass over bytes, from the first to the last. */
export interface ByteReader {
  /** Fills `into` and returns the count, which is less than its length only at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Ends the pass, at its end or before, after a read that is under way. */
  close(): Promise<void>;
}

/** A pass from the first byte on over bytes that can be read at any position. */
export function readerAt(readAt: NonNullable<Bytes['readAt']>): ByteReader {
  let position = 0;
  return {
    async read(into) {
      const count = await readAt(into, position);
      position += count;
      return count;
    },
    close: async () => {},
  };
}

/** Reads chunks of any length as a pass over their bytes. */
export function chunkReader(chunks: AsyncIterator<Uint8Array>): ByteReader {
  let chunk: Uint8Array = new Uint8Array(0);
  return {
    async read(into) {
      let filled = 0;
      while (filled < into.length) {
        if (chunk.length === 0) {
          const next = await chunks.next();
          if (next.done) break;
          chunk = next.value;
          continue;
        }
        const part = chunk.subarray(0, into.length - filled);
        into.set(part, filled);
        filled += part.length;
        chunk = chunk.subarray(part.length);
      }
      return filled;
    },
    async close() {
      await chunks.return?.();
    },
  };
}

/** The reader's bytes in chunks of `size` bytes. */
export async function* chunksOf(reader: ByteReader, size = 1 << 16): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (;;) {
      // The buffer is not used again: the caller may keep the chunk.
      const chunk = new Uint8Array(size);
      const count = await reader.read(chunk);
      if (count > 0) yield chunk.subarray(0, count);
      if (count < size) return;
    }
  } finally {
    await reader.close();
  }
}

/** The rest of bytes that come only once, after their first part was read. */
export function restOf(bytes: Bytes, reader: ByteReader): Bytes {
  return { ...bytes, open: once(reader, bytes.path) };
}

/** Bytes that come in chunks, as from standard input or a server, and can be read only once. */
export function streamedBytes(path: string, chunks: AsyncIterator<Uint8Array>): Bytes {
  return { path, size: undefined, rereadable: false, open: once(chunkReader(chunks), path) };
}

/** Gives the reader to the first caller. */
function once(reader: ByteReader, path: string): Bytes['open'] {
  let opened = false;
  return () => {
    if (opened) {
      const message = `${path} was read already and comes only once. Save it to a file to read it again.`;
      throw new DataError('SOURCE_CHANGED', `${message.charAt(0).toUpperCase()}${message.slice(1)}`);
    }
    opened = true;
    return reader;
  };
}

/** Fills `into`. Throws an error that names `what` if the input ends before. */
export async function readWhole(reader: ByteReader, into: Uint8Array, path: string, what: string): Promise<void> {
  const count = await reader.read(into);
  if (count < into.length) throw truncated(path, `it ends inside ${what}`);
}

/** The first `length` bytes, or all if there are fewer. */
export async function peek(bytes: Bytes, length: number): Promise<Uint8Array> {
  const into = new Uint8Array(Math.min(length, bytes.size ?? length));
  if (bytes.readAt) return into.subarray(0, await bytes.readAt(into, 0));
  const reader = bytes.open();
  try {
    return into.subarray(0, await reader.read(into));
  } finally {
    await reader.close();
  }
}

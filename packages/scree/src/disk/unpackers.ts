import { once } from 'node:events';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { FileError } from '@scree/files';
import { type ByteReader, badFile, chunksOf, plainPlatform, truncated, type Unpackers } from '@scree/files/platform';
import { errorCode } from './error-code.js';

/**
 * Node's decompressors for gzip, several times faster than plain TypeScript. zstd is the same as in browsers: Node 20 has none, the one
 * of later versions is slower, ignores all frames after the first, and in Node 22 accepts a truncated file.
 */
export const nodeUnpackers: Unpackers = {
  ...plainPlatform.unpack,
  gzip,
  deflate: (reader, path) => through(reader, zlib.createInflateRaw(), path),
  crc32: zlib.crc32,
};

/** zlib's gunzip ignores what follows the last member. Zeros are padding; anything else may have been rows. */
async function* gzip(reader: ByteReader, path: string): AsyncGenerator<Uint8Array, void, void> {
  const unpacker = zlib.createGunzip();
  /** The chunks that zlib has not used to their ends, by their positions. */
  const unused = new Map<number, Uint8Array>();
  let position = 0;
  const recorded: ByteReader = {
    read: async (into) => {
      const count = await reader.read(into);
      for (const [at, chunk] of unused) if (at + chunk.length <= unpacker.bytesWritten) unused.delete(at);
      unused.set(position, into.subarray(0, count));
      position += count;
      return count;
    },
    close: async () => {},
  };
  try {
    yield* through(recorded, unpacker, path);
    const used = unpacker.bytesWritten;
    for (const [at, chunk] of unused) expectZeros(chunk.subarray(Math.max(0, used - at)), path);
    for await (const chunk of chunksOf(reader)) expectZeros(chunk, path);
  } finally {
    await reader.close();
  }
}

function expectZeros(bytes: Uint8Array, path: string): void {
  if (bytes.some((byte) => byte !== 0))
    throw badFile(path, 'it does not unpack (something that is not gzip follows its packed data)');
}

async function* through(
  reader: ByteReader,
  unpacker: zlib.Gunzip,
  path: string,
): AsyncGenerator<Uint8Array, void, void> {
  const packed = Readable.from(chunksOf(reader), { objectMode: false });
  // pipe() does not forward errors.
  packed.on('error', (error) => unpacker.destroy(error));
  packed.pipe(unpacker);
  try {
    const chunks: AsyncIterable<Uint8Array> = unpacker;
    yield* chunks;
  } catch (error) {
    if (error instanceof FileError) throw error;
    if (errorCode(error) === 'Z_BUF_ERROR') throw truncated(path, 'its packed data end early');
    throw badFile(path, `it does not unpack (${error instanceof Error ? error.message : error})`);
  } finally {
    unpacker.destroy();
    packed.destroy();
    // A read that is under way ends first.
    if (!packed.closed) await once(packed, 'close');
  }
}

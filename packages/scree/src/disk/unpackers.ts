import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { FileError } from '@scree/files';
import { type ByteReader, badFile, chunksOf, plainPlatform, truncated, type Unpackers } from '@scree/files/platform';

/**
 * Node's decompressors for gzip, several times faster than plain TypeScript. zstd is the same as in browsers: Node 20 has none, the one
 * of later versions is slower, ignores all frames after the first, and in Node 22 accepts a truncated file.
 */
export const nodeUnpackers: Unpackers = {
  ...plainPlatform.unpack,
  gzip: (reader, path) => through(reader, zlib.createGunzip(), path),
  deflate: (reader, path) => through(reader, zlib.createInflateRaw(), path),
  crc32: zlib.crc32,
};

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
    for await (const chunk of unpacker) yield chunk as Uint8Array;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof FileError) throw error;
    if (code === 'Z_BUF_ERROR') throw truncated(path, 'its packed data end early');
    throw badFile(path, `it does not unpack (${message})`);
  } finally {
    unpacker.destroy();
    packed.destroy();
  }
}

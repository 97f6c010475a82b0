import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { FileError } from '@scree/files';
import { type ByteReader, badFile, chunksOf, plainPlatform, truncated, type Unpackers } from '@scree/files/platform';

/** Node's zstd, available from 22.15 on. It verifies sizes and checksums. */
const { zstdDecompressSync } = zlib as {
  zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
};

/** Node's decompressors, several times faster than plain TypeScript. */
export const nodeUnpackers: Unpackers = {
  gzip: (reader, path) => through(reader, zlib.createGunzip(), path),
  deflate: (reader, path) => through(reader, zlib.createInflateRaw(), path),
  // Not Node's: it silently ignores all frames after the first, and Node 22 accepts a truncated file.
  zstd: plainPlatform.unpack.zstd,
  // The caller checks the size of the result, so missing bytes are detected.
  zstdPiece: zstdDecompressSync
    ? (packed, size) => zstdDecompressSync(packed, { maxOutputLength: Math.max(1, size) })
    : plainPlatform.unpack.zstdPiece,
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

import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import {
  type ByteReader,
  badFile,
  chunksOf,
  FileError,
  largestWindow,
  plainUnpackers,
  truncated,
  type Unpackers,
  windowTooLarge,
} from '@scree/core/files';

/** Node's own zstd, which it has from 22.15 on. It verifies sizes and checksums. */
interface NodeZstd {
  createZstdDecompress(options: object): zlib.Gunzip;
  zstdDecompressSync(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
  readonly constants: { readonly ZSTD_d_windowLogMax: number };
}

const nodeZstd = 'createZstdDecompress' in zlib ? (zlib as unknown as NodeZstd) : undefined;

/** What Node unpacks with: several times faster than plain TypeScript. */
export const nodeUnpackers: Unpackers = {
  gzip: (reader, path) => through(reader, zlib.createGunzip(), path),
  deflate: (reader, path) => through(reader, zlib.createInflateRaw(), path),
  zstd: nodeZstd ? (reader, path, memory) => unzstd(nodeZstd, reader, path, memory) : plainUnpackers.zstd,
  zstdPiece: nodeZstd
    ? (packed, size) => nodeZstd.zstdDecompressSync(packed, { maxOutputLength: Math.max(1, size) })
    : plainUnpackers.zstdPiece,
  crc32: zlib.crc32,
};

async function* unzstd(
  { createZstdDecompress, constants }: NodeZstd,
  reader: ByteReader,
  path: string,
  memory: number,
): AsyncGenerator<Uint8Array, void, void> {
  const largest = largestWindow(memory);
  const params = { [constants.ZSTD_d_windowLogMax]: Math.floor(Math.log2(largest)) };
  try {
    yield* through(reader, createZstdDecompress({ params }), path);
  } catch (error) {
    throw /window|too much memory/i.test((error as Error).message) ? windowTooLarge(path, largest) : error;
  }
}

async function* through(
  reader: ByteReader,
  unpacker: zlib.Gunzip,
  path: string,
): AsyncGenerator<Uint8Array, void, void> {
  const packed = Readable.from(chunksOf(reader), { objectMode: false });
  // pipe() passes no errors on.
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

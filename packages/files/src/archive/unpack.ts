import { crc32 } from '@scree/core/data';
import { type ByteReader, type Bytes, chunkReader } from '../bytes/bytes.js';
import { DEFAULT_MEMORY } from '../options.js';
import { gunzip } from './gunzip.js';
import { inflate } from './inflate.js';
import { InputWindow } from './input-window.js';

/** How a file is packed. */
export type Packing = 'gzip' | 'zstd' | 'deflate';

/**
 * Unpacks bytes while they are read, and closes the reader. Throws a `FileError` that names `path` if the data are damaged or end
 * early. `memory` is the number of bytes that reading may take.
 */
export type Unpack = (reader: ByteReader, path: string, memory: number) => AsyncIterator<Uint8Array>;

/** The decompressors that readers use. A platform may replace them by faster ones. */
export interface Unpackers {
  /** All members of a gzip file, one after the other. */
  readonly gzip: Unpack;
  /** Deflate without any header, as in zip files. */
  readonly deflate: Unpack;
  /** All frames of a zstd file, one after the other. */
  readonly zstd: Unpack;
  /** Unpacks one piece of zstd, as in Arrow files, into `size` bytes. Throws if it has another size. */
  readonly zstdPiece: (packed: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>;
  /** CRC-32, continued from the checksum of the bytes before. */
  readonly crc32: (bytes: Uint8Array, sum: number) => number;
}

/** Decompressors for every platform: TypeScript and WebAssembly. */
export const plainUnpackers: Unpackers = {
  gzip: (reader, path) => closing(gunzip(new InputWindow(reader, path)), reader),
  deflate: (reader, path) => closing(inflate(new InputWindow(reader, path)), reader),
  zstd: plainZstd,
  zstdPiece: async (packed, size) => (await import('./zstd.js')).unpackZstd(packed, size),
  crc32,
};

/** Loads the decoder with the first file that is packed with zstd. */
async function* plainZstd(reader: ByteReader, path: string, memory: number): AsyncGenerator<Uint8Array, void, void> {
  yield* (await import('./zstd.js')).unzstd(reader, path, memory);
}

async function* closing(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  reader: ByteReader,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } finally {
    await reader.close();
  }
}

/** Recognises the compression of a file by its first bytes. */
export function packingOf(head: Uint8Array): Packing | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return 'zstd';
  // A zstd file may begin with a skippable frame.
  if (head[0] >> 4 === 5 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18) return 'zstd';
  return undefined;
}

/**
 * Packed bytes, unpacked while they are read. Only a few chunks are in memory at a time.
 */
export function unpacked(
  bytes: Bytes,
  packing: Packing,
  unpackers: Unpackers,
  { size, memory = DEFAULT_MEMORY }: { readonly size?: number | undefined; readonly memory?: number } = {},
): Bytes {
  const { path, rereadable } = bytes;
  return { path, size, rereadable, open: () => chunkReader(unpackers[packing](bytes.open(), path, memory)) };
}

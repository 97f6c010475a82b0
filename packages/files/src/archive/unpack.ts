import { crc32 } from '@scree/core/data';
import { type ByteReader, type Bytes, chunkReader } from '../bytes/bytes.js';
import { DEFAULT_MEMORY } from '../options.js';
import { gunzip } from './gunzip.js';
import { inflate } from './inflate.js';
import { InputWindow } from './input-window.js';

/** How a file is packed. */
export type Packing = 'gzip' | 'zstd' | 'deflate';

/**
 * Unpacks a reading while it is read, and closes it. Data that end early or do not unpack must be a `FileError`; `path` is
 * what it calls them, and `memory` what reading may take.
 */
export type Unpack = (reader: ByteReader, path: string, memory: number) => AsyncIterator<Uint8Array>;

/** What unpacks: in plain TypeScript here, and faster where there is something faster. */
export interface Unpackers {
  /** All members of a gzip file, one after the other. */
  readonly gzip: Unpack;
  /** Deflate without any header, as in zip files. */
  readonly deflate: Unpack;
  /** All frames of a zstd file, one after the other. */
  readonly zstd: Unpack;
  /** A single piece of zstd that unpacks to so many bytes, as Arrow has them; any error says that it does not. */
  readonly zstdPiece: (packed: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>;
  /** The checksum of zip files, continued from that of the bytes before. */
  readonly crc32: (bytes: Uint8Array, sum: number) => number;
}

/** What needs nothing but the language. */
export const plainUnpackers: Unpackers = {
  gzip: (reader, path) => closing(gunzip(new InputWindow(reader, path)), reader),
  deflate: (reader, path) => closing(inflate(new InputWindow(reader, path)), reader),
  zstd: plainZstd,
  zstdPiece: async (packed, size) => (await import('./zstd.js')).unpackZstd(packed, size),
  crc32,
};

/** Loaded when the first file is packed with it. */
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

/** What a file is packed with, by its first bytes. */
export function packingOf(head: Uint8Array): Packing | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return 'zstd';
  // A zstd file may begin with a frame to be skipped.
  if (head[0] >> 4 === 5 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18) return 'zstd';
  return undefined;
}

/**
 * Packed bytes, unpacked while they are read: never more than a few chunks of them are in memory, however much they
 * unpack to.
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

import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { type ByteReader, type Bytes, chunkReader, chunksOf } from './bytes.js';
import { badFile, FileError, truncated } from './file-error.js';

export type Packing = 'gzip' | 'zstd' | 'deflate';

/** What a file is packed with, by its first bytes. */
export function packingOf(head: Uint8Array): Packing | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return 'zstd';
  return undefined;
}

/**
 * Packed bytes, unpacked while they are read: never more than a few chunks of them are in memory, however much they
 * unpack to.
 */
export function unpacked(bytes: Bytes, packing: Packing, size?: number): Bytes {
  return {
    path: bytes.path,
    size,
    rewindable: bytes.rewindable,
    open: () => chunkReader(packing === 'zstd' ? zstd(bytes.open(), bytes.path) : inflate(bytes, packing)),
  };
}

async function* inflate(bytes: Bytes, packing: 'gzip' | 'deflate'): AsyncGenerator<Uint8Array, void, void> {
  const unpacker = packing === 'gzip' ? zlib.createGunzip() : zlib.createInflateRaw();
  yield* through(bytes.open(), unpacker, bytes.path);
}

/** Node's own zstd where it has one (22.15 and later), fzstd before that. */
async function* zstd(reader: ByteReader, path: string): AsyncGenerator<Uint8Array, void, void> {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => zlib.Gunzip };
  if (createZstdDecompress) {
    yield* through(reader, createZstdDecompress(), path);
    return;
  }
  const { Decompress } = await import('fzstd');
  const ready: Uint8Array[] = [];
  const unpacker = new Decompress((chunk) => ready.push(chunk));
  for await (const chunk of chunksOf(reader, 1 << 14)) {
    push(unpacker, chunk, false, path);
    yield* ready.splice(0);
  }
  push(unpacker, new Uint8Array(0), true, path);
  yield* ready;
}

function push(
  unpacker: { push(chunk: Uint8Array, final: boolean): void },
  chunk: Uint8Array,
  final: boolean,
  path: string,
): void {
  try {
    unpacker.push(chunk, final);
  } catch (error) {
    if (/eof/i.test((error as Error).message)) throw truncated(path, 'its packed data end early');
    throw badFile(path, `it does not unpack (${(error as Error).message})`);
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

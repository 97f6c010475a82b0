/** Files made of bytes, for tests that need no Python. */

import { crc32, deflateRawSync } from 'node:zlib';
import type { SeekableBytes } from '../src/archive/zip.js';
import type { Bytes } from '../src/bytes/bytes.js';
import { readerAt } from '../src/bytes/bytes.js';
import { npyBytes, npyHeader } from './support.js';

/** Bytes in memory as if they were a file. */
export function memoryFile(content: Uint8Array): SeekableBytes {
  const readAt: Bytes['readAt'] & {} = async (into, position) => {
    const part = content.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  };
  return { path: 'test', size: content.length, rereadable: true, readAt, open: () => readerAt(readAt) };
}

export function npyFile(descr: string, shape: readonly number[], data: Uint8Array, fortran = false): Buffer {
  return npyBytes(npyHeader(descr, shape, fortran), data);
}

export function bytesOf(data: ArrayBufferView): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

export interface ZipEntry {
  readonly name: string;
  readonly content: Uint8Array;
  readonly packed?: boolean;
  /** False statements of the directory. */
  readonly lie?: { readonly crc?: number; readonly size?: number; readonly stored?: number; readonly header?: number };
}

/** A zip file as Python's zipfile lays it out. */
export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, packed, lie = {} } of entries) {
    const data = packed ? deflateRawSync(content) : Buffer.from(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(packed ? 8 : 0, 4);
    fields.writeUInt32LE(lie.crc ?? crc32(content), 10);
    fields.writeUInt32LE(lie.stored ?? data.length, 14);
    fields.writeUInt32LE(lie.size ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(lie.header ?? at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fields, rest, Buffer.from(name)]));
    parts.push(local, data);
    at += local.length + data.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** SciPy's layout of [[1, 0, 2], [0, 0, 0], [0, 3, 0]]. */
export function csrFile(packed: boolean, change: Partial<Record<string, Buffer>> = {}): Buffer {
  const parts: Record<string, Buffer> = {
    indices: npyFile('<i4', [3], bytesOf(Int32Array.of(0, 2, 1))),
    indptr: npyFile('<i4', [4], bytesOf(Int32Array.of(0, 2, 2, 3))),
    format: npyFile('|S3', [], Buffer.from('csr')),
    shape: npyFile('<i8', [2], bytesOf(BigInt64Array.of(3n, 3n))),
    data: npyFile('<f8', [3], bytesOf(Float64Array.of(1, 2, 3))),
    ...(change as Record<string, Buffer>),
  };
  return zipFile(Object.entries(parts).map(([name, content]) => ({ name: `${name}.npy`, content, packed })));
}

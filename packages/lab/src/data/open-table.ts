import { DataError } from '@scree/core';
import {
  type Bytes,
  blobBytes,
  checkFileOptions,
  identify,
  openTable as openIdentified,
  plainPlatform,
  readerAt,
  type Table,
} from '@scree/files/internal';

/** Blobs up to this size are read at once, because every read of a blob takes milliseconds. */
const SMALL = 1 << 20;

/** Opens a file of any format as columns and rows. */
export async function openTable(data: Blob | Uint8Array, name: string): Promise<Table> {
  const options = checkFileOptions({});
  const small = data instanceof Blob && data.size <= SMALL ? new Uint8Array(await data.arrayBuffer()) : data;
  const bytes = small instanceof Blob ? blobBytes(small, name) : bytesOf(small, name);
  const file = await identify(bytes, { name }, options, plainPlatform.unpack);
  return openIdentified(file, options, plainPlatform);
}

/** Bytes that are already in memory. */
function bytesOf(bytes: Uint8Array, path: string): Bytes {
  if (bytes.length === 0) throw new DataError('EMPTY_DATA', `${path} is empty.`);
  const readAt = async (into: Uint8Array, position: number): Promise<number> => {
    const part = bytes.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  };
  return { path, size: bytes.length, rereadable: true, readAt, open: () => readerAt(readAt) };
}

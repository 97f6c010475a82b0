import { DataError } from '@scree/core';
import {
  type Bytes,
  blobBytes,
  checkFileOptions,
  identify,
  openFormat,
  plainPlatform,
  readerAt,
  type Table,
} from '@scree/files/platform';

/** Blobs up to this size are read whole, because every read of a blob takes milliseconds. */
const SMALL = 1 << 20;
/** The first bytes of a file, which distinguish a stored model from a table. */
const HEAD = 256;

/** Opens a file of any format as columns and rows. */
export async function openOrigin(data: Blob | Uint8Array, name: string): Promise<Table> {
  const options = checkFileOptions({});
  const small = data instanceof Blob && data.size <= SMALL ? new Uint8Array(await data.arrayBuffer()) : data;
  await refuseModel(small, name);
  const bytes = small instanceof Blob ? blobBytes(small, name) : bytesOf(small, name);
  const file = await identify(bytes, { name }, options, plainPlatform.unpack);
  return openFormat(file, options, plainPlatform);
}

/** How stored models begin, in their binary form and as JSON. */
const MODEL = /^(SCREEPCA|\s*\{\s*"format"\s*:\s*"scree-model")/;

/** Refuses a stored model. As JSON it would be read as one row of data. */
async function refuseModel(data: Blob | Uint8Array, name: string): Promise<void> {
  const head = data instanceof Blob ? new Uint8Array(await data.slice(0, HEAD).arrayBuffer()) : data.subarray(0, HEAD);
  if (!MODEL.test(new TextDecoder().decode(head))) return;
  throw new DataError(
    'BAD_FILE',
    `${name} is a stored model, not a table: it has components and no rows to show. Open the data instead; the page fits a model to them. To apply this model to data, use the command: scree transform ${name} DATA.`,
    { path: name },
  );
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

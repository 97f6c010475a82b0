import { crc32 } from 'node:zlib';
import { type Bytes, badFile, truncated } from '@scree/files/platform';

/** A part of a file: its length and its CRC-32, both uint32, then its bytes. */
export const SECTION_HEAD = 8;

export function section(payload: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(SECTION_HEAD + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes.writeUInt32LE(crc32(payload), 4);
  bytes.set(payload, SECTION_HEAD);
  return bytes;
}

/** Reads the section at a position. It must end before `end` and have the `expected` length, if that is known. */
export async function readSection(
  { path, readAt }: Required<Pick<Bytes, 'path' | 'readAt'>>,
  place: { readonly at: number; readonly end: number; readonly expected?: number; readonly what: string },
): Promise<Uint8Array> {
  const { at, end, expected, what } = place;
  const header = Buffer.alloc(SECTION_HEAD);
  if (at + SECTION_HEAD > end || (await readAt(header, at)) < SECTION_HEAD)
    throw truncated(path, `it ends before ${what}`);
  const length = header.readUInt32LE(0);
  if (expected !== undefined && length !== expected)
    throw badFile(path, `${what} has ${length} bytes by its own account and ${expected} by the list of blocks`);
  if (at + SECTION_HEAD + length > end) throw truncated(path, `${what} claims ${length} bytes`);
  const payload = new Uint8Array(length);
  if ((await readAt(payload, at + SECTION_HEAD)) < length) throw truncated(path, `it ends inside ${what}`);
  if (crc32(payload) !== header.readUInt32LE(4))
    throw badFile(path, `${what} was changed: its checksum does not match`);
  return payload;
}

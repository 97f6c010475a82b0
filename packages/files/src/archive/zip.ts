import type { Bytes } from '../bytes/bytes.js';
import { textOf } from '../bytes/text.js';
import { badFile, truncated, unsupported } from '../file-error.js';

/** A member of a zip file, as the directory at its end describes it. */
export interface ZipMember {
  readonly name: string;
  readonly packed: boolean;
  /** Bytes in the file, and unpacked. */
  readonly stored: number;
  readonly size: number;
  readonly crc: number;
  /** Position of its own header. */
  readonly header: number;
}

/** Bytes of the record at the end of the directory, and of the longest comment after it. */
const END_RECORD = 22;
const COMMENT = 0xffff;
/** Limits of a directory: members and bytes. */
const MOST_MEMBERS = 100_000;
const MOST_DIRECTORY = 32 << 20;
/** Flags of members that are encrypted (in two ways), or that are changes to other files. */
const [ENCRYPTED, PATCH] = [0x41, 0x20];
/** The newest version of the format (6.3) that a member may need. */
const NEWEST = 63;
/** A number that is stored in the 64-bit extra field instead. */
const ELSEWHERE = 0xffffffff;

/** Bytes of known size that can be read at any position. */
export interface SeekableBytes extends Bytes {
  readonly size: number;
  readonly readAt: NonNullable<Bytes['readAt']>;
}

/** Reads the directory of a zip file (with or without 64-bit sizes). Positions after the end of the file are refused. */
export async function readZip(file: SeekableBytes): Promise<ZipMember[]> {
  const { path, size } = file;
  const tail = await viewOf(file, Math.max(0, size - END_RECORD - COMMENT), Math.min(size, END_RECORD + COMMENT));
  let end = tail.length - END_RECORD;
  const endsAt = (at: number): number => at + END_RECORD + tail.getUint16(at + 20);
  while (end >= 0 && !(tail.getUint32(end) === 0x06054b50 && endsAt(end) <= tail.length)) end--;
  if (end < 0) throw truncated(path, 'it has no directory at its end, as zip files do');
  if (endsAt(end) < tail.length) throw glued(path);
  let count = tail.getUint16(end + 10);
  let length = tail.getUint32(end + 12);
  let start = tail.getUint32(end + 16);
  const endAt = size - tail.length + end;
  let directoryEnd = endAt;
  if (count === 0xffff || length === ELSEWHERE || start === ELSEWHERE) {
    const locator = endAt >= 20 ? await viewOf(file, endAt - 20, 20) : undefined;
    if (locator?.getUint32(0) === 0x07064b50) {
      const large = await viewOf(file, locator.getUint64(8, path), 56);
      if (large.getUint32(0) !== 0x06064b50) throw badFile(path, 'its directory of large files is broken');
      count = large.getUint64(32, path);
      length = large.getUint64(40, path);
      start = large.getUint64(48, path);
      directoryEnd = locator.getUint64(8, path);
      if (directoryEnd + 12 + large.getUint64(4, path) !== endAt - 20) throw glued(path);
    }
  }
  if (count > MOST_MEMBERS || length > MOST_DIRECTORY)
    throw badFile(path, `its directory claims ${count} members in ${length} bytes`);
  // Positions count from the beginning of the archive. If two files are glued together, the positions of the second refer to bytes of the first.
  if (directoryEnd !== start + length) throw glued(path);
  const directory = await viewOf(file, start, length);
  const members: ZipMember[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > length || directory.getUint32(at) !== 0x02014b50)
      throw badFile(path, `entry ${i} of its directory is broken`);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => directory.getUint16(at + offset));
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > length) throw badFile(path, `entry ${i} of its directory is broken`);
    const flags = directory.getUint16(at + 8);
    const method = directory.getUint16(at + 10);
    const name = textOf(directory.bytes, at + 46, at + 46 + nameLength);
    if (flags & ENCRYPTED)
      throw unsupported(path, `has an encrypted member ${JSON.stringify(name)}`, 'Unpack it first.');
    if (flags & PATCH || (directory.getUint16(at + 6) & 0xff) > NEWEST)
      throw unsupported(path, `has a member ${JSON.stringify(name)} of an unknown kind`, 'Unpack it first.');
    if (method !== 0 && method !== 8) {
      throw unsupported(
        path,
        `has a member ${JSON.stringify(name)} packed by method ${method}`,
        'Save it with np.savez or np.savez_compressed.',
      );
    }
    const [unpackedSize, stored, header] = largeSizes(directory, at, nameLength, extraLength, path);
    if (method === 0 && stored !== unpackedSize) throw badFile(path, `${name} says two different sizes`);
    members.push({ name, packed: method === 8, stored, size: unpackedSize, crc: directory.getUint32(at + 16), header });
    at = next;
  }
  if (at !== length) throw badFile(path, `its directory has more than the ${count} entries that it claims`);
  return members;
}

function glued(path: string): Error {
  return badFile(path, 'bytes stand before its archive or after it, as if files were glued together. Name one of them');
}

/** Size, packed size and position of an entry. Numbers that do not fit in 32 bits are in its extra field. */
function largeSizes(
  directory: LittleEndianView,
  at: number,
  nameLength: number,
  extraLength: number,
  path: string,
): [number, number, number] {
  const values = [24, 20, 42].map((offset) => directory.getUint32(at + offset)) as [number, number, number];
  let extra = at + 46 + nameLength;
  const end = extra + extraLength;
  while (extra + 4 <= end) {
    const [id, length] = [directory.getUint16(extra), directory.getUint16(extra + 2)];
    let from = extra + 4;
    extra = from + length;
    if (id !== 1 || extra > end) continue;
    for (let i = 0; i < 3; i++) {
      if (values[i] !== ELSEWHERE || from + 8 > extra) continue;
      values[i] = directory.getUint64(from, path);
      from += 8;
    }
  }
  return values;
}

/** Reads little-endian numbers from part of a file. */
export class LittleEndianView {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  getUint16(at: number): number {
    return this.#view.getUint16(at, true);
  }

  getUint32(at: number): number {
    return this.#view.getUint32(at, true);
  }

  getUint64(at: number, path: string): number {
    const value = this.#view.getUint32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true);
    if (!Number.isSafeInteger(value)) throw badFile(path, 'it claims sizes beyond any file');
    return value;
  }
}

export async function viewOf(file: SeekableBytes, from: number, length: number): Promise<LittleEndianView> {
  if (from + length > file.size) throw truncated(file.path, `a part of its directory would lie beyond its end`);
  const bytes = new Uint8Array(length);
  if ((await file.readAt(bytes, from)) < length) throw truncated(file.path, 'it became shorter while it was read');
  return new LittleEndianView(bytes);
}

/** The bytes as seekable bytes, or undefined if their size is unknown or they cannot be read at any position. */
export function seekable(bytes: Bytes): SeekableBytes | undefined {
  const { size, readAt } = bytes;
  return size === undefined || !readAt ? undefined : { ...bytes, size, readAt };
}

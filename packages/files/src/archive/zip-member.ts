import { type Bytes, readerAt } from '../bytes/bytes.js';
import { textOf } from '../bytes/text.js';
import { badFile, truncated } from '../file-error.js';
import { type Unpackers, unpacked } from './unpack.js';
import { type SeekableBytes, viewOf, type ZipMember } from './zip.js';

/** The unpacked bytes of a member. */
export async function arrayBytes(file: SeekableBytes, member: ZipMember, unpack: Unpackers): Promise<Bytes> {
  const bytes = await memberBytes(file, member);
  return member.packed ? unpacked(bytes, 'deflate', unpack, { size: member.size }) : bytes;
}

/** A check of bytes that are read in order. `end` throws if they are wrong. */
export interface ByteCheck {
  add(bytes: Uint8Array): void;
  end(): void;
}

/** The same bytes, with a check of their size, and of their checksum at the end. */
export function checkedBytes(bytes: Bytes, startCheck: () => ByteCheck): Bytes {
  const { path, size, rereadable } = bytes;
  return {
    path,
    size,
    rereadable,
    open() {
      const reader = bytes.open();
      const check = startCheck();
      let left = size ?? 0;
      return {
        async read(into) {
          const got = await reader.read(into.subarray(0, left + 1));
          if (got > left) throw badFile(path, `it unpacks to more than the ${size} bytes it promises`);
          left -= got;
          check.add(into.subarray(0, got));
          if (left === 0 || got < into.length) check.end();
          return got;
        },
        close: () => reader.close(),
      };
    },
  };
}

/** The stored bytes of a member. They follow its own header, which has a length and the name once more. */
async function memberBytes(file: SeekableBytes, member: ZipMember): Promise<SeekableBytes> {
  const name = `${file.path} (${member.name})`;
  const header = await viewOf(file, member.header, 30);
  if (header.getUint32(0) !== 0x04034b50) throw badFile(name, 'its own header is not where the directory says');
  const nameLength = header.getUint16(26);
  const start = member.header + 30 + nameLength + header.getUint16(28);
  if (start + member.stored > file.size)
    throw truncated(name, `it needs ${member.stored} bytes, and ${Math.max(0, file.size - start)} are there`);
  const own = await viewOf(file, member.header + 30, nameLength);
  if (textOf(own.bytes, 0, nameLength) !== member.name) throw badFile(name, 'its own header has another name');
  const readAt: SeekableBytes['readAt'] = (into, position) =>
    file.readAt(into.subarray(0, Math.max(0, member.stored - position)), start + position);
  return { path: name, size: member.stored, rereadable: file.rereadable, readAt, open: () => readerAt(readAt) };
}

/** Counts a member's bytes and computes their checksum. Throws at the end if either is wrong. */
export function startMemberCheck(member: ZipMember, path: string, { crc32 }: Pick<Unpackers, 'crc32'>): ByteCheck {
  let sum = 0;
  let count = 0;
  return {
    add(bytes) {
      sum = crc32(bytes, sum);
      count += bytes.length;
    },
    end() {
      if (count === member.size && sum === member.crc) return;
      throw badFile(`${path} (${member.name})`, `its checksum says that it was changed or damaged`);
    },
  };
}

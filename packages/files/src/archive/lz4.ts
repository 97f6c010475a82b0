import { xxh32 } from './xxh32.js';

const MAGIC = 0x184d2204;
/** Flags of a frame. Two bits above them are the version, which is 1; the bit without a name is reserved. */
const [INDEPENDENT, BLOCK_SUMS, HAS_SIZE, CONTENT_SUM, RESERVED, DICTIONARY] = [0x20, 0x10, 8, 4, 2, 1];
/** At least this number of bytes follows a copy: an offset, a token and five literals. */
const LEFT_AFTER_COPY = 8;

/**
 * Unpacks one LZ4 frame into `size` bytes. Everything that the format requires is checked, including checksums. (No maintained library
 * unpacks a frame without native code, and the format is two pages long.)
 */
export function unpackLz4(packed: Uint8Array, size: number): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  if (packed.length < 7 || view.getUint32(0, true) !== MAGIC) throw new RangeError('no LZ4 frame');
  const [flags, descriptor] = packed.subarray(4, 6);
  let at = 7 + (flags & HAS_SIZE ? 8 : 0);
  if (flags >> 6 !== 1 || flags & (RESERVED | DICTIONARY) || descriptor & 0x8f || descriptor >> 4 < 4)
    throw new RangeError('an unknown kind of LZ4 frame');
  if (at > packed.length || ((xxh32(packed.subarray(4, at - 1)) >>> 8) & 0xff) !== packed[at - 1])
    throw new RangeError('the header of an LZ4 frame is damaged');
  if (flags & HAS_SIZE && view.getBigUint64(6, true) !== BigInt(size)) throw new RangeError('a frame of another size');
  const largest = 2 ** (8 + 2 * (descriptor >> 4));
  const out = new Uint8Array(size);
  let filled = 0;
  for (;;) {
    const length = view.getUint32(at, true);
    at += 4;
    if (length === 0) break;
    const start = filled;
    const end = at + (length & 0x7fffffff);
    if (end > packed.length) throw new RangeError('an LZ4 block is cut off');
    const block = packed.subarray(at, end);
    if (length & 0x80000000) {
      if (filled + block.length > size) throw new RangeError('more is packed than it says');
      out.set(block, filled);
      filled += block.length;
    } else filled = unpackBlock(packed, at, end, out, filled, flags & INDEPENDENT ? start : 0);
    if (block.length > largest || filled - start > largest) throw new RangeError('an LZ4 block is too long');
    at = end;
    if (flags & BLOCK_SUMS) {
      checkSum(block, view.getUint32(at, true));
      at += 4;
    }
  }
  if (filled !== size) throw new RangeError('less is packed than it says');
  if (flags & CONTENT_SUM) {
    checkSum(out, view.getUint32(at, true));
    at += 4;
  }
  if (at !== packed.length) throw new RangeError('something follows an LZ4 frame');
  return out;
}

function checkSum(bytes: Uint8Array, expected: number): void {
  if (xxh32(bytes) !== expected) throw new RangeError('its checksum says that it was changed or damaged');
}

/** Bytes up to which a loop is faster than a call that copies. */
const SHORT = 32;

/** Unpacks one block, without a frame around it, to exactly as many bytes as `out` has. */
export function unpackLz4Block(packed: Uint8Array, out: Uint8Array): void {
  if (unpackBlock(packed, 0, packed.length, out, 0, 0) !== out.length) throw new RangeError('an LZ4 block is cut off');
}

/** Unpacks a block: runs of literal bytes, each followed by a copy of earlier bytes, which begin at `first` or later. */
function unpackBlock(
  packed: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  filled: number,
  first: number,
): number {
  let at = start;
  let to = filled;
  const longer = (length: number): number => {
    let sum = length;
    for (let byte = 255; byte === 255; sum += byte) {
      if (at >= end) throw new RangeError('an LZ4 length is cut off');
      byte = packed[at++];
    }
    return sum;
  };
  for (;;) {
    if (at >= end) throw new RangeError('an LZ4 block is cut off');
    const token = packed[at++];
    const plain = token >> 4 === 15 ? longer(15) : token >> 4;
    if (at + plain > end || to + plain > out.length) throw new RangeError('an LZ4 run goes beyond its end');
    if (plain > SHORT) out.set(packed.subarray(at, at + plain), to);
    else for (let i = 0; i < plain; i++) out[to + i] = packed[at + i];
    at += plain;
    to += plain;
    // The last run has no copy.
    if (at === end) return to;
    if (at + LEFT_AFTER_COPY > end) throw new RangeError('an LZ4 block is cut off');
    const distance = packed[at] | (packed[at + 1] << 8);
    at += 2;
    const copy = ((token & 15) === 15 ? longer(15) : token & 15) + 4;
    if (distance === 0 || distance > to - first || to + copy > out.length)
      throw new RangeError('an LZ4 copy goes beyond its end');
    if (distance >= copy && copy > SHORT) out.copyWithin(to, to - distance, to - distance + copy);
    else for (let i = 0; i < copy; i++) out[to + i] = out[to - distance + i];
    to += copy;
  }
}

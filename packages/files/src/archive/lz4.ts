/**
 * LZ4 frames, unpacked into a buffer whose size is known. (No library that is kept up unpacks a frame without native
 * code, and the format is two pages long.) Every copy is checked against both buffers; checksums are not.
 */
export function unpackLz4(packed: Uint8Array, size: number): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  if (packed.length < 7 || view.getUint32(0, true) !== 0x184d2204) throw new RangeError('no LZ4 frame');
  const flags = packed[4];
  const [blockSums, sizeGiven, dictionary] = [flags & 0x10, flags & 0x08, flags & 0x01];
  if (flags >> 6 !== 1 || dictionary) throw new RangeError('an unknown kind of LZ4 frame');
  let at = 7 + (sizeGiven ? 8 : 0);
  const out = new Uint8Array(size);
  let filled = 0;
  for (;;) {
    const length = view.getUint32(at, true);
    at += 4;
    if (length === 0) break;
    const bytes = length & 0x7fffffff;
    if (at + bytes > packed.length) throw new RangeError('an LZ4 block is cut off');
    if (length & 0x80000000) {
      if (filled + bytes > size) throw new RangeError('more is packed than it says');
      out.set(packed.subarray(at, at + bytes), filled);
      filled += bytes;
    } else filled = unpackBlock(packed, at, at + bytes, out, filled);
    at += bytes + (blockSums ? 4 : 0);
  }
  if (filled !== size) throw new RangeError('less is packed than it says');
  return out;
}

/** Bytes up to which a loop is faster than a call that copies. */
const SHORT = 32;

/** One block: runs of plain bytes, each followed by a copy of bytes that came before. */
function unpackBlock(packed: Uint8Array, start: number, end: number, out: Uint8Array, filled: number): number {
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
  while (at < end) {
    const token = packed[at++];
    const plain = token >> 4 === 15 ? longer(15) : token >> 4;
    if (at + plain > end || to + plain > out.length) throw new RangeError('an LZ4 run goes beyond its end');
    if (plain > SHORT) out.set(packed.subarray(at, at + plain), to);
    else for (let i = 0; i < plain; i++) out[to + i] = packed[at + i];
    at += plain;
    to += plain;
    // The last run has no copy.
    if (at === end) return to;
    if (at + 2 > end) throw new RangeError('an LZ4 block is cut off');
    const distance = packed[at] | (packed[at + 1] << 8);
    at += 2;
    const copy = ((token & 15) === 15 ? longer(15) : token & 15) + 4;
    if (distance === 0 || distance > to || to + copy > out.length)
      throw new RangeError('an LZ4 copy goes beyond its end');
    if (distance >= copy && copy > SHORT) out.copyWithin(to, to - distance, to - distance + copy);
    else for (let i = 0; i < copy; i++) out[to + i] = out[to - distance + i];
    to += copy;
  }
  return to;
}

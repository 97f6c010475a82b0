/**
 * Parquet's DELTA_BINARY_PACKED: each number is the one before it plus a difference. Differences come in blocks; a block
 * stores its smallest difference once, and what the others exceed it by in miniblocks of so many bits per value.
 * Reading beyond the bytes is a RangeError.
 */

/** Bytes that are read in order. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

const POWERS = Float64Array.from({ length: 41 }, (_, i) => 2 ** i);
const WORD = 2 ** 32;

/**
 * Reads `count` numbers, modulo 2^64, each as its low and its high 32 bits: arithmetic with bigint would be several times slower.
 * `cursor` is then after the last miniblock that was used.
 */
export function readDeltas(cursor: Cursor, count: number): Uint32Array<ArrayBuffer> {
  const { at } = cursor;
  const [blockSize, miniblocks, stated] = [readVarint(cursor), readVarint(cursor), readVarint(cursor)];
  if (!(blockSize > 0 && blockSize <= 1 << 20 && blockSize % 128 === 0))
    throw new RangeError(`a block of ${blockSize} differences`);
  if (!(miniblocks > 0 && miniblocks <= 1024 && blockSize % miniblocks === 0))
    throw new RangeError(`a block of ${miniblocks} miniblocks`);
  if (stated !== count) throw new RangeError(`${stated} differences for ${count} values`);
  const out = new Uint32Array(2 * count);
  if (count === 0) {
    // Some writers state a first value for an empty list, others do not. The list after it is also empty, and reads this header again.
    cursor.at = at;
    return out;
  }
  let [low, high] = readZigzag64(cursor);
  out[0] = low;
  out[1] = high;
  const { bytes } = cursor;
  const length = blockSize / miniblocks;
  for (let filled = 1; filled < count; ) {
    const [leastLow, leastHigh] = readZigzag64(cursor);
    const widths = bytes.subarray(cursor.at, cursor.at + miniblocks);
    if (widths.length < miniblocks) throw new RangeError('differences end early');
    cursor.at += miniblocks;
    for (let i = 0; i < miniblocks && filled < count; i++) {
      const width = widths[i];
      const some = Math.min(length, count - filled);
      if (width > 64) throw new RangeError(`differences of ${width} bits`);
      // The last miniblock may lack its padding.
      if (Math.ceil((some * width) / 8) > bytes.length - cursor.at) throw new RangeError('differences end early');
      const [first, second] = [Math.min(32, width), Math.max(0, width - 32)];
      for (let j = 0, bit = 0; j < some; j++, bit += width, filled++) {
        low += leastLow + bitsAt(bytes, cursor.at, bit, first);
        // Less than 3 · 2^32: dividing would take longer.
        const carry = low < WORD ? 0 : low < 2 * WORD ? 1 : 2;
        low -= carry * WORD;
        high = (high + leastHigh + (second > 0 ? bitsAt(bytes, cursor.at, bit + 32, second) : 0) + carry) >>> 0;
        out[2 * filled] = low;
        out[2 * filled + 1] = high;
      }
      cursor.at += (length * width) / 8;
    }
  }
  return out;
}

/** A number of up to 32 bits that begins a number of bits after a byte. */
function bitsAt(bytes: Uint8Array, start: number, bit: number, width: number): number {
  if (width === 0) return 0;
  let at = start + (bit >>> 3);
  const skip = bit & 7;
  if (width <= 25 && at + 4 <= bytes.length) {
    const four = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    return (four >>> skip) & ((1 << width) - 1);
  }
  let value = bytes[at++] >>> skip;
  // Up to 39 bits: beyond what shifts can do.
  for (let got = 8 - skip; got < width; got += 8) value += bytes[at++] * POWERS[got];
  return value % POWERS[width];
}

/** A number in groups of seven bits, the lowest first. */
export function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = nextByte(cursor);
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
  throw new RangeError('a number is too long');
}

/** A signed number of 64 bits as its low and its high half. */
function readZigzag64(cursor: Cursor): [number, number] {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = nextByte(cursor);
    value |= BigInt(byte & 127) << shift;
    if (byte >= 128) continue;
    const signed = BigInt.asUintN(64, value & 1n ? -((value + 1n) >> 1n) : value >> 1n);
    return [Number(signed & 0xffffffffn), Number(signed >> 32n)];
  }
  throw new RangeError('a number is too long');
}

export function nextByte(cursor: Cursor): number {
  if (cursor.at >= cursor.bytes.length) throw new RangeError('a page ends early');
  return cursor.bytes[cursor.at++];
}

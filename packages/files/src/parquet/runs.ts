import { nextByte, readVarint } from './delta.js';

/**
 * Runs of one number, or of numbers packed bit by bit, until `out` is full: levels, codes of a dictionary, booleans. Nothing is
 * written beyond its end, whatever a run claims. Reading beyond `end` is a RangeError.
 */
export function readRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  width: number,
  out: Uint8Array | Uint32Array,
): void {
  if (end > bytes.length || width > 32) throw new RangeError('runs go beyond their page');
  const cursor = { bytes, at: start };
  for (let filled = 0; filled < out.length; ) {
    if (cursor.at >= end) throw new RangeError('runs end early');
    const header = readVarint(cursor);
    const count = Math.floor(header / 2);
    if (header % 2 === 0) {
      let value = 0;
      for (let i = 0; i < Math.ceil(width / 8); i++) value += nextByte(cursor) * 2 ** (8 * i);
      const to = Math.min(out.length, filled + count);
      out.fill(value, filled, to);
      filled = to;
    } else {
      const to = Math.min(out.length, filled + 8 * count);
      if (Math.ceil(((to - filled) * width) / 8) > Math.min(end - cursor.at, count * width))
        throw new RangeError('runs end early');
      if (width <= 24) unpackNarrow(bytes, cursor.at, width, out, filled, to);
      else unpackWide(bytes, cursor.at, width, out, filled, to);
      filled = to;
      cursor.at += count * width;
    }
  }
}

/**
 * Levels up to `most`, which are stored as runs. Undefined if all of them are `most`, which one run says in most pages without
 * missing values.
 */
export function readLevels(
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
  count: number,
): Uint8Array | undefined {
  const width = 32 - Math.clz32(most);
  const cursor = { bytes: bytes.subarray(0, end), at: start };
  const header = readVarint(cursor);
  if (header % 2 === 0 && header / 2 >= count && nextByte(cursor) === most) return undefined;
  const levels = new Uint8Array(count);
  readRuns(bytes, start, end, width, levels);
  let all = true;
  for (let i = 0; i < count; i++) {
    if (levels[i] === most) continue;
    if (levels[i] > most) throw new RangeError('a level is too high');
    all = false;
  }
  return all ? undefined : levels;
}

/** Numbers of at most 24 bits: with up to 7 bits of the byte before, 31 bits are held at once. */
function unpackNarrow(
  bytes: Uint8Array,
  start: number,
  width: number,
  out: Uint8Array | Uint32Array,
  from: number,
  to: number,
): void {
  let [at, bits, held] = [start, 0, 0];
  const mask = (1 << width) - 1;
  for (let i = from; i < to; i++) {
    while (held < width) {
      bits |= bytes[at++] << held;
      held += 8;
    }
    out[i] = bits & mask;
    bits >>>= width;
    held -= width;
  }
}

/** Up to 32 bits and 7 more: beyond what shifts can do. */
function unpackWide(
  bytes: Uint8Array,
  start: number,
  width: number,
  out: Uint8Array | Uint32Array,
  from: number,
  to: number,
): void {
  let [at, bits, held] = [start, 0, 0];
  const mask = 2 ** width;
  for (let i = from; i < to; i++) {
    while (held < width) {
      bits += bytes[at++] * 2 ** held;
      held += 8;
    }
    out[i] = bits % mask;
    bits = Math.floor(bits / mask);
    held -= width;
  }
}

/** Bytes up to which a loop is faster than a call that copies. */
const SHORT = 32;

/**
 * Unpacks Snappy without a frame, as in Parquet: the size, then runs of literal bytes and copies of earlier bytes. The data must
 * fill `out` exactly; anything else is a RangeError.
 */
export function unpackSnappy(packed: Uint8Array, out: Uint8Array): void {
  const end = packed.length;
  let [at, to, size] = [0, 0, 0];
  for (let shift = 0; ; shift += 7) {
    if (at >= end || shift > 28) throw cutOff();
    const byte = packed[at++];
    size += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  if (size !== out.length) throw new RangeError('a page says two sizes');
  while (at < end) {
    const tag = packed[at++];
    let length = (tag >> 2) + 1;
    if ((tag & 3) === 0) {
      if (length > 60) {
        const bytes = length - 60;
        if (at + bytes > end) throw cutOff();
        length = 1;
        for (let i = 0; i < bytes; i++) length += packed[at++] * 2 ** (8 * i);
      }
      if (length > end - at || length > size - to) throw beyond();
      if (length > SHORT) out.set(packed.subarray(at, at + length), to);
      else for (let i = 0; i < length; i++) out[to + i] = packed[at + i];
      at += length;
      to += length;
      continue;
    }
    let distance: number;
    if ((tag & 3) === 1) {
      if (at >= end) throw cutOff();
      length = ((tag >> 2) & 7) + 4;
      distance = ((tag >> 5) << 8) | packed[at++];
    } else if ((tag & 3) === 2) {
      if (at + 2 > end) throw cutOff();
      distance = packed[at] | (packed[at + 1] << 8);
      at += 2;
    } else {
      if (at + 4 > end) throw cutOff();
      distance = (packed[at] | (packed[at + 1] << 8) | (packed[at + 2] << 16) | (packed[at + 3] << 24)) >>> 0;
      at += 4;
    }
    if (distance === 0 || distance > to || length > size - to) throw beyond();
    if (length > SHORT && distance >= length) out.copyWithin(to, to - distance, to - distance + length);
    else for (let i = 0, from = to - distance; i < length; i++) out[to + i] = out[from + i];
    to += length;
  }
  if (to !== size) throw cutOff();
}

function cutOff(): RangeError {
  return new RangeError('Snappy data are cut off');
}

function beyond(): RangeError {
  return new RangeError('Snappy data go beyond their end');
}

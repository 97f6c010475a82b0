const [P1, P2, P3, P4, P5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1];

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** XXH32, the checksum of LZ4 frames, with seed 0 (xxHash specification, version 0.1.1). */
export function xxh32(bytes: Uint8Array): number {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let at = 0;
  let sum = P5;
  if (length >= 16) {
    let [a, b, c, d] = [P1 + P2, P2, 0, -P1];
    const mix = (lane: number, from: number): number =>
      Math.imul(rotate((lane + Math.imul(view.getUint32(from, true), P2)) | 0, 13), P1);
    for (; at + 16 <= length; at += 16) {
      a = mix(a, at);
      b = mix(b, at + 4);
      c = mix(c, at + 8);
      d = mix(d, at + 12);
    }
    sum = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  sum = (sum + length) | 0;
  for (; at + 4 <= length; at += 4)
    sum = Math.imul(rotate((sum + Math.imul(view.getUint32(at, true), P3)) | 0, 17), P4);
  for (; at < length; at++) sum = Math.imul(rotate((sum + Math.imul(bytes[at], P5)) | 0, 11), P1);
  sum = Math.imul(sum ^ (sum >>> 15), P2);
  sum = Math.imul(sum ^ (sum >>> 13), P3);
  return (sum ^ (sum >>> 16)) >>> 0;
}

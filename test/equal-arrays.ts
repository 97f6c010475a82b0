import { expect } from 'vitest';

/**
 * `toEqual` compares typed arrays entry by entry, which takes a second for 100,000 numbers. Arrays of one type with the same bytes are
 * equal; all others are left to `toEqual`, which says where they differ. Files that share a process load this once.
 */
expect.addEqualityTesters([
  (a: unknown, b: unknown): true | undefined =>
    ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor && sameBytes(a, b)
      ? true
      : undefined,
]);

function sameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);
  return Buffer.compare(bytes(a), bytes(b)) === 0;
}

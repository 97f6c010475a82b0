/**
 * A job that copies rows of shared data into the kernels' memory, so that all threads share the copying. The text of the function is also part of the
 * worker's program: it uses nothing but its arguments.
 */

/** Copies `count` rows of `bytes` bytes, which are `stride` bytes apart from `offset` on, side by side to `target`. */
export function copyRows(
  rows: ArrayBufferLike,
  memory: ArrayBufferLike,
  target: number,
  count: number,
  bytes: number,
  stride: number,
  offset: number,
): void {
  if (bytes === stride) {
    new Uint8Array(memory, target, count * bytes).set(new Uint8Array(rows, offset, count * bytes));
    return;
  }
  for (let i = 0; i < count; i++) {
    new Uint8Array(memory, target + i * bytes, bytes).set(new Uint8Array(rows, offset + i * stride, bytes));
  }
}

/** Jobs are 32-bit words, and offsets may be larger: a large number is stored as two. */
export const HALF = 2 ** 30;

/**
 * A job that copies rows of shared data into the kernels' memory, so that all threads share the copying. The worker's program contains the
 * text of `copyRows`, so the function uses only its arguments.
 */

/** Copies `count` rows of `bytes` bytes to `target` without gaps. The rows start at `offset` and are `stride` bytes apart. */
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

/** The arguments of a job are 32-bit words. A larger number x is stored as two words: ⌊x/HALF⌋ and x mod HALF. */
export const HALF = 2 ** 30;

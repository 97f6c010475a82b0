/** Side of a square block: the block and its mirror image stay in the cache. */
const SQUARE = 32;

/** Copies the upper triangle of a size × size matrix to the lower triangle, block by block. */
export function completeSymmetric(upper: Float64Array, size: number): void {
  for (let top = 0; top < size; top += SQUARE) {
    for (let left = top; left < size; left += SQUARE) mirror(upper, size, top, left);
  }
}

/** A separate function, so that the engine compiles it after a few blocks. */
function mirror(a: Float64Array, size: number, top: number, left: number): void {
  const bottom = Math.min(size, top + SQUARE);
  const right = Math.min(size, left + SQUARE);
  for (let i = top; i < bottom; i++) {
    for (let j = Math.max(i, left); j < right; j++) a[j * size + i] = a[i * size + j];
  }
}

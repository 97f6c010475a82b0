/** Side of the squares that a matrix is visited in: both an entry and its mirror image stay in the cache. */
const SQUARE = 32;

/** Copies the upper triangle of a size × size matrix to the lower one, square by square. */
export function completeSymmetric(upper: Float64Array, size: number): void {
  for (let top = 0; top < size; top += SQUARE) {
    for (let left = top; left < size; left += SQUARE) mirror(upper, size, top, left);
  }
}

/** A function of its own, so that it is compiled after a few squares. */
function mirror(a: Float64Array, size: number, top: number, left: number): void {
  const bottom = Math.min(size, top + SQUARE);
  const right = Math.min(size, left + SQUARE);
  for (let i = top; i < bottom; i++) {
    for (let j = Math.max(i, left); j < right; j++) a[j * size + i] = a[i * size + j];
  }
}

/** Side of the squares that a matrix is visited in: both an entry and its mirror image stay in the cache. */
const SQUARE = 32;

/** Calls `visit` for every entry of the upper triangle of a size × size matrix, square by square. */
export function forUpper(size: number, visit: (i: number, j: number) => void): void {
  for (let top = 0; top < size; top += SQUARE) {
    const bottom = Math.min(size, top + SQUARE);
    for (let left = top; left < size; left += SQUARE) {
      const right = Math.min(size, left + SQUARE);
      for (let i = top; i < bottom; i++) for (let j = Math.max(i, left); j < right; j++) visit(i, j);
    }
  }
}

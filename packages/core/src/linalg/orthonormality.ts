import { dot } from './vector.js';

/** Returns max |VVᵀ − I|, the distance of the rows from orthonormality. */
export function orthonormalityDefect(vectors: Float64Array, count: number, length: number): number {
  let defect = 0;
  // Multiplies two rows with four earlier rows at a time, so that each number is read once for several products.
  let r = 0;
  for (; r + 1 < count; r += 2) {
    let c = 0;
    for (; c + 4 <= r; c += 4) defect = Math.max(defect, largestProduct(vectors, r * length, c * length, length));
    for (; c <= r + 1; c++) {
      const first = dot(vectors, r * length, vectors, c * length, length);
      const second = dot(vectors, (r + 1) * length, vectors, c * length, length);
      defect = Math.max(defect, Math.abs(c === r ? first - 1 : first), Math.abs(c === r + 1 ? second - 1 : second));
    }
  }
  if (r === count) return defect;
  for (let c = 0; c <= r; c++) {
    const product = dot(vectors, r * length, vectors, c * length, length);
    defect = Math.max(defect, Math.abs(c === r ? product - 1 : product));
  }
  return defect;
}

/** Returns the largest magnitude of the products of two vectors (from `x` on) with four vectors (from `y` on). */
function largestProduct(v: Float64Array, x: number, y: number, length: number): number {
  let a0 = 0;
  let a1 = 0;
  let a2 = 0;
  let a3 = 0;
  let b0 = 0;
  let b1 = 0;
  let b2 = 0;
  let b3 = 0;
  for (let i = 0; i < length; i++) {
    const a = v[x + i];
    const b = v[x + length + i];
    const y0 = v[y + i];
    const y1 = v[y + length + i];
    const y2 = v[y + 2 * length + i];
    const y3 = v[y + 3 * length + i];
    a0 += a * y0;
    a1 += a * y1;
    a2 += a * y2;
    a3 += a * y3;
    b0 += b * y0;
    b1 += b * y1;
    b2 += b * y2;
    b3 += b * y3;
  }
  const largest = Math.max(Math.abs(a0), Math.abs(a1), Math.abs(a2), Math.abs(a3));
  return Math.max(largest, Math.abs(b0), Math.abs(b1), Math.abs(b2), Math.abs(b3));
}

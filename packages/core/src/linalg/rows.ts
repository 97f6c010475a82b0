import { axpy, dot } from './vector.js';

/** Few long rows: their products with one another, and their combinations. */

/** ABᵀ for ka and kb rows of the same length: ka × kb. */
export function rowProducts(a: Float64Array, ka: number, b: Float64Array, kb: number, length: number): Float64Array {
  const out = new Float64Array(ka * kb);
  for (let i = 0; i < ka; i++) {
    for (let j = 0; j < kb; j++) out[i * kb + j] = dot(a, i * length, b, j * length, length);
  }
  return out;
}

/** Out += α·C·R for coefficients C (count × k) of k rows R. */
export function addCombination(
  alpha: number,
  coefficients: Float64Array,
  count: number,
  rows: Float64Array,
  k: number,
  length: number,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < k; j++) {
      const factor = alpha * coefficients[i * k + j];
      if (factor !== 0) axpy(factor, rows, j * length, out, i * length, length);
    }
  }
}

import { dot } from './vector.js';

/** max |VVᵀ − I| over the rows: how far from orthonormal they are. */
export function orthonormalityDefect(vectors: Float64Array, count: number, length: number): number {
  let defect = 0;
  for (let r = 0; r < count; r++) {
    for (let c = 0; c <= r; c++) {
      const product = dot(vectors, r * length, vectors, c * length, length) - (r === c ? 1 : 0);
      defect = Math.max(defect, Math.abs(product));
    }
  }
  return defect;
}

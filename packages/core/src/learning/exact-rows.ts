import type { Matrix } from '../data/matrix.js';
import { addCombination, rowProducts } from '../linalg/rows.js';
import { symmetricEigen } from '../linalg/symmetric-eigen.js';
import { complete } from '../pace.js';

/** The exact principal subspace of few rows B (n × d), at once: eigenvectors of BᵀB, or of BBᵀ taken back by Bᵀ. */
export function exactRows(rows: Float64Array, n: number, d: number, k: number): Matrix<Float64Array> {
  if (n < d) {
    const { vectors } = complete(symmetricEigen(rowProducts(rows, n, rows, n, d), n, k));
    const data = new Float64Array(k * d);
    addCombination(1, vectors, k, rows, n, d, data);
    return { rows: k, cols: d, data };
  }
  const scatter = new Float64Array(d * d);
  for (let i = 0; i < n; i++) {
    const row = rows.subarray(i * d, (i + 1) * d);
    addCombination(1, row, d, row, 1, d, scatter);
  }
  const { vectors } = complete(symmetricEigen(scatter, d, k));
  return { rows: k, cols: d, data: vectors };
}

import { runTaskSync } from '../../base/progress.js';
import type { Matrix } from '../../data/blocks/matrix.js';
import { addCombination, rowProducts } from '../../linalg/row-products.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import { scatterOf } from './memory-replies.js';

/** Share of the largest value below which there is no variance, as far as squares can say. */
const NONE = 1e-12;

/** The exact principal subspace of few rows B (n × d), at once: eigenvectors of BᵀB, or of BBᵀ taken back by Bᵀ. */
export function exactRows(rows: Float64Array, n: number, d: number, k: number): Matrix<Float64Array> {
  if (n < d) {
    const { values, vectors } = runTaskSync(symmetricEigen(rowProducts(rows, n, rows, n, d), n, k));
    const data = new Float64Array(k * d);
    addCombination(1, vectors, k, rows, n, d, data);
    return spanned(values, data, k, d);
  }
  const { values, vectors } = runTaskSync(symmetricEigen(scatterOf(rows, n, d), d, k));
  return spanned(values, vectors, k, d);
}

/** σ₁² of few rows B (n × d): the largest eigenvalue of BᵀB or BBᵀ, whichever is smaller. */
export function exactTop(rows: Float64Array, n: number, d: number): number {
  const square = n < d ? rowProducts(rows, n, rows, n, d) : scatterOf(rows, n, d);
  return runTaskSync(symmetricEigen(square, Math.min(n, d), 0)).values[0];
}

/** Only directions that have variance: the others might as well be any. */
function spanned(values: Float64Array, rows: Float64Array, k: number, d: number): Matrix<Float64Array> {
  const count = values.subarray(0, k).filter((value) => value > NONE * values[0]).length;
  return { rows: count, cols: d, data: rows.slice(0, count * d) };
}

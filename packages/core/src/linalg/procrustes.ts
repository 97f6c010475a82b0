import { combineRows, rowProducts } from './row-products.js';
import { svd } from './svd.js';
import { transpose } from './transpose.js';

/**
 * Orthogonal Procrustes problem: rotates, or rotates and reflects, Z (n × k) to minimise its distance to Y (n × k). With ZᵀY = UΣVᵀ, the
 * orthogonal Q = UVᵀ minimises ‖ZQ − Y‖ (Golub & Van Loan §6.4.1). Z and Y must be centred. Returns ZQ.
 */
export function rotatedOnto(z: Float64Array, y: Float64Array, n: number, k: number): Float64Array {
  const { left, right } = svd(rowProducts(transpose(z, n, k), k, transpose(y, n, k), k, n), k, k);
  const q = combineRows(transpose(left, k, k), k, right, k, k);
  return combineRows(z, n, q, k, k);
}

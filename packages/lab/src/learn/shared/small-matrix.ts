import type { Matrix } from '@scree/core';

/** C of few columns, with n − 1, as rows of numbers: points are taken to be about their mean. */
export function covarianceOf({ rows, cols, data }: Matrix<Float64Array>): Float64Array {
  const out = new Float64Array(cols * cols);
  for (let i = 0; i < rows; i++) {
    for (let a = 0; a < cols; a++) {
      for (let b = 0; b < cols; b++) out[a * cols + b] += (data[i * cols + a] * data[i * cols + b]) / (rows - 1);
    }
  }
  return out;
}

export interface Eigen {
  /** Largest first. */
  readonly values: Float64Array;
  /** One vector a row. */
  readonly vectors: Float64Array;
}

/**
 * Eigenvalues and eigenvectors of a symmetric matrix of two or three rows by Jacobi's rotations: at once, and so quick that a picture
 * can ask for hundreds. Whole fits are the library's business; this is for pictures.
 */
export function eigenOf(matrix: ArrayLike<number>, size: number): Eigen {
  const a = Float64Array.from(matrix);
  const v = new Float64Array(size * size);
  for (let i = 0; i < size; i++) v[i * size + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) off += a[p * size + q] ** 2;
    if (off === 0) break;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
  }
  const order = Array.from({ length: size }, (_, i) => i).sort((i, j) => a[j * size + j] - a[i * size + i]);
  const vectors = new Float64Array(size * size);
  order.forEach((from, to) => {
    vectors.set(v.subarray(from * size, from * size + size), to * size);
  });
  return { values: Float64Array.from(order, (i) => a[i * size + i]), vectors };
}

/** Turns the plane (p, q) so that the entry there becomes zero; rows of v turn along. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const entry = a[p * size + q];
  if (entry === 0) return;
  const tau = (a[q * size + q] - a[p * size + p]) / (2 * entry);
  const t = Math.sign(tau || 1) / (Math.abs(tau) + Math.hypot(1, tau));
  const c = 1 / Math.hypot(1, t);
  const s = t * c;
  for (let i = 0; i < size; i++) {
    const [x, y] = [a[i * size + p], a[i * size + q]];
    a[i * size + p] = c * x - s * y;
    a[i * size + q] = s * x + c * y;
  }
  for (let i = 0; i < size; i++) {
    const [x, y] = [a[p * size + i], a[q * size + i]];
    a[p * size + i] = c * x - s * y;
    a[q * size + i] = s * x + c * y;
    const [f, g] = [v[p * size + i], v[q * size + i]];
    v[p * size + i] = c * f - s * g;
    v[q * size + i] = s * f + c * g;
  }
  a[p * size + q] = 0;
  a[q * size + p] = 0;
}

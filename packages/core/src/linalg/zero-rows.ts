import type { Count, SymmetricEigen } from './symmetric-eigen.js';

/** Returns the nonzero rows of a symmetric matrix, given by its upper triangle, and row 0 if all are zero. */
function nonzeroRows(a: Float64Array, size: number): Int32Array {
  const kept: number[] = [];
  for (let i = 0; i < size; i++) {
    let zero = a[i * size + i] === 0;
    for (let j = 0; zero && j < size; j++) zero = a[j < i ? j * size + i : i * size + j] === 0;
    if (!zero) kept.push(i);
  }
  return Int32Array.from(kept.length > 0 ? kept : [0]);
}

/**
 * Solves an eigenproblem without the zero rows, which come from constant columns and have unit vectors as eigenvectors. `solve` receives
 * the other rows and the number of vectors to find. Negative eigenvalues, which come from rounding, follow the zeros.
 */
export async function withoutZeroRows<Found extends SymmetricEigen | undefined>(
  a: Float64Array,
  size: number,
  count: Count,
  solve: (rows: Int32Array, count: Count) => Promise<Found>,
): Promise<Found | SymmetricEigen> {
  const rows = nonzeroRows(a, size);
  const [n, zeros] = [rows.length, size - rows.length];
  if (zeros === 0) return solve(rows, count);
  const values = new Float64Array(size);
  let [before, wanted] = [0, 0];
  const countOwn = (own: Float64Array): number => {
    before = own.findIndex((value) => value < 0);
    if (before < 0) before = n;
    values.set(own.subarray(0, before));
    values.set(own.subarray(before), before + zeros);
    wanted = Math.max(0, Math.min(size, typeof count === 'number' ? count : count(values)));
    return Math.max(Math.min(wanted, before), wanted - zeros);
  };
  const found = await solve(rows, countOwn);
  if (!found) return found;
  const vectors = new Float64Array(wanted * size);
  for (let r = 0; r < found.count; r++) {
    const to = (r < before ? r : r + zeros) * size;
    spread(found.vectors.subarray(r * n, (r + 1) * n), rows, vectors, to);
  }
  const left = new Set(rows);
  for (let i = 0, r = before; r < Math.min(wanted, before + zeros); i++) {
    if (!left.has(i)) vectors[r++ * size + i] = 1;
  }
  return { values, vectors, count: wanted };
}

/** A separate function, so that the JavaScript engine optimises it after a few vectors. */
function spread(vector: Float64Array, rows: Int32Array, into: Float64Array, at: number): void {
  for (let i = 0; i < rows.length; i++) into[at + rows[i]] = vector[i];
}

import { runTaskSync, type Task } from '../base/progress.js';
import { type Random, random } from './random.js';
import { axpy, dot, norm, scale } from './vector.js';

/** A vector that keeps less than this share of its length is in the span of the others, to the precision of float64. */
const DEPENDENT = 1e-10;

/**
 * Orthonormalises the rows of `vectors` (count × length) in place.
 *
 * Gram–Schmidt, each vector projected until it stops shrinking ("twice is enough": Parlett, The Symmetric Eigenvalue Problem §6.9), so the
 * rows are orthonormal to rounding even if they nearly depend on one another. A row that depends on earlier ones is replaced by a random
 * direction orthogonal to them all, so the result is always a full basis (count ≤ length). Returns how many of the rows were independent.
 * Cost 4·count²·length.
 */
export function* orthonormalise(
  vectors: Float64Array,
  count: number,
  length: number,
  { normal }: Random,
): Task<number> {
  if (count > length) throw new RangeError(`${count} vectors of length ${length} cannot be orthonormal`);
  let independent = 0;
  for (let r = 0; r < count; r++) {
    const row = r * length;
    yield 8 * r * length;
    if (project(vectors, r, length)) {
      independent++;
      continue;
    }
    do {
      for (let i = 0; i < length; i++) vectors[row + i] = normal();
    } while (!project(vectors, r, length));
  }
  return independent;
}

/** Returns orthonormal rows with the span of the given rows (count × length). A dependent row is replaced by a random direction. */
export function orthonormalRows(rows: Float64Array, count: number, length: number): Float64Array {
  const out = rows.slice();
  runTaskSync(orthonormalise(out, count, length, random(0)));
  return out;
}

/** Returns random orthonormal rows (count × length). */
export function randomRows(count: number, length: number, rng: Random): Float64Array {
  const rows = new Float64Array(count * length).map(rng.normal);
  runTaskSync(orthonormalise(rows, count, length, rng));
  return rows;
}

/** Makes row r a unit vector orthogonal to earlier rows. Returns false if the row depends on them. */
function project(vectors: Float64Array, r: number, length: number): boolean {
  const row = r * length;
  let largest = 0;
  for (let i = 0; i < length; i++) largest = Math.max(largest, Math.abs(vectors[row + i]));
  if (largest === 0 || !Number.isFinite(largest)) return false;
  for (let i = 0; i < length; i++) vectors[row + i] /= largest;
  let before = norm(vectors, row, length);
  const original = before;
  for (let round = 0; round < 4; round++) {
    for (let other = 0; other < r; other++) {
      axpy(-dot(vectors, other * length, vectors, row, length), vectors, other * length, vectors, row, length);
    }
    const after = norm(vectors, row, length);
    if (after <= DEPENDENT * original) return false;
    if (after > 0.7 * before && round > 0) break;
    before = after;
  }
  scale(1 / norm(vectors, row, length), vectors, row, length);
  return true;
}

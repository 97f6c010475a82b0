import { runTaskSync, type Task } from '../progress.js';
import { type Random, random } from './random.js';
import { axpy, dot, norm, scale } from './vector.js';

/** A vector that keeps less than this share of its length was in the span of the others, as far as float64 can say. */
const DEPENDENT = 1e-10;

/**
 * Orthonormalises the rows of `vectors` (count × length) in place.
 *
 * Gram–Schmidt, each vector projected until it stops shrinking ("twice is enough": Parlett, The Symmetric Eigenvalue
 * Problem §6.9), so the rows are orthonormal to rounding even where they nearly depend on one another. A row that
 * depends on earlier ones is replaced by a random direction orthogonal to them all, so the result is always a full
 * basis (count ≤ length). Returns how many of the rows were independent. Cost 4·count²·length.
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

/** Orthonormal rows with the span of these (count × length), one after the other; a row that depends on others becomes some other direction. */
export function orthonormalRows(rows: Float64Array, count: number, length: number): Float64Array {
  const out = rows.slice();
  runTaskSync(orthonormalise(out, count, length, random(0)));
  return out;
}

/** Random orthonormal rows (count × length). */
export function randomRows(count: number, length: number, rng: Random): Float64Array {
  const rows = new Float64Array(count * length).map(rng.normal);
  runTaskSync(orthonormalise(rows, count, length, rng));
  return rows;
}

/** Makes row r a unit vector orthogonal to the rows before it; false when nothing trustworthy is left of it. */
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

/** max |VVᵀ − I| over the rows: how far from orthonormal they are. */
export function orthonormalityDefect(vectors: Float64Array, count: number, length: number): number {
  let defect = 0;
  // Two rows with four before them at a time: products of numbers that are read once.
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

/** The largest of the products of two vectors of that length from `x` on with the four from `y` on, in magnitude. */
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

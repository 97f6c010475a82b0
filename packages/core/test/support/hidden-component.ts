import type { CanonicalCsr } from '../../src/data/blocks/csr.js';
import { random } from '../../src/linalg/random.js';
import { axpy, dot, norm, scale } from '../../src/linalg/vector.js';

/** Number of nonzero entries of the hidden axis. */
const TAKES = 60;
/** Variances of other single columns. */
const SINGLES = [0.16, 0.09, 0.04, 0.01];

/** A unit vector (length d) with entries in the first columns, orthogonal to the random vectors that an iteration starts from. */
export function orthogonalToStart(seed: number, d: number, block: number, drawn = seed + 1): Float64Array {
  const start = new Float64Array(block * d).map(random(seed).normal);
  const [axis, rows] = [new Float64Array(d), new Float64Array(block * TAKES)];
  const own = axis.subarray(0, TAKES).map(random(drawn).normal);
  for (let r = 0; r < block; r++) rows.set(start.subarray(r * d, r * d + TAKES), r * TAKES);
  for (let round = 0; round < 3; round++) {
    for (let r = 0; r < block; r++) {
      const [at, length] = [r * TAKES, TAKES];
      // Gram–Schmidt of the start, as in the solver.
      if (round === 0) {
        for (let before = 0; before < r; before++)
          axpy(-dot(rows, at, rows, before * TAKES, length), rows, before * TAKES, rows, at, length);
        scale(1 / norm(rows, at, length), rows, at, length);
      }
      axpy(-dot(own, 0, rows, at, length), rows, at, own, 0, length);
    }
    scale(1 / norm(own), own);
  }
  axis.set(own);
  return axis;
}

/** Rows ±√(dλ/2)·v for the variances (ddof 0) of the hidden axis, 1, and of single columns, so that S is known and the mean is 0. */
export function hiddenComponent(axis: Float64Array): CanonicalCsr {
  const d = axis.length;
  const indptr = [0];
  const indices: number[] = [];
  const data: number[] = [];
  const n = 2 * (1 + SINGLES.length);
  const add = (columns: readonly number[], values: readonly number[]): void => {
    for (const sign of [1, -1]) {
      indices.push(...columns);
      data.push(...values.map((value) => sign * value));
      indptr.push(indices.length);
    }
  };
  add(
    Array.from({ length: TAKES }, (_, j) => j),
    Array.from(axis.subarray(0, TAKES), (value) => Math.sqrt(n / 2) * value),
  );
  SINGLES.forEach((variance, i) => {
    add([TAKES + i], [Math.sqrt((n / 2) * variance)]);
  });
  return {
    ...{ rows: n, cols: d, indptr: Int32Array.from(indptr) },
    ...{ indices: Int32Array.from(indices), data: Float64Array.from(data) },
  };
}

export function toDense<Type extends Float64Array | Float32Array>(
  { rows, cols, indptr, indices, data }: CanonicalCsr,
  type: new (length: number) => Type,
): { rows: number; cols: number; data: Type } {
  const out = new type(rows * cols);
  for (let i = 0; i < rows; i++)
    for (let at = indptr[i]; at < indptr[i + 1]; at++) out[i * cols + indices[at]] = data[at];
  return { rows, cols, data: out };
}

import fc from 'fast-check';
import { runTaskSync } from '../../src/base/progress.js';
import type { CsrMatrix, Matrix } from '../../src/index.js';
import { orthonormalise } from '../../src/linalg/orthonormalise.js';
import { random } from '../../src/linalg/random.js';
import { EXACT_SOLVERS } from '../../src/solvers/names.js';

/** Rows with the given singular values (up to sampling of the mean), plus an offset per column. */
export function withSpectrum(
  n: number,
  d: number,
  spectrum: (i: number) => number,
  {
    seed = 1,
    offset = (_) => 0,
    scale = (_) => 1,
  }: { seed?: number; offset?: (column: number) => number; scale?: (column: number) => number } = {},
): number[][] {
  const rng = random(seed);
  const rank = Math.min(n - 1, d);
  // The left vectors are orthogonal to 1, so the spectrum is exactly that of the centred data.
  const left = new Float64Array((rank + 1) * n).map(() => rng.normal());
  left.fill(1, 0, n);
  runTaskSync(orthonormalise(left, rank + 1, n, rng));
  const right = new Float64Array(rank * d).map(() => rng.normal());
  runTaskSync(orthonormalise(right, rank, d, rng));
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: d }, (_, j) => {
      let sum = 0;
      for (let r = 0; r < rank; r++) sum += left[(r + 1) * n + i] * spectrum(r) * right[r * d + j];
      return sum * scale(j) + offset(j);
    }),
  );
}

export function toMatrix(rows: readonly (readonly number[])[], float32 = false): Matrix {
  const flat = rows.flat();
  return { rows: rows.length, cols: rows[0].length, data: float32 ? Float32Array.from(flat) : Float64Array.from(flat) };
}

export function toCsr(rows: readonly (readonly number[])[], float32 = false): CsrMatrix {
  const indptr = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    row.forEach((value, j) => {
      if (value === 0) return;
      indices.push(j);
      values.push(value);
    });
    indptr.push(indices.length);
  }
  return {
    rows: rows.length,
    cols: rows[0].length,
    indptr: Int32Array.from(indptr),
    indices: Int32Array.from(indices),
    data: float32 ? Float32Array.from(values) : Float64Array.from(values),
  };
}

/** Random tables for properties: any shape, offset, spread and rank; n ≥ 2. */
export const tables = fc
  .record({
    n: fc.integer({ min: 2, max: 24 }),
    d: fc.integer({ min: 1, max: 12 }),
    seed: fc.integer(),
    decay: fc.constantFrom(0.3, 0.7, 0.95),
    offset: fc.constantFrom(0, 1, -1e3, 1e6),
    spread: fc.constantFrom(1, 1e-6, 1e6),
  })
  .map(({ n, d, seed, decay, offset, spread }) => {
    const { normal } = random(seed);
    return Array.from({ length: n }, () => {
      const row = Array.from({ length: d }, (_, j) => spread * (normal() * decay ** j + offset));
      for (let j = 1; j < d; j++) row[j] += 0.5 * (row[j - 1] - spread * offset);
      return row;
    });
  });

export const solverNames = EXACT_SOLVERS;

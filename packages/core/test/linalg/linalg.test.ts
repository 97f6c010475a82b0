import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { principalAngles } from '../../../analysis/src/compare/principal-angles.js';
import { runTaskSync } from '../../src/base/progress.js';
import { orthonormalise } from '../../src/linalg/orthonormalise.js';
import { orthonormalityDefect } from '../../src/linalg/orthonormality.js';
import { rotatedOnto } from '../../src/linalg/procrustes.js';
import { absorbRows, qr } from '../../src/linalg/qr.js';
import { random } from '../../src/linalg/random.js';
import { svd } from '../../src/linalg/svd.js';
import { symmetricEigen } from '../../src/linalg/symmetric-eigen.js';
import { transpose } from '../../src/linalg/transpose.js';
import { maxAbs } from '../../src/linalg/vector.js';

const EPS = Number.EPSILON;

function multiply(a: Float64Array, b: Float64Array, rows: number, inner: number, cols: number): Float64Array {
  const out = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < inner; l++)
      for (let j = 0; j < cols; j++) out[i * cols + j] += a[i * inner + l] * b[l * cols + j];
  return out;
}

function difference(a: Float64Array, b: Float64Array): number {
  return maxAbs(a.map((x, i) => x - b[i]));
}

/** Difficult matrices for decompositions: graded, rank-deficient, clustered, zero, tiny and huge. */
const trouble = fc.record({
  rows: fc.integer({ min: 1, max: 14 }),
  cols: fc.integer({ min: 1, max: 14 }),
  seed: fc.integer(),
  rank: fc.integer({ min: 0, max: 14 }),
  grade: fc.constantFrom(0, 0.5, 2, 6),
  magnitude: fc.constantFrom(1, 1e-150, 1e150, 1e-300, 1e300, 1e-312),
});
type Trouble = { rows: number; cols: number; seed: number; rank: number; grade: number; magnitude: number };

function build({ rows, cols, seed, rank, grade, magnitude }: Trouble): Float64Array {
  const { normal } = random(seed);
  const r = Math.min(rank, rows, cols);
  const u = Float64Array.from({ length: rows * r }, normal);
  const v = Float64Array.from({ length: r * cols }, (_, i) => normal() * 10 ** (-grade * Math.floor(i / cols)));
  return multiply(u, v, rows, r, cols).map((x) => x * magnitude);
}

describe('qr', () => {
  it('expresses vectors of any rank in an orthonormal basis with triangular coefficients', () => {
    fc.assert(
      fc.property(trouble, (shape) => {
        const length = Math.max(shape.rows, shape.cols);
        const count = Math.min(shape.rows, shape.cols);
        const a = build({ ...shape, rows: count, cols: length });
        const { q, r } = runTaskSync(qr(a, count, length));
        const product = multiply(transpose(r, count, count), q, count, count, length);
        expect(difference(product, a)).toBeLessThanOrEqual(100 * EPS * maxAbs(a) + 5e-323);
        expect(orthonormalityDefect(q, count, length)).toBeLessThan(100 * EPS);
        for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) expect(r[i * count + j]).toBe(0);
      }),
    );
  });

  it('updates a factor tile by tile to the factor of all rows', () => {
    fc.assert(
      fc.property(trouble, fc.integer({ min: 1, max: 5 }), (shape, tileRows) => {
        const { rows, cols } = shape;
        const a = build({ ...shape, magnitude: 1 });
        const r = new Float64Array(cols * cols);
        for (let from = 0; from < rows; from += tileRows) {
          const to = Math.min(rows, from + tileRows);
          runTaskSync(absorbRows(r, cols, transpose(a.subarray(from * cols, to * cols), to - from, cols), to - from));
        }
        const gram = multiply(transpose(a, rows, cols), a, cols, rows, cols);
        const squared = multiply(transpose(r, cols, cols), r, cols, cols, cols);
        expect(difference(gram, squared)).toBeLessThanOrEqual(1000 * EPS * maxAbs(gram));
      }),
    );
  });

  it('updates a factor for columns of sizes from 1e-250 to 1, each to its last digits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -250, max: 0 }), { minLength: 1, maxLength: 7 }), (exponents) => {
        const [rows, cols] = [20, exponents.length];
        const a = Float64Array.from(
          { length: rows * cols },
          (_, at) => Math.sin(at * at + 1) * 10 ** exponents[at % cols],
        );
        const r = new Float64Array(cols * cols);
        for (const from of [0, 8]) {
          const to = from === 0 ? 8 : rows;
          runTaskSync(absorbRows(r, cols, transpose(a.subarray(from * cols, to * cols), to - from, cols), to - from));
        }
        const length = (x: Float64Array, j: number): number => Math.hypot(...x.filter((_, at) => at % cols === j));
        for (let j = 0; j < cols; j++) {
          expect(Math.abs(length(r, j) / length(a, j) - 1)).toBeLessThan(200 * EPS);
        }
      }),
    );
  });
});

describe('svd', () => {
  it('gives A = UΣVᵀ with orthonormal vectors and decreasing values, for every shape and rank', () => {
    fc.assert(
      fc.property(trouble, (shape) => {
        const { rows, cols } = shape;
        const a = build(shape);
        const { values, left, right } = svd(a, rows, cols);
        const count = Math.min(rows, cols);
        expect(values.length).toBe(count);
        const scaled = Float64Array.from(left, (x, i) => x * values[Math.floor(i / rows)]);
        const product = multiply(transpose(scaled, count, rows), right, rows, count, cols);
        expect(difference(product, a)).toBeLessThanOrEqual(200 * EPS * maxAbs(a) + 5e-323);
        expect(orthonormalityDefect(left, count, rows)).toBeLessThan(200 * EPS);
        expect(orthonormalityDefect(right, count, cols)).toBeLessThan(200 * EPS);
        for (let i = 0; i < count; i++) {
          expect(values[i]).toBeGreaterThanOrEqual(0);
          if (i > 0) expect(values[i]).toBeLessThanOrEqual(values[i - 1]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds singular values far below the largest, which are lost if A is squared', () => {
    // Hilbert matrix of order 8: σ₈ ≈ 1.1e-10·… its determinant is the product of the singular values.
    const n = 8;
    const hilbert = Float64Array.from({ length: n * n }, (_, i) => 1 / (Math.floor(i / n) + (i % n) + 1));
    const { values } = svd(hilbert, n, n);
    const determinant = values.reduce((product, value) => product * value, 1);
    // det = c⁴/c₂ₙ with c₈ = 1!·2!⋯7!: 2.737050113791514e-33 (public value).
    expect(Math.abs(determinant / 2.737050113791514e-33 - 1)).toBeLessThan(1e-5);
  });
});

describe('symmetricEigen', () => {
  const symmetric = (shape: Trouble): Float64Array => {
    const { rows, cols } = shape;
    const a = build({ ...shape, magnitude: 1 });
    const unit = Math.abs(shape.magnitude);
    return multiply(transpose(a, rows, cols), a, cols, rows, cols).map((x) => x * unit);
  };

  it('gives AV = VΛ with orthonormal V for any number of vectors', () => {
    fc.assert(
      fc.property(trouble, fc.double({ min: 0, max: 1, noNaN: true }), (shape, share) => {
        const n = shape.cols;
        const a = symmetric(shape);
        const count = Math.max(1, Math.round(share * n));
        const { values, vectors } = runTaskSync(symmetricEigen(a.slice(), n, count));
        const av = multiply(vectors, a, count, n, n);
        const lv = vectors.map((x, i) => x * values[Math.floor(i / n)]);
        expect(difference(av, lv)).toBeLessThanOrEqual(500 * EPS * maxAbs(a) + 1e-322);
        expect(orthonormalityDefect(vectors, count, n)).toBeLessThan(500 * EPS);
        const trace = values.reduce((sum, value) => sum + value, 0);
        let diagonal = 0;
        for (let i = 0; i < n; i++) diagonal += a[i * n + i];
        expect(Math.abs(trace - diagonal)).toBeLessThanOrEqual(500 * EPS * Math.abs(diagonal) + 1e-321);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps vectors orthonormal when eigenvalues repeat, cluster or split the matrix', () => {
    const n = 60;
    const spectra: Record<string, (i: number) => number> = {
      identity: () => 1,
      'three values': (i) => 1 + (i % 3),
      'a tight cluster': (i) => 1 + i * 1e-14,
      'a loose cluster': (i) => 1 + i * 1e-7,
      'gaps at the limit of a cluster': (i) => 1 + i * 1e-6,
      'pairs at the limit of a cluster': (i) => 1 + (i >> 1) * 1e-3 + (i % 2) * 1e-6,
      geometric: (i) => 10 ** (-i / 4),
    };
    for (const [name, spectrum] of Object.entries(spectra)) {
      const { normal } = random(7);
      const q = Float64Array.from({ length: n * n }, normal);
      runTaskSync(orthonormalise(q, n, n, random(8)));
      const scaled = q.map((x, i) => x * spectrum(Math.floor(i / n)));
      const a = multiply(transpose(q, n, n), scaled, n, n, n);
      for (const count of [1, 5, 20, 30, 31, 60]) {
        const { values, vectors } = runTaskSync(symmetricEigen(a.slice(), n, count));
        const av = multiply(vectors, a, count, n, n);
        const lv = vectors.map((x, i) => x * values[Math.floor(i / n)]);
        expect(difference(av, lv), `${name}, ${count}`).toBeLessThan(1e-13 * maxAbs(a));
        expect(orthonormalityDefect(vectors, count, n), `${name}, ${count}`).toBeLessThan(2e-14);
      }
    }
  });

  it('converges on a large null space, whose block of the tridiagonal matrix is pure rounding', () => {
    const [n, rank] = [400, 40];
    for (let seed = 1; seed <= 6; seed++) {
      const { normal } = random(seed);
      const b = Float64Array.from({ length: n * rank }, normal);
      for (let i = 0; i < n; i++) for (let j = 1; j < rank; j++) b[i * rank + j] += 0.5 * b[i * rank + j - 1];
      const a = multiply(b, transpose(b, n, rank), n, rank, n);
      const { values } = runTaskSync(symmetricEigen(a, n, 3));
      for (let i = rank; i < n; i++) expect(Math.abs(values[i])).toBeLessThan(1e-13 * values[0]);
      expect(values[rank - 1]).toBeGreaterThan(0.01 * values[0]);
      const singular = svd(multiply(b, transpose(b, n, rank), n, rank, n), n, n).values;
      for (let i = 0; i < n; i++) expect(Math.abs(singular[i] - Math.abs(values[i]))).toBeLessThan(1e-13 * values[0]);
    }
  });

  it('solves the second difference matrix, whose eigenvalues are 2 − 2cos(πj/(n+1))', () => {
    const n = 50;
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      a[i * n + i] = 2;
      if (i + 1 < n) a[i * n + i + 1] = -1;
    }
    const { values } = runTaskSync(symmetricEigen(a, n, 0));
    for (let j = 0; j < n; j++) {
      expect(Math.abs(values[j] - (2 - 2 * Math.cos((Math.PI * (n - j)) / (n + 1))))).toBeLessThan(1e-14);
    }
  });
});

describe('orthonormalise', () => {
  it('handles vectors that nearly or fully depend on each other', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 1e-15, 1e-12, 1e-8, 1), (seed, nudge) => {
        const rng = random(seed);
        const [count, length] = [6, 9];
        const rows = new Float64Array(count * length);
        for (let i = 0; i < length; i++) rows[i] = rng.normal();
        for (let r = 1; r < count; r++)
          for (let i = 0; i < length; i++) rows[r * length + i] = rows[i] + nudge * rng.normal();
        const independent = runTaskSync(orthonormalise(rows, count, length, rng));
        expect(orthonormalityDefect(rows, count, length)).toBeLessThan(20 * EPS);
        if (nudge === 0) expect(independent).toBe(1);
        if (nudge === 1) expect(independent).toBe(count);
      }),
    );
  });
});

describe('principalAngles', () => {
  it('reads strides, ignores dependent rows, accepts any number of rows, and rejects invalid subspaces', () => {
    const plane = { rows: 2, cols: 3, data: Float64Array.of(1, 0, 0, 0, 1, 0) };
    const strided = { rows: 2, cols: 3, stride: 4, data: Float64Array.of(1, 0, 0, 9, 0, 1, 0) };
    expect(Math.max(...principalAngles(plane, strided))).toBeLessThan(1e-15);
    const doubled = { rows: 2, cols: 3, data: Float32Array.of(1, 0, 0, 2, 0, 0) };
    expect(Array.from(principalAngles(doubled, { rows: 1, cols: 3, data: Float64Array.of(0, 1, 0) }))).toEqual([
      Math.PI / 2,
    ]);
    const three = { rows: 3, cols: 2, data: Float64Array.of(1, 0, 0, 1, 1, 1) };
    expect(principalAngles(three, { rows: 1, cols: 2, data: Float64Array.of(1, 2) })[0]).toBeLessThan(1e-15);
    expect(() => principalAngles(plane, three)).toThrow(/3 and 2 dimensions/);
    expect(() => principalAngles(plane, { ...plane, data: plane.data.map(() => Number.NaN) })).toThrow(/not finite/);
  });

  it('measures a known rotation, however small, and ignores the choice of basis', () => {
    fc.assert(
      fc.property(fc.double({ min: -14, max: 0, noNaN: true }), fc.integer(), (exponent, seed) => {
        const angle = 10 ** exponent;
        const a = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0]);
        const { normal } = random(seed);
        // Spans e₁ and cos·e₂ + sin·e₃, mixed by a random invertible 2×2.
        const turned = [1, 0, 0, 0, 0, Math.cos(angle), Math.sin(angle), 0];
        const mix = [2 + normal() * 0.1, normal() * 0.1, normal() * 0.1, 1];
        const b = Float64Array.from({ length: 8 }, (_, i) => {
          const [r, c] = [Math.floor(i / 4), i % 4];
          return mix[r * 2] * turned[c] + mix[r * 2 + 1] * turned[4 + c];
        });
        const angles = principalAngles({ rows: 2, cols: 4, data: a }, { rows: 2, cols: 4, data: b });
        expect(Math.abs(angles[1] - angle)).toBeLessThan(1e-15 + 1e-14 * angle + 4e-16);
        expect(angles[0]).toBeLessThan(1e-15);
      }),
    );
  });
});

describe('Procrustes', () => {
  it('finds the rotation or reflection between two sets of points, also for points on a line', () => {
    const { normal } = random(3);
    for (const [n, k, rank] of [
      [20, 2, 2],
      [20, 3, 3],
      [20, 2, 1],
      [5, 4, 2],
    ]) {
      const z = new Float64Array(n * k).map((_, at) => (at % k < rank ? normal() : 0));
      for (const mirrored of [false, true]) {
        const q = new Float64Array(k * k).map(normal);
        runTaskSync(orthonormalise(q, k, k, random(4)));
        if (mirrored) for (let j = 0; j < k; j++) q[j] *= -1;
        const y = multiply(z, q, n, k, k);
        expect(difference(rotatedOnto(z, y, n, k), y)).toBeLessThan(1e-13);
      }
    }
  });
});

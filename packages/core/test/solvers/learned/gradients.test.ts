import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runTaskSync } from '../../../src/base/progress.js';
import { type AutoencoderTerms, autoencoderTerms, descend } from '../../../src/learn/index.js';
import { randomRows } from '../../../src/linalg/orthonormalise.js';
import { random } from '../../../src/linalg/random.js';
import { rowProducts } from '../../../src/linalg/row-products.js';
import { hebbianDirection, meanTerms } from '../../../src/solvers/learned/mean-terms.js';

/** ∂f/∂θᵢ by central differences. */
function numericalGradient(f: (theta: Float64Array) => number, at: Float64Array): Float64Array {
  const h = 1e-5;
  return at.map((value, i) => {
    const moved = at.slice();
    moved[i] = value + h;
    const above = f(moved);
    moved[i] = value - h;
    return (above - f(moved)) / (2 * h);
  });
}

function largestGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let gap = 0;
  for (let i = 0; i < a.length; i++) gap = Math.max(gap, Math.abs(a[i] - b[i]));
  return gap;
}

const shapes = fc.record({
  k: fc.integer({ min: 1, max: 4 }),
  extra: fc.integer({ min: 0, max: 5 }),
  n: fc.integer({ min: 1, max: 7 }),
  seed: fc.integer(),
});

const normals = (length: number, seed: number): Float64Array => new Float64Array(length).map(random(seed).normal);

/** C = Σxxᵀ/n and N = WC, entry by entry. */
function scatterTimes(
  weights: Float64Array,
  rows: Float64Array,
  k: number,
  n: number,
  d: number,
): { image: Float64Array; trace: number } {
  const image = new Float64Array(k * d);
  let trace = 0;
  for (let i = 0; i < n; i++) {
    const x = rows.subarray(i * d, (i + 1) * d);
    for (let a = 0; a < k; a++) {
      const y = x.reduce((sum, value, j) => sum + value * weights[a * d + j], 0);
      for (let b = 0; b < d; b++) image[a * d + b] += (y * x[b]) / n;
    }
    trace += x.reduce((sum, value) => sum + value * value, 0) / n;
  }
  return { image, trace };
}

describe('the linear autoencoder', () => {
  it('has the gradient that central differences give, for both terms', () => {
    fc.assert(
      fc.property(shapes, ({ k, extra, seed }) => {
        const d = k + extra;
        const [w, x] = [normals(k * d, seed), normals(d, seed + 1)];
        const at = (data: Float64Array): AutoencoderTerms => autoencoderTerms({ rows: k, cols: d, data }, x);
        const terms = at(w);
        const reconstruction = numericalGradient((v) => at(v).reconstruction, w);
        const orthogonality = numericalGradient((v) => at(v).orthogonality, w);
        const size = 1 + Math.max(...reconstruction.map(Math.abs), ...orthogonality.map(Math.abs));
        expect(largestGap(terms.reconstructionGradient, reconstruction)).toBeLessThan(1e-7 * size);
        expect(largestGap(terms.orthogonalityGradient, orthogonality)).toBeLessThan(1e-7 * size);
      }),
    );
  });

  it('can be averaged over rows from their scatter alone', () => {
    fc.assert(
      fc.property(shapes, fc.constantFrom(0, 0.3, 0.9), ({ k, extra, n, seed }, alpha) => {
        const d = k + extra;
        const w = normals(k * d, seed);
        const rows = normals(n * d, seed + 1);
        const { image, trace } = scatterTimes(w, rows, k, n, d);
        const mean = runTaskSync(meanTerms(w, image, trace, alpha, k, d));
        const gradient = new Float64Array(k * d);
        let loss = 0;
        for (let i = 0; i < n; i++) {
          const one = autoencoderTerms({ rows: k, cols: d, data: w }, rows.slice(i * d, (i + 1) * d));
          loss += one.reconstruction / n;
          for (let at = 0; at < gradient.length; at++) {
            gradient[at] += ((1 - alpha) * one.reconstructionGradient[at] + alpha * one.orthogonalityGradient[at]) / n;
          }
        }
        const size = 1 + Math.max(...gradient.map(Math.abs));
        expect(Math.abs(mean.reconstruction - loss)).toBeLessThan(1e-12 * (1 + loss + trace));
        expect(largestGap(mean.gradient, gradient)).toBeLessThan(1e-12 * size);
      }),
    );
  });

  it('names its terms as they are defined', () => {
    const w = { rows: 2, cols: 3, data: Float64Array.of(1, 2, 0, 0, 1, 3) };
    const { y, xRec, yRec, wRec, orthogonality } = autoencoderTerms(w, [1, 1, -1]);
    expect(() => autoencoderTerms(w, [1, 2])).toThrow(/W is 2 × 3/);
    expect(Array.from(y)).toEqual([3, -2]);
    expect(Array.from(xRec)).toEqual([3, 4, -6]);
    expect(Array.from(yRec)).toEqual([11, -14]);
    // WWᵀ = [[5, 2], [2, 10]].
    expect(Array.from(wRec)).toEqual([5, 12, 6, 2, 14, 30]);
    expect(orthogonality).toBe(16 + 4 + 4 + 81);
  });

  it("is what Oja's subspace rule descends on, where W is orthonormal, and not elsewhere", () => {
    fc.assert(
      fc.property(shapes, ({ k, extra, n, seed }) => {
        const d = k + extra + 1;
        const rows = normals(n * d, seed + 1);
        const gapAt = (w: Float64Array): number => {
          const { image, trace } = scatterTimes(w, rows, k, n, d);
          const { gradient } = runTaskSync(meanTerms(w, image, trace, 0, k, d));
          const size = Math.max(...image.map(Math.abs));
          const m = rowProducts(image, k, w, k, d);
          const oja = runTaskSync(hebbianDirection('subspace', w, image, m, k, d));
          return (
            largestGap(
              oja,
              gradient.map((value) => -value / 2),
            ) / size
          );
        };
        const w = randomRows(k, d, random(seed));
        expect(gapAt(w)).toBeLessThan(1e-12);
        expect(gapAt(w.map((value) => 1.1 * value))).toBeGreaterThan(1e-3);
      }),
    );
  });
});

describe('forces on points', () => {
  /** f(Y) = ‖L(Eˣ − Eʸ)L‖², as it is written: squared distances, then row means and column means taken off. */
  function lossByDefinition(x: Float64Array, y: Float64Array, n: number, d: number, k: number): number {
    const distances = (rows: Float64Array, length: number): number[][] =>
      Array.from({ length: n }, (_, i) =>
        Array.from({ length: n }, (_, j) => {
          let sum = 0;
          for (let c = 0; c < length; c++) sum += (rows[i * length + c] - rows[j * length + c]) ** 2;
          return sum;
        }),
      );
    const [ex, ey] = [distances(x, d), distances(y, k)];
    const e = ex.map((row, i) => row.map((value, j) => value - ey[i][j]));
    const rowMeans = e.map((row) => row.reduce((a, b) => a + b, 0) / n);
    const lessRows = e.map((row, i) => row.map((value) => value - rowMeans[i]));
    const columnMeans = lessRows[0].map((_, j) => lessRows.reduce((sum, row) => sum + row[j], 0) / n);
    return lessRows.reduce((sum, row) => sum + row.reduce((s, value, j) => s + (value - columnMeans[j]) ** 2, 0), 0);
  }

  it('are −1/8 of the exact gradient, and the same for both rules', () => {
    const [n, d, k] = [9, 4, 2];
    for (const seed of [1, 2, 3]) {
      const data = { rows: n, cols: d, data: normals(n * d, seed) };
      // One plain step moves Y by η/2·(F_X − F_Y) = −η/16·∇f, in units of σ₁ = 1.
      const step = 0.125;
      for (const rule of ['pairwise', 'factored'] as const) {
        const run = descend(data, { rule, k, step, descent: 'plain', seed });
        const [before, after] = [run.next().value, run.next().value];
        if (!before || !after) throw new Error('there are two epochs');
        const [y, moved] = [before.scores().data, after.scores().data];
        const gradient = numericalGradient((v) => lossByDefinition(data.data, v, n, d, k), y);
        const sigma = Math.sqrt(lossByDefinition(data.data, y, n, d, k) / before.loss) ** 0.5;
        const expected = gradient.map((value) => (-step * value) / 16 / sigma ** 2);
        const way = moved.map((value, at) => value - y[at]);
        expect(largestGap(way, expected)).toBeLessThan(1e-6 * Math.max(...expected.map(Math.abs)));
      }
    }
  });

  it('add up to the total force on each point', () => {
    const [n, d] = [12, 5];
    const run = descend(
      { rows: n, cols: d, data: normals(n * d, 4) },
      { rule: 'pairwise', descent: 'plain', step: 0.2 },
    );
    const [before, after] = [run.next().value, run.next().value];
    if (!before || !after) throw new Error('there are two epochs');
    const [y, moved] = [before.scores().data, after.scores().data];
    const attraction = [0, 0];
    for (let i = 0; i < n; i++) {
      const forces = before.forces(i);
      for (let c = 0; c < 2; c++) {
        const force = forces.attraction[c] + forces.repulsion[c];
        expect(moved[i * 2 + c] - y[i * 2 + c]).toBeCloseTo(0.1 * force, 10);
        attraction[c] += forces.attraction[c];
      }
    }
    // The forces between i and j are opposite, so the sum of all attractions is zero.
    expect(Math.hypot(...attraction)).toBeLessThan(1e-10);
  });
});

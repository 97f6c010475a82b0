import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/sample.js';
import { pca } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { solverNames, toMatrix, withSpectrum } from '../support/data.js';
import { exactPca } from '../support/double-double.js';

/** Problems of many kinds, small enough for 32-digit arithmetic. */
const problems = fc
  .record({
    n: fc.integer({ min: 2, max: 12 }),
    d: fc.integer({ min: 1, max: 5 }),
    seed: fc.integer(),
    spectrum: fc.constantFrom(
      (i: number) => 0.5 ** i,
      (i: number) => 10 ** (-3 * i),
      (i: number) => (i < 2 ? 1 : 0.1),
      (i: number) => 1 + i * 1e-9,
      (i: number) => (i < 2 ? 1 : 0),
    ),
    offset: fc.constantFrom(0, 1, 1e4, 1e8),
    noise: fc.constantFrom(0, 1e-12, 1e-3),
  })
  .map(({ n, d, seed, spectrum, offset, noise }) => {
    const { normal } = random(seed);
    return withSpectrum(n, d, spectrum, { seed, offset: (j) => offset * (1 + j) }).map((row) =>
      row.map((x) => x + noise * normal()),
    );
  });

describe('the certificate holds', () => {
  it.each(solverNames)('%s: on hundreds of random problems no error exceeds its bound', async (solver) => {
    let sharp = 0;
    let axes = 0;
    await fc.assert(
      fc.asyncProperty(problems, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (rows, wanted, weighted) => {
        const k = Math.min(wanted, rows.length, rows[0].length);
        const weights = rows.map((_, i) => (weighted ? 1 + (i % 3) : 1));
        const truth = exactPca(rows, weights);
        const model = await pca(rows, { k, solver, weights });
        for (let i = 0; i < k; i++) {
          const { varianceBounds, angleBounds } = model.certificate;
          const error = Math.abs(model.variances[i] - truth.values[i]);
          expect(error, `variance ${i}`).toBeLessThanOrEqual(varianceBounds[i]);
          axes++;
          if (varianceBounds[i] <= 1e-9 * model.variances[0]) sharp++;
          // The sine of the angle, computed from the part outside the true axis, is accurate for small angles.
          const v = model.components.data.slice(i * model.d, (i + 1) * model.d);
          const w = truth.vectors[i];
          const along = w.reduce((sum, x, j) => sum + x * v[j], 0);
          const sine = Math.hypot(...w.map((x, j) => v[j] - along * x));
          expect(Math.asin(Math.min(1, sine)), `angle ${i}`).toBeLessThanOrEqual(angleBounds[i] + 4e-16);
        }
      }),
      { numRuns: runs(500, 2000) },
    );
    // Infinite bounds would hold too, so nearly all bounds must be useful.
    expect(sharp / axes).toBeGreaterThan(0.99);
  });

  it.each(solverNames.filter((name) => name !== 'dual'))(
    '%s: columns of zeros and ones, whose sums round the same way every time',
    async (solver) => {
      for (const [n, ones] of [
        [1000, 50],
        [2000, 90],
        [20000, 700],
        [100000, 33333],
      ]) {
        const data = new Float64Array(n).fill(1, 0, ones);
        const exact = (ones * (n - ones)) / n / (n - 1);
        const model = await pca({ rows: n, cols: 1, data }, { solver, k: 1 });
        expect(Math.abs(model.variances[0] - exact)).toBeLessThanOrEqual(model.certificate.varianceBounds[0]);
        expect(model.certificate.varianceBounds[0]).toBeLessThan(1e-11);
      }
    },
  );

  it.each(solverNames.filter((name) => name !== 'dual'))(
    '%s: one-hot columns have one direction too many',
    async (solver) => {
      const { uniform } = random(4);
      const n = 30000;
      const data = new Float64Array(n * 3);
      for (let i = 0; i < n; i++) data[i * 3 + Math.floor(uniform() * 3)] = 1;
      const model = await pca({ rows: n, cols: 3, data }, { solver, k: 3 });
      expect(model.uniqueness.rank).toBe(2);
    },
  );

  it.each(solverNames.filter((name) => name !== 'dual'))(
    '%s: unit scaling makes a variance of 1 within the bound',
    async (solver) => {
      const n = 100000;
      const data = Float64Array.from({ length: n }, (_, i) => (i % 2 ? 0.3 : -0.3));
      const model = await pca({ rows: n, cols: 1, data }, { solver, k: 1, scale: 'unit' });
      expect(Math.abs(model.variances[0] - 1)).toBeLessThanOrEqual(model.certificate.varianceBounds[0]);
      expect(model.varianceRatios[0]).toBeGreaterThan(1 - 1e-12);
    },
  );

  it('covariance: blocks far from the origin, whose means are rounded before they are merged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.constantFrom(1, 1e4, 1e8), fc.boolean(), async (seed, offset, weighted) => {
        const rows = withSpectrum(40, 3, (i) => 0.5 ** i, { seed, offset: (j) => offset * (1 + j) });
        const weights = rows.map((_, i) => (weighted ? 1 + (i % 3) : 1));
        const truth = exactPca(rows, weights);
        const blocks = Array.from({ length: 8 }, (_, b) => toMatrix(rows.slice(5 * b, 5 * b + 5)));
        const model = await pca(blocks, { k: 3, solver: 'covariance', weights });
        for (let i = 0; i < 3; i++) {
          const error = Math.abs(model.variances[i] - truth.values[i]);
          expect(error).toBeLessThanOrEqual(model.certificate.varianceBounds[i]);
          expect(model.certificate.varianceBounds[i]).toBeLessThan((1e-12 + 1e-13 * offset) * model.totalVariance);
        }
      }),
    );
  });

  it('krylov: clusters, repeated and flat spectra in more dimensions than its basis has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 60 }),
        fc.integer(),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom<(i: number) => number>(
          (i) => 1 + i * 1e-9,
          (i) => 1 - i * 1e-10,
          (i) => 1 - i * 1e-7,
          (i) => (i < 12 ? 1 : 0.5),
          (i) => (i < 6 ? 1 - i * 1e-11 : 0.9),
          (i) => 1 - 0.01 * i,
          (i) => 0.8 ** i,
        ),
        fc.constantFrom(1e-3, 1e-6, 1e-10, 1e-13),
        async (d, seed, k, spectrum, tolerance) => {
          const rows = withSpectrum(d + 5, d, spectrum, { seed });
          const truth = await pca(rows, { k, solver: 'svd' });
          const model = await pca(rows, { k, solver: 'krylov', tolerance, seed });
          for (let i = 0; i < k; i++) {
            const allowed = model.certificate.varianceBounds[i] + truth.certificate.varianceBounds[i];
            expect(Math.abs(model.variances[i] - truth.variances[i])).toBeLessThanOrEqual(allowed);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('residuals are those of the covariance, and orthonormality is measured', async () => {
    const rows = withSpectrum(40, 6, (i) => 3 - 0.4 * i);
    const { values } = exactPca(rows);
    for (const solver of solverNames) {
      const model = await pca(rows, { k: 6, solver });
      expect(Math.max(...model.certificate.residuals)).toBeLessThan(solver === 'krylov' ? 1e-10 : 1e-14);
      expect(model.certificate.orthonormality).toBeLessThan(1e-14);
      expect(Math.abs(model.variances[5] - values[5])).toBeLessThan(1e-13);
    }
  });

  it('krylov stops when its certificate meets the tolerance, and a looser tolerance costs fewer passes', async () => {
    const rows = withSpectrum(300, 120, (i) => 0.97 ** i);
    let phases = 0;
    const fit = async (tolerance: number) => {
      phases = 0;
      const onProgress = ({ phase, done }: { phase: string; done: number }) => {
        if (phase === 'passes over the data' && done === 0) phases++;
      };
      const model = await pca(rows, { k: 5, solver: 'krylov', tolerance, onProgress });
      expect(Math.max(...model.certificate.residuals)).toBeLessThanOrEqual(tolerance);
      return phases;
    };
    const tight = await fit(1e-12);
    const loose = await fit(1e-3);
    expect(loose).toBeLessThan(tight);
  });
});

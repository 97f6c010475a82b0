import { principalAngles } from '@scree/analysis';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/sample.js';
import { ConvergenceError, type LearnOptions, Model, pca } from '../../src/index.js';
import { withSpectrum } from '../support/data.js';

/**
 * Certificates of learned models for many kinds of data and tolerances: clusters, equal values, any k, starts that leave a direction out,
 * and models that did not converge. The exact answer is far more accurate than any bound here.
 */
const engineSetups: { solver: 'points' | 'autoencoder' | 'hebbian'; learn: LearnOptions }[] = [
  { solver: 'points', learn: {} },
  { solver: 'points', learn: { rule: 'pairwise', descent: 'plain' } },
  { solver: 'autoencoder', learn: {} },
  { solver: 'autoencoder', learn: { alpha: 0.5, descent: 'adam' } },
  { solver: 'autoencoder', learn: { batch: 4 } },
  { solver: 'hebbian', learn: {} },
  { solver: 'hebbian', learn: { rule: 'sanger', batch: 5 } },
  { solver: 'hebbian', learn: { epochs: 1 } },
];

const problems = fc.record({
  n: fc.integer({ min: 3, max: 30 }),
  d: fc.integer({ min: 2, max: 20 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  decay: fc.constantFrom(0.3, 0.7, 0.9, 0.99),
  steps: fc.constantFrom(1, 2, 3),
  rank: fc.integer({ min: 1, max: 20 }),
  seed: fc.integer({ min: 0, max: 1e6 }),
  setup: fc.constantFrom(...engineSetups),
  tolerance: fc.constantFrom(0.1, 1e-2, 1e-4, 1e-6),
  epochs: fc.constantFrom(1, 3, 20, 3000),
});

describe('certificates of learned models', () => {
  it('hold for every spectrum, converged or not', async () => {
    let checked = 0;
    const cases = runs(200, 600);
    await fc.assert(
      fc.asyncProperty(problems, async ({ n, d, share, decay, steps, rank, seed, setup, tolerance, epochs }) => {
        const most = Math.min(d, n - 1);
        const k = 1 + Math.floor(share * (most - 1));
        // Groups of `steps` equal values.
        const rows = withSpectrum(n, d, (i) => (i < rank ? 5 * decay ** (steps * Math.floor(i / steps)) : 0), { seed });
        const exact = await pca(rows, { k, solver: 'svd' });
        if (exact.totalVariance < 1e-20) return;
        const learn = { ...setup.learn, epochs: setup.learn.epochs ?? epochs };
        const model = await pca(rows, { k, seed, tolerance, solver: setup.solver, learn }).catch((error) => {
          if (error instanceof ConvergenceError && error.best instanceof Model) return error.best;
          throw error;
        });
        checked++;
        const { certificate, variances } = model;
        variances.forEach((variance, i) => {
          const error = Math.abs(variance - exact.variances[i]);
          expect(error).toBeLessThanOrEqual(certificate.varianceBounds[i] + 1e-12 * exact.variances[0]);
        });
        if (exact.uniqueness.subspace.determined) {
          const angles = principalAngles(model.components, exact.components);
          const slack = 10 * exact.certificate.subspaceAngleBound + 1e-9;
          expect(angles[angles.length - 1]).toBeLessThanOrEqual(certificate.subspaceAngleBound + slack);
        }
      }),
      { numRuns: cases },
    );
    expect(checked).toBeGreaterThan((5 / 6) * cases);
  });

  it('include a missed direction, or report that it could not be found in time', async () => {
    // Columns of similar size that never appear together: from a start near one column, learning takes long to find the other.
    const rows = Array.from({ length: 24 }, (_, i) => {
      const side = i % 4 < 2 ? 1 : -1;
      return i % 2 ? [side * 1.0000008, 0] : [0, side];
    });
    const exact = await pca(rows, { k: 1, solver: 'svd' });
    for (const solver of ['points', 'autoencoder', 'hebbian'] as const) {
      for (let seed = 0; seed < 10; seed++) {
        const model = await pca(rows, { k: 1, seed, solver }).catch((error) => error.best as Model);
        const error = Math.abs(exact.variances[0] - model.variances[0]);
        expect(error).toBeLessThanOrEqual(model.certificate.varianceBounds[0]);
      }
    }
    const spike = Array.from({ length: 200 }, (_, i) =>
      Array.from({ length: 40 }, (_, j) => (i === j ? 1 + 20 * (i === 3 ? 1 : 0) : 0)),
    );
    const error = await pca(spike, { k: 1, solver: 'hebbian', learn: { epochs: 2, step: 1e-6 } }).catch((e) => e);
    const truth = await pca(spike, { k: 1, solver: 'svd' });
    expect(error.message).toMatch(/a direction is still missing/);
    const gap = Math.abs(truth.variances[0] - error.best.variances[0]);
    expect(gap).toBeLessThanOrEqual(error.best.certificate.varianceBounds[0]);
  });
});

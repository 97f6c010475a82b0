import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Model, OptionError, type PcaOptions, pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { pcaSync } from '../src/pca-sync.js';

/** Random data of a type that matrices may have. */
function matrix(rows: number, cols: number, type: string, seed: number) {
  const { normal } = random(seed);
  const value = (at: number): number => normal() * (1 + (at % cols)) + 3;
  const length = rows * cols;
  if (type === 'float32') return { rows, cols, data: Float32Array.from({ length }, (_, at) => value(at)) };
  if (type === 'int16') return { rows, cols, data: Int16Array.from({ length }, (_, at) => 20 * value(at)) };
  if (type === 'rows')
    return Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => value(i * cols + j)));
  if (type === 'records')
    return Array.from({ length: rows }, (_, i) =>
      Object.fromEntries(Array.from({ length: cols }, (_, j) => [`c${j}`, value(i * cols + j)])),
    );
  return { rows, cols, data: Float64Array.from({ length }, (_, at) => value(at)) };
}

const text = (model: Model): string => JSON.stringify(model);

describe('pcaSync', () => {
  it('compiles and fits before anything was awaited', () => {
    const model = pcaSync({ rows: 4, cols: 2, data: Float64Array.of(1, 2, 3, 5, 4, 1, 0, 2) }, { k: 1 });
    expect(model.k).toBe(1);
    expect(model.plan).toMatchObject({ solver: 'svd', engine: 'reference' });
  });

  const cases = fc.record({
    rows: fc.integer({ min: 3, max: 300 }),
    cols: fc.integer({ min: 1, max: 120 }),
    type: fc.constantFrom('float64', 'float32', 'int16', 'rows', 'records'),
    seed: fc.nat(1000),
    scale: fc.constantFrom('none', 'unit', 'pareto', 'range'),
    center: fc.boolean(),
    whiten: fc.constantFrom(false, 'pca'),
    weighted: fc.boolean(),
    k: fc.constantFrom(1, 2, 0.9, 'all', undefined),
  });
  type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

  function prepare({ rows, cols, type, seed, k, weighted, ...options }: Case) {
    const { uniform } = random(seed + 1);
    const all = {
      ...options,
      ...(k === undefined ? {} : { k: typeof k === 'number' && k >= 1 ? Math.min(k, rows, cols) : k }),
      ...(weighted ? { weights: Array.from({ length: rows }, () => 0.5 + uniform()) } : {}),
    } as PcaOptions;
    return { data: matrix(rows, cols, type, seed), options: all };
  }

  it('gives the bits of pca for very small data, and its errors, for random shapes, types and options', async () => {
    const small = cases.map((given) => ({ ...given, rows: 3 + (given.rows % 60), cols: 1 + (given.cols % 12) }));
    await fc.assert(
      fc.asyncProperty(small, async (given) => {
        const { data, options } = prepare(given);
        const awaited = await pca(data, options).then(text, String);
        let at: string;
        try {
          at = text(pcaSync(data, options));
        } catch (error) {
          at = String(error);
        }
        expect(at === awaited, JSON.stringify(given)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('finds the subspace of the svd solver, within both certificates', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const { data, options } = prepare({ ...given, whiten: false });
        const exact = await pca(data, { ...options, solver: 'svd', engine: 'reference' });
        const model = pcaSync(data, { ...options, k: exact.k });
        model.variances.forEach((variance, i) => {
          const bound = model.certificate.varianceBounds[i] + exact.certificate.varianceBounds[i];
          expect(Math.abs(variance - exact.variances[i])).toBeLessThanOrEqual(bound);
        });
        expect(model.totalVariance / exact.totalVariance).toBeCloseTo(1, 12);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses what would have to wait, and names pca', () => {
    const small = { rows: 4, cols: 2, data: Float64Array.of(1, 2, 3, 5, 4, 1, 0, 2) };
    const refused = (data: unknown, options: PcaOptions, option: string): void => {
      let error: unknown;
      try {
        pcaSync(data as typeof small, options);
      } catch (reason) {
        error = reason;
      }
      expect(error).toBeInstanceOf(OptionError);
      expect(error).toMatchObject({ code: 'BAD_OPTION', details: { option } });
      expect(String(error)).toMatch(/Use pca, which takes the same arguments/);
    };
    refused({ rows: 1000, cols: 101, data: new Float64Array(101_000) }, {}, 'data');
    refused([[1, 2]].values(), {}, 'data');
    refused([small, small], {}, 'data');
    refused({ rows: 2, cols: 2, indptr: [0, 1, 2], indices: [0, 1], data: Float64Array.of(1, 2) }, {}, 'data');
    refused(small, { columnTransform: 'log1p' }, 'columnTransform');
    refused(small, { scale: 'median' }, 'scale');
    refused(small, { solver: 'points' }, 'solver');
    refused(small, { engine: 'blas' }, 'engine');
    refused(small, { solver: 'dual' }, 'solver');
    refused(small, { blocking: 'none' }, 'blocking');
    // Errors of options and data are those of pca.
    expect(() => pcaSync(small, { k: 3 })).toThrow(/k is 3, but 4 rows of 2 columns have at most 2 components/);
    expect(() => pcaSync([[1, Number.NaN]])).toThrow(/NaN/);
  });
});

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
    expect(model.plan.engine).toBe('wasm');
  });

  it('gives the bits of pca, for random shapes, types and options', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          rows: fc.integer({ min: 3, max: 300 }),
          cols: fc.integer({ min: 1, max: 120 }),
          type: fc.constantFrom('float64', 'float32', 'int16', 'rows', 'records'),
          seed: fc.nat(1000),
          solver: fc.constantFrom('auto', 'auto', 'auto', 'covariance', 'dual', 'svd', 'krylov', 'refined'),
          engine: fc.constantFrom('auto', 'wasm', 'reference'),
          scale: fc.constantFrom('none', 'unit', 'pareto', 'range'),
          center: fc.boolean(),
          whiten: fc.constantFrom(false, 'pca'),
          weighted: fc.boolean(),
          k: fc.constantFrom(1, 2, 0.9, 'all', undefined),
        }),
        async ({ rows, cols, type, seed, k, weighted, ...options }) => {
          const data = matrix(rows, cols, type, seed);
          const { uniform } = random(seed + 1);
          const all = {
            ...options,
            ...(k === undefined ? {} : { k: typeof k === 'number' && k >= 1 ? Math.min(k, rows, cols) : k }),
            ...(weighted ? { weights: Array.from({ length: rows }, () => 0.5 + uniform()) } : {}),
          } as PcaOptions;
          const awaited = await pca(data, all).then(text, String);
          let at: string;
          try {
            at = text(pcaSync(data, all));
          } catch (error) {
            at = String(error);
          }
          expect(at).toBe(awaited);
        },
      ),
      { numRuns: 60 },
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
    refused(small, { k: 'auto' }, 'k');
    refused(small, { bootstrap: 100 }, 'bootstrap');
    refused(small, { lookAtColumns: true }, 'lookAtColumns');
    refused(small, { transform: 'log1p' }, 'transform');
    refused(small, { scale: 'median' }, 'scale');
    refused(small, { solver: 'points' }, 'solver');
    refused(small, { engine: 'blas' }, 'engine');
    // Errors of options and data are those of pca.
    expect(() => pcaSync(small, { k: 3 })).toThrow(/k is 3, but 4 rows of 2 columns have at most 2 components/);
    expect(() => pcaSync([[1, Number.NaN]])).toThrow(/NaN/);
  });
});

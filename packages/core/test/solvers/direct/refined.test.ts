import { principalAngles } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { wasmEngine } from '../../../src/engines/choose.js';
import type { LoadedBlock } from '../../../src/engines/index.js';
import { type Engine, pca, referenceEngine } from '../../../src/index.js';
import { random } from '../../../src/linalg/random.js';
import { toMatrix, withSpectrum } from '../../support/data.js';

const reference = referenceEngine();

const wasm = (await wasmEngine({ threads: 1 })) as Engine;

/** The engine, its float32 sums off by `error` beside their own rounding; counts the scatters that were summed in float64. */
function watched(error = 0): { engine: Engine; count: () => number } {
  let scatters = 0;
  const { normal } = random(3);
  const load = async (from: Engine, block: Parameters<Engine['load']>[0], rough: boolean): Promise<LoadedBlock> => {
    const loaded = await from.load(block);
    return {
      rows: loaded.rows,
      cols: loaded.cols,
      summarise: async (at, scatter, onStep) => {
        const stats = await loaded.summarise(at, scatter, onStep);
        if (rough && scatter && error > 0) for (let i = 0; i < scatter.length; i++) scatter[i] *= 1 + error * normal();
        return stats;
      },
      gram: (scaler, scatter, onStep) => {
        scatters++;
        return loaded.gram(scaler, scatter, onStep);
      },
      dual: loaded.dual.bind(loaded),
      multiply: loaded.multiply.bind(loaded),
      multiplyTransposed: loaded.multiplyTransposed.bind(loaded),
      normal: loaded.normal.bind(loaded),
      release: loaded.release.bind(loaded),
    };
  };
  const float32: Engine = { ...wasm.float32!, load: (block) => load(wasm.float32!, block, true) };
  return { engine: { ...wasm, float32, load: (block) => load(wasm, block, false) }, count: () => scatters };
}

const spectra: Record<string, (i: number) => number> = {
  falling: (i) => 10 * 0.9 ** i,
  'slowly falling': (i) => 10 / (1 + i) ** 0.5,
  'two that are equal within the wanted': (i) => (i < 2 ? 8 : 6 * 0.85 ** i),
  'a cluster beyond the wanted': (i) => (i < 6 ? 9 - i : i < 30 ? 2 : 0.1),
  'little rank': (i) => (i < 12 ? 12 - i : 0),
};

describe('refined', () => {
  it.each(Object.keys(spectra))('%s: float64 answers from a float32 scatter', async (name) => {
    for (const [n, d] of [
      [400, 60],
      [300, 130],
    ]) {
      for (const offset of [0, 1e4]) {
        const rows = withSpectrum(n, d, spectra[name], { offset: () => offset });
        const { engine, count } = watched();
        const k = 6;
        const truth = await pca(toMatrix(rows), { k, solver: 'svd', engine: reference });
        const model = await pca(toMatrix(rows), { k, solver: 'refined', engine });
        expect(count(), 'scatters in float64').toBe(0);
        expect(Math.max(...model.certificate.residuals)).toBeLessThanOrEqual(1e-10);
        for (let i = 0; i < k; i++) {
          const error = Math.abs(model.variances[i] - truth.variances[i]);
          expect(error).toBeLessThanOrEqual(model.certificate.varianceBounds[i] + truth.certificate.varianceBounds[i]);
          expect(error).toBeLessThanOrEqual(1e-11 * truth.variances[0]);
        }
        const angles = principalAngles(model.components, truth.components);
        expect(angles[k - 1]).toBeLessThanOrEqual(
          model.certificate.subspaceAngleBound + truth.certificate.subspaceAngleBound + 1e-15,
        );
      }
    }
  });

  it('sums again in float64 where float32 is not accurate enough', async () => {
    const rows = withSpectrum(300, 60, (i) => 10 * 0.9 ** i);
    const truth = await pca(toMatrix(rows), { k: 4, solver: 'covariance', engine: wasm });
    const { engine, count } = watched(0.05);
    const model = await pca(toMatrix(rows), { k: 4, solver: 'refined', engine });
    expect(count()).toBe(1);
    expect(model.variances[0]).toBeCloseTo(truth.variances[0], 10);
    expect(Math.max(...model.certificate.residuals)).toBeLessThanOrEqual(1e-12);
  });

  it('measures the error of a loose result and adds it to the residuals', async () => {
    const rows = withSpectrum(500, 80, (i) => 10 * 0.9 ** i).map((row) => row.map(Math.fround));
    const { engine, count } = watched();
    const truth = await pca(toMatrix(rows), { k: 5, solver: 'svd', engine: reference });
    const model = await pca(toMatrix(rows, true), { k: 5, solver: 'refined', engine });
    expect(count()).toBe(0);
    for (let i = 0; i < 5; i++) {
      expect(Math.abs(model.variances[i] - truth.variances[i])).toBeLessThanOrEqual(
        model.certificate.varianceBounds[i],
      );
    }
    expect(Math.max(...model.certificate.residuals)).toBeLessThanOrEqual(1e-6);
    expect(Math.max(...model.certificate.residuals)).toBeGreaterThan(1e-9);
  });
});

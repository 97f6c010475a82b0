import { describe, expect, it } from 'vitest';
import { wasmEngine } from '../../../src/engines/choose.js';
import { type Engine, type Matrix, type Model, type PcaOptions, pca } from '../../../src/index.js';
import { random } from '../../../src/linalg/random.js';

const wasm = (await wasmEngine({ threads: 1 })) as Engine;
const [n, d] = [44, 100_000];

/**
 * Wide data with enough numbers that the solver avoids another pass for measuring residuals if possible: factors of these sizes,
 * and noise.
 */
function wide(sizes: readonly number[]): Matrix & { data: Float64Array } {
  const { uniform } = random(4);
  const data = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      // Factors on blocks of columns of their own, with orthogonal scores.
      const t = j % (sizes.length + 1);
      const score = t < sizes.length ? sizes[t] * Math.cos((Math.PI * (t + 1) * (i + 0.5)) / n) : 0;
      data[i * d + j] = score + 0.01 * (uniform() - 0.5) + 3;
    }
  }
  return { rows: n, cols: d, data };
}

/** True if the rows were read once more to measure residuals. */
async function fit(data: Matrix, options: PcaOptions): Promise<{ model: Model; measured: boolean }> {
  let measured = false;
  const onProgress = ({ phase }: { phase: string }): void => {
    measured ||= phase === 'passes over the data';
  };
  return { model: await pca(data, { solver: 'dual', ...options, onProgress }), measured };
}

/** ‖Cv − λv‖/λ₁ of each component, from the rows. */
function trueResiduals({ data }: { data: Float64Array }, { components, variances, mean, k }: Model): number[] {
  return Array.from({ length: k }, (_, r) => {
    const v = components.data.subarray(r * d, (r + 1) * d);
    const image = new Float64Array(d);
    for (let i = 0; i < n; i++) {
      let score = 0;
      for (let j = 0; j < d; j++) score += (data[i * d + j] - mean[j]) * v[j];
      for (let j = 0; j < d; j++) image[j] += (score / (n - 1)) * (data[i * d + j] - mean[j]);
    }
    let square = 0;
    for (let j = 0; j < d; j++) square += (image[j] - variances[r] * v[j]) ** 2;
    return Math.sqrt(square) / variances[0];
  });
}

/** The engine with products of rows that are off by nearly as much as it declares, `error` times their trace. */
function erring(error: number): Engine {
  return {
    ...wasm,
    roundoff: () => error,
    load: async (block) => {
      const loaded = await wasm.load(block);
      const exact = loaded.dual.bind(loaded);
      const { uniform } = random(5);
      const dual: typeof exact = async (scaler, other, otherScaler, into, onStep) => {
        await exact(scaler, other, otherScaler, into, onStep);
        let trace = 0;
        for (let i = 0; i < n; i++) trace += into.products[i * n + i];
        for (let at = 0; at < n * n; at++)
          into.products[at] += ((0.9 * error * trace) / n) * Math.sign(uniform() - 0.5);
      };
      return Object.assign(loaded, { dual });
    },
  };
}

describe('dual, on many numbers', () => {
  const distinct = wide([3, 2, 1, 0.5]);

  it('bounds residuals by those of the row products, and does not read the rows again', async () => {
    const { model, measured } = await fit(distinct, { k: 4, engine: wasm });
    expect(measured).toBe(false);
    const { residuals } = model.certificate;
    expect(Math.max(...residuals)).toBeLessThan(1e-11);
    trueResiduals(distinct, model).forEach((residual, r) => {
      expect(residual).toBeLessThanOrEqual(residuals[r] + 1e-15);
    });
  });

  it('has true residuals where the row products are off by as much as the engine declares', async () => {
    const { model, measured } = await fit(distinct, { k: 4, engine: erring(1e-10), tolerance: 1e-3 });
    expect(measured).toBe(false);
    const found = trueResiduals(distinct, model);
    expect(Math.max(...found)).toBeGreaterThan(1e-12);
    found.forEach((residual, r) => {
      expect(residual).toBeLessThanOrEqual(model.certificate.residuals[r]);
    });
  });

  it('measures residuals where eigenvalues are too close for that, or too small', async () => {
    expect((await fit(distinct, { k: 6, engine: wasm })).measured).toBe(true);
    expect((await fit(distinct, { k: 4, engine: wasm, tolerance: 1e-14 })).measured).toBe(true);
  });
});

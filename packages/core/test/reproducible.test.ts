import { describe, expect, it } from 'vitest';
import { type Engine, type Model, makePlan, type PcaOptions, pca, wasmEngine } from '../src/index.js';
import { random } from '../src/linalg/random.js';

/** Everything that is computed, as text: every bit counts. */
const digest = ({ components, variances, mean, certificate, plan }: Model): string =>
  JSON.stringify([plan, Array.from(components.data), Array.from(variances), Array.from(mean), certificate]);

describe('the same data and options', () => {
  it.each<[number, number, 'float32' | 'float64', PcaOptions]>([
    // On one thread the float32 sums looked cheaper here, and on three they did not.
    [20_000, 300, 'float32', { k: 10 }],
    [3000, 120, 'float64', { k: 5, scale: 'unit' }],
    [150, 4000, 'float64', { k: 3 }],
    [1200, 1200, 'float32', { k: 4, tolerance: 1e-6 }],
  ])('%i×%i %s: the same solver and bits on 1, 2, 3 and 8 threads', async (rows, cols, type, options) => {
    const { normal } = random(rows + cols);
    const data = (type === 'float32' ? new Float32Array(rows * cols) : new Float64Array(rows * cols)).map(
      (_, i) => normal() / (1 + (i % cols)) + 0.1,
    );
    const models: Model[] = [];
    for (const engine of ['auto', 'wasm'])
      for (const threads of [1, 2, 3, 8])
        models.push(await pca({ rows, cols, data }, { ...options, engine, threads, seed: 1 }));
    for (const model of models) {
      expect(model.plan).toEqual(models[0].plan);
      expect(digest(model)).toBe(digest(models[0]));
    }
  });

  it('have the same plan on any number of threads, whatever their shape', async () => {
    const engines = await Promise.all([1, 2, 3, 8, 64].map((threads) => wasmEngine({ threads }) as Promise<Engine>));
    const { uniform } = random(Number(process.env.SCREE_SEED));
    const size = (most: number): number => Math.ceil(most ** uniform());
    for (let i = 0; i < 300; i++) {
      const shape = {
        rows: size(1e7),
        cols: size(1e5),
        dtype: uniform() < 0.5 ? ('float32' as const) : ('float64' as const),
        rereadable: uniform() < 0.8,
      };
      const k = size(Math.min(shape.rows, shape.cols));
      const plans = engines.map((engine) => makePlan(shape, { k, solver: 'auto', engine }));
      for (const plan of plans) expect(plan).toEqual(plans[0]);
    }
  });
});

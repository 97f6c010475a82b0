import { type PcaOptions, pca } from '../../src/index.js';
import { fnv1a, kernelsHere, numbers } from './digests.js';

/** Fits of every solver on small fixed data, to compare the bits of models between versions. */
const fits: readonly { readonly rows: number; readonly cols: number; readonly options: PcaOptions }[] = [
  { rows: 600, cols: 60, options: { solver: 'covariance', k: 8 } },
  { rows: 600, cols: 60, options: { solver: 'covariance', k: 0.9, scale: 'unit' } },
  { rows: 600, cols: 60, options: { solver: 'covariance', k: 3, center: false, whiten: 'pca' } },
  { rows: 600, cols: 60, options: { solver: 'refined', k: 4 } },
  { rows: 50, cols: 700, options: { solver: 'dual', k: 8 } },
  { rows: 500, cols: 60, options: { solver: 'svd', k: 'all' } },
  { rows: 50, cols: 300, options: { solver: 'svd', k: 5, scale: 'pareto' } },
  { rows: 700, cols: 90, options: { solver: 'krylov', k: 5 } },
  { rows: 60, cols: 400, options: { solver: 'krylov', k: 0.8 } },
  { rows: 120, cols: 12, options: { solver: 'points', k: 2 } },
  { rows: 60, cols: 8, options: { solver: 'points', k: 2, learn: { rule: 'pairwise' } } },
  { rows: 200, cols: 12, options: { solver: 'autoencoder', k: 3 } },
  { rows: 200, cols: 12, options: { solver: 'autoencoder', k: 2, learn: { batch: 50, alpha: 0.2 } } },
  { rows: 200, cols: 12, options: { solver: 'hebbian', k: 3 } },
  { rows: 200, cols: 12, options: { solver: 'hebbian', k: 2, learn: { rule: 'sanger' } } },
  { rows: 400, cols: 40, options: { solver: 'streaming', k: 4 } },
  { rows: 600, cols: 60, options: { k: 6, scale: 'range' } },
];

/** Returns digests of variances, components, certificate and scores, by fit and kernels. */
export async function storedDigests(): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  const kernels = await kernelsHere();
  for (const engine of ['reference', 'wasm'] as const) {
    if (engine === 'wasm' && kernels === 'none') continue;
    for (const { rows, cols, options } of fits) {
      for (const [dtype, array] of [
        ['float64', Float64Array],
        ['float32', Float32Array],
      ] as const) {
        const data = { rows, cols, data: new array(numbers(rows, cols)) };
        const model = await pca(data, { ...options, engine });
        const { data: scores } = await model.transform(data);
        const { components, variances, mean, scale, certificate } = model;
        const name = `${JSON.stringify(options)} ${dtype} ${rows}×${cols} on ${engine === 'wasm' ? `wasm, ${kernels}` : engine}`;
        const bounds = Float64Array.from([
          ...certificate.residuals,
          ...certificate.varianceBounds,
          ...certificate.angleBounds,
        ]);
        result[name] = fnv1a(components.data, variances, mean, scale, bounds, scores);
      }
    }
  }
  return result;
}

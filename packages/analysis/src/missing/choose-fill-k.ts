import type { RowSource } from '@scree/core';
import type { Predictor } from '@scree/core/pipeline';

/** Σ over observed values of ((x − x̂)/unit)², and their number. Without a predictor, x̂ is `mean`. */
export async function observedResidual(
  source: RowSource,
  unit: Float64Array,
  fit: Predictor | { readonly mean: Float64Array },
): Promise<{ square: number; values: number }> {
  const { cols: d } = source;
  const b = new Float64Array(d);
  let [square, values] = [0, 0];
  for await (const block of source.blocks()) {
    if (block.kind === 'sparse' || block.half) continue;
    for (let i = 0; i < block.rows; i++) {
      const gaps: number[] = [];
      for (let j = 0; j < d; j++) {
        const x = block.data[i * block.stride + j];
        if (Number.isNaN(x)) gaps.push(j);
        else b[j] = 'means' in fit ? (x - fit.mean[j]) / fit.scale[j] : x - fit.mean[j];
      }
      if ('means' in fit) fit.means.solve(b, 0, gaps);
      for (let j = 0, g = 0; j < d; j++) {
        if (gaps[g] === j) {
          g++;
          continue;
        }
        const e = 'means' in fit ? (b[j] - predicted(fit, j)) * fit.scale[j] : b[j];
        square += (e / unit[j]) ** 2;
        values++;
      }
    }
  }
  return { square, values };
}

/** The fitted scaled value of column j, for the row that `means` has solved last. */
export function predicted({ means: { k, loadings, latent } }: Pick<Predictor, 'means'>, j: number): number {
  let sum = 0;
  for (let c = 0; c < k; c++) sum += loadings[j * k + c] * latent[c];
  return sum;
}

/**
 * Generalised cross-validation over the observed values (Josse & Husson 2012, "Selecting the number of components in PCA using
 * cross-validation approximations", eq. 7), with N values in place of n·d:
 *
 *   GCV(k) = N·Σ_o(x − x̂)² / (N − d − k(n + d − k − 1))².
 *
 * Infinite if there are too few values for k components.
 */
export function gapGcv(square: number, values: number, rows: number, cols: number, k: number): number {
  const free = values - cols - k * (rows + cols - k - 1);
  return free > 0 ? (values * square) / (free * free) : Number.POSITIVE_INFINITY;
}

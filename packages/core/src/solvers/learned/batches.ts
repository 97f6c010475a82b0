import type { PassRequest, PassResult } from './rule.js';

/** Rows of a batch by default. */
const USUAL = 256;
/** Fewest batches per epoch. */
const SEVERAL = 16;
const LEAST = 8;

/** A batch size with several steps per epoch, and enough rows per step to be worth a pass. */
export function defaultBatch(n: number): number {
  return Math.min(USUAL, Math.max(LEAST, Math.ceil(n / SEVERAL)));
}

/** Where an epoch began: weights W̃ and W̃C of all rows, used to remove the noise of batches. */
export interface Anchor {
  readonly weights: Float64Array;
  readonly image: Float64Array;
}

/** The anchor here: one more pass, over all rows. C is S divided by `top`. */
export function* anchorAt(weights: Float64Array, k: number, top: number): Generator<PassRequest, Anchor, PassResult> {
  const { product } = yield { pass: 'normal', vectors: weights, k };
  return { weights: weights.slice(), image: product.map((value) => value / top) };
}

/**
 * One epoch of steps, each on N = WC_b of a batch, C_b its scatter divided by its share of the rows, so that their mean is C.
 *
 * A batch is noise about the whole. With an anchor, only the change since the anchor is noisy, N = (W − W̃)C_b + W̃C, and
 * vanishes as W converges: steps need not get shorter (variance reduction: Johnson & Zhang 2013; for PCA Shamir 2015).
 * `step` takes N and the batch's share of the rows, and returns whether to continue.
 */
export function* batchEpoch(
  weights: Float64Array,
  k: number,
  rows: number,
  top: number,
  anchor: Anchor | undefined,
  step: (image: Float64Array, share: number) => Generator<PassRequest, boolean, PassResult>,
): Generator<PassRequest, void, PassResult> {
  const way = new Float64Array(anchor ? weights.length : 0);
  for (let first = true; ; first = false) {
    let vectors = weights;
    if (anchor) {
      for (let at = 0; at < way.length; at++) way[at] = weights[at] - anchor.weights[at];
      vectors = way;
    }
    const { product, share, last } = yield { pass: 'batch', vectors, k, rows, first };
    const factor = 1 / (top * share);
    for (let at = 0; at < product.length; at++) product[at] *= factor;
    if (anchor) for (let at = 0; at < product.length; at++) product[at] += anchor.image[at];
    if (!(yield* step(product, share)) || last) return;
  }
}

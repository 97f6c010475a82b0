import type { PassRequest, PassResult } from './rule.js';

/** Default number of rows of a batch. */
const DEFAULT_ROWS = 256;
/** Smallest number of batches per epoch, and smallest number of rows of a batch. */
const FEWEST_BATCHES = 16;
const FEWEST_ROWS = 8;

/** The default batch size: several steps per epoch, with enough rows per step to be worth a pass. */
export function defaultBatch(n: number): number {
  return Math.min(DEFAULT_ROWS, Math.max(FEWEST_ROWS, Math.ceil(n / FEWEST_BATCHES)));
}

/** The state at the start of an epoch: weights W̃, and W̃C over all rows. Used to remove the noise of batches. */
export interface Anchor {
  readonly weights: Float64Array;
  readonly image: Float64Array;
}

/** Computes an anchor by one pass over all rows. C = S/top. */
export function* anchorAt(weights: Float64Array, k: number, top: number): Generator<PassRequest, Anchor, PassResult> {
  const { product } = yield { pass: 'normal', vectors: weights, k };
  return { weights: weights.slice(), image: product.map((value) => value / top) };
}

/**
 * Runs the steps of one epoch. Each step uses N = WC_b of a batch. C_b is the scatter of the batch divided by its share of the
 * rows, so that the mean of the C_b is C.
 *
 * C_b is a noisy estimate of C. With an anchor, N = (W − W̃)C_b + W̃C: only the change since the anchor is noisy, and the noise
 * vanishes as W converges, so steps need not get shorter (variance reduction: Johnson & Zhang 2013; for PCA Shamir 2015). `step`
 * gets N and the batch's share of the rows, and returns true to continue.
 */
export function* batchEpoch(
  weights: Float64Array,
  k: number,
  rows: number,
  top: number,
  anchor: Anchor | undefined,
  step: (image: Float64Array, share: number) => Generator<PassRequest, boolean, PassResult>,
): Generator<PassRequest, void, PassResult> {
  const change = new Float64Array(anchor ? weights.length : 0);
  for (let first = true; ; first = false) {
    let vectors = weights;
    if (anchor) {
      for (let at = 0; at < change.length; at++) change[at] = weights[at] - anchor.weights[at];
      vectors = change;
    }
    const { product, share, last } = yield { pass: 'batch', vectors, k, rows, first };
    const factor = 1 / (top * share);
    for (let at = 0; at < product.length; at++) product[at] *= factor;
    if (anchor) for (let at = 0; at < product.length; at++) product[at] += anchor.image[at];
    if (!(yield* step(product, share)) || last) return;
  }
}

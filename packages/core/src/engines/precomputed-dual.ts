import type { Scaler } from '../data/blocks/block.js';
import type { DualTarget } from './engine.js';
import { sameNumbers } from './same-scaler.js';

/** The largest allowed ratio between the power of two of the precomputed scaler and that of the requested one. */
const FARTHEST = 2 ** 200;

/** K = BBᵀ, computed while the columns were summed up, and its scaler. */
export interface PrecomputedDual {
  readonly scaler: Scaler;
  /** n × n, upper triangle. */
  readonly products: Float64Array;
}

/** Writes the precomputed products into `into` if their scaler equals `scaler` up to a power of two. Returns false otherwise. */
export function writePrecomputedDual(
  { scaler: own, products }: PrecomputedDual,
  scaler: Scaler,
  into: DualTarget,
): boolean {
  const n = Math.sqrt(products.length);
  const ratio = scaler.factor[0] / own.factor[0];
  const exact = Math.log2(ratio) % 1 === 0 && ratio < FARTHEST && ratio > 1 / FARTHEST;
  const [roots, ownRoots] = [scaler.rootWeights, own.rootWeights];
  if (
    !exact ||
    !sameNumbers(scaler.shift, own.shift) ||
    (roots ? !ownRoots || !sameNumbers(roots, ownRoots) : ownRoots)
  )
    return false;
  for (let j = 0; j < own.factor.length; j++) if (scaler.factor[j] !== own.factor[j] * ratio) return false;
  for (let i = 0; i < n; i++) {
    const target = (into.row + i) * into.size + into.column;
    for (let j = i; j < n; j++) into.products[target + j] = products[i * n + j] * ratio * ratio;
  }
  return true;
}

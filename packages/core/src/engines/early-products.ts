import type { Frame } from '../data/blocks/block.js';
import type { Products } from './engine.js';
import { sameNumbers } from './same-frame.js';

/** How far the power of two of the early frame may be from the one that is chosen in the end. */
const FARTHEST = 2 ** 200;

/** K = BBᵀ in a frame that was chosen while the columns were summed up. */
export interface EarlyDual {
  readonly frame: Frame;
  /** n × n, upper triangle. */
  readonly products: Float64Array;
}

/** Writes products that were made early, where `frame` is theirs but for a power of two. */
export function writeEarly({ frame: own, products }: EarlyDual, frame: Frame, into: Products): boolean {
  const n = Math.sqrt(products.length);
  const ratio = frame.factor[0] / own.factor[0];
  const exact = Math.log2(ratio) % 1 === 0 && ratio < FARTHEST && ratio > 1 / FARTHEST;
  const [roots, ownRoots] = [frame.rootWeights, own.rootWeights];
  if (!exact || !sameNumbers(frame.shift, own.shift) || (roots ? !ownRoots || !sameNumbers(roots, ownRoots) : ownRoots))
    return false;
  for (let j = 0; j < own.factor.length; j++) if (frame.factor[j] !== own.factor[j] * ratio) return false;
  for (let i = 0; i < n; i++) {
    const target = (into.row + i) * into.size + into.column;
    for (let j = i; j < n; j++) into.products[target + j] = products[i * n + j] * ratio * ratio;
  }
  return true;
}

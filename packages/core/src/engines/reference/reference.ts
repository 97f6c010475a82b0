import { runTask } from '../../base/progress.js';
import type { Block } from '../../data/blocks/block.js';
import type { Engine } from '../engine.js';
import { TILE } from './tile.js';

/** Unit roundoff of float64. */
const U = 2 ** -53;

/** The reference engine: plain TypeScript, readable, on one thread. It defines what the passes mean. */
export const reference: Engine = {
  name: 'reference',
  threads: 1,
  // bench/, one core of an AMD EPYC.
  rates: { products: 2.3, sparse: 1, eigen: 1 },
  // Most fits run on another engine.
  async load(block: Block) {
    if (block.kind === 'dense') return new (await import('./dense.js')).DenseReference(block);
    return new (await import('./sparse.js')).SparseReference(block);
  },
  async symmetricEigen(a, size, count, onStep) {
    const { symmetricEigen } = await import('../../linalg/symmetric-eigen.js');
    return runTask(symmetricEigen(a, size, count), onStep);
  },
  /**
   * γ of the longest chain of additions a pass makes, by the usual bound γ_m ≤ m·u (Higham, Accuracy and Stability
   * §3.1): d-long products, then a tile of rows, then the tiles, or all rows one by one where they are sparse;
   * 16 for shifting, scaling and weighting an entry.
   */
  roundoff: (n, d, sparse) => U * (d + (sparse ? n : Math.min(n, TILE) + Math.ceil(n / TILE)) + 16),
};

/** The reference engine: plain TypeScript on one thread. */
export function referenceEngine(): Engine {
  return reference;
}

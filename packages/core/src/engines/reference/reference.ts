import { runTask } from '../../base/progress.js';
import type { Block } from '../../data/blocks/block.js';
import type { Engine } from '../engine.js';
import { REFERENCE_TILE_ROWS } from './tile.js';

/** Unit roundoff of float64. */
const U = 2 ** -53;

/** The reference engine: plain, readable TypeScript on one thread. It defines the results of the passes. */
export const reference: Engine = {
  name: 'reference',
  threads: 1,
  // bench/, one core of an AMD EPYC.
  rates: { products: 2.3, sparse: 1, eigen: 1 },
  // Loaded on demand, because most fits run on another engine.
  async load(block: Block) {
    if (block.kind === 'dense') return new (await import('./dense.js')).DenseReference(block);
    return new (await import('./sparse.js')).SparseReference(block);
  },
  async symmetricEigen(a, size, count, onStep) {
    const { symmetricEigen } = await import('../../linalg/symmetric-eigen.js');
    return runTask(symmetricEigen(a, size, count), onStep);
  },
  /**
   * γ of the longest chain of additions in a pass, by the usual bound γ_m ≤ m·u (Higham, Accuracy and Stability §3.1). The chain has d
   * products, then a tile of rows, then the tiles; or d products, then all sparse rows one by one. Shifting, scaling and weighting an entry
   * counts as 16.
   */
  roundoff: (n, d, sparse) =>
    U * (d + (sparse ? n : Math.min(n, REFERENCE_TILE_ROWS) + Math.ceil(n / REFERENCE_TILE_ROWS)) + 16),
};

/** The reference engine: plain TypeScript on one thread. */
export function referenceEngine(): Engine {
  return reference;
}

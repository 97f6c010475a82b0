import type { MomentSums } from './moment-sums.js';

/** Returns true for `MomentSums`, without loading their code. */
export function isMoments(data: unknown): data is MomentSums {
  return typeof data === 'object' && data !== null && typeof (data as Partial<MomentSums>).addBlock === 'function';
}

import type { Scaler } from '../data/blocks/block.js';

/** Returns true if two scalers are equal. */
export function sameScaler(a: Scaler, b: Scaler): boolean {
  return (
    sameNumbers(a.shift, b.shift) &&
    sameNumbers(a.factor, b.factor) &&
    (a.rootWeights === undefined
      ? b.rootWeights === undefined
      : b.rootWeights !== undefined && sameNumbers(a.rootWeights, b.rootWeights))
  );
}

export function sameNumbers(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

import type { Encoding } from '@scree/core';

/** The variance above which a component of MCA, FAMD or MFA carries more than one column, or one block. */
export function inertiaLimit({ method, columns }: Encoding): number {
  return method === 'mca' ? 1 / columns.length : 1;
}

/** The number of components above the limit. Rounding does not lift a variance above it. */
export function countAboveLimit(variances: Float64Array, encoding: Encoding): number {
  const limit = inertiaLimit(encoding) * (1 + 1e-9);
  return variances.filter((variance) => variance > limit).length;
}

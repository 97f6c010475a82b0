import type { Encoding } from '@scree/core';

/** The variance that a component of MCA, FAMD or MFA has at least if it says more than one column, or one block, does. */
export function inertiaLimit({ method, columns }: Encoding): number {
  return method === 'mca' ? 1 / columns.length : 1;
}

/** How many components say more than one column or block does. Variances at the limit are not above it by rounding. */
export function countAboveLimit(variances: Float64Array, coding: Encoding): number {
  const limit = inertiaLimit(coding) * (1 + 1e-9);
  return variances.filter((variance) => variance > limit).length;
}

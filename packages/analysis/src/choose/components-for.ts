import type { Model } from '@scree/core';

/** Shares of the variance that people ask for. */
const USUAL_SHARES = [0.8, 0.9, 0.95] as const;

/** How many components are needed for a share of the variance; undefined where those kept do not reach it. */
export function componentsFor(ratios: ArrayLike<number>, share: number): number | undefined {
  let sum = 0;
  for (let i = 0; i < ratios.length; i++) {
    sum += ratios[i];
    // All of the variance is reached by sums that have been rounded.
    if (sum >= share - 1e-12) return i + 1;
  }
  return undefined;
}

/** Share of the variance that all components of a model keep together. */
export function shareKept(model: Model): number {
  return Math.min(
    1,
    model.varianceRatios.reduce((sum, ratio) => sum + ratio, 0),
  );
}

/**
 * The share of each component, also of those beyond k where the model knows all variances. Variances that cannot be told from
 * zero are 0: their digits are rounding.
 */
export function knownRatios({
  varianceRatios,
  spectrum,
  totalVariance,
  k,
  uniqueness,
  certificate,
}: Model): Float64Array {
  const own = varianceRatios.map((ratio, i) => (i < uniqueness.rank ? ratio : 0));
  // Variances below what float64 can hold say nothing; the ratios of the model still do.
  if (!spectrum || !(totalVariance > 2 ** -1000)) return own;
  const rounding = uniqueness.rank < k ? Number.POSITIVE_INFINITY : certificate.varianceBounds[k - 1];
  return spectrum.map((variance, i) => (i < k ? own[i] : variance > rounding ? variance / totalVariance : 0));
}

/** Whether a model has all components that rows and columns allow, so that it keeps all variance whatever the data are. */
export function hasAllComponents({ k, n, d, centered }: Model): boolean {
  return k >= Math.min(d, centered ? n - 1 : n);
}

/** How many components the usual shares of the variance take; undefined where the model knows too few of them. */
export function componentsForShares(model: Model): { share: number; components: number | undefined }[] {
  const ratios = knownRatios(model);
  return USUAL_SHARES.map((share) => ({ share, components: componentsFor(ratios, share) }));
}

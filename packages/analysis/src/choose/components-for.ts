import type { Model } from '@scree/core';

/** Usual shares of the variance. */
const USUAL_SHARES = [0.8, 0.9, 0.95] as const;

/** The number of components needed for a share of the variance; undefined if the given ratios do not reach it. */
export function componentsFor(ratios: ArrayLike<number>, share: number): number | undefined {
  let sum = 0;
  for (let i = 0; i < ratios.length; i++) {
    sum += ratios[i];
    // Sums are rounded.
    if (sum >= share - 1e-12) return i + 1;
  }
  return undefined;
}

/** The share of the variance that the components of a model keep. */
export function shareKept(model: Model): number {
  return Math.min(
    1,
    model.varianceRatios.reduce((sum, ratio) => sum + ratio, 0),
  );
}

/** The share of each component, including those beyond k if the model has the spectrum. Variances that are zero within rounding are 0. */
export function knownRatios({
  varianceRatios,
  spectrum,
  totalVariance,
  k,
  uniqueness,
  certificate,
}: Model): Float64Array {
  const own = varianceRatios.map((ratio, i) => (i < uniqueness.rank ? ratio : 0));
  // Variances that underflow say nothing. The ratios of the model still do.
  if (!spectrum || !(totalVariance > 2 ** -1000)) return own;
  const rounding = uniqueness.rank < k ? Number.POSITIVE_INFINITY : certificate.varianceBounds[k - 1];
  return spectrum.map((variance, i) => (i < k ? own[i] : variance > rounding ? variance / totalVariance : 0));
}

/** Returns true if a model has all components that rows and columns allow, so that it keeps all variance of any data. */
export function hasAllComponents({ k, n, d, centered }: Model): boolean {
  // The number of rows may be unknown.
  return k === d || k >= (centered ? n - 1 : n);
}

/** The numbers of components needed for the usual shares of the variance; undefined if the model has too few. */
export function componentsForShares(model: Model): { share: number; components: number | undefined }[] {
  const ratios = knownRatios(model);
  return USUAL_SHARES.map((share) => ({ share, components: componentsFor(ratios, share) }));
}

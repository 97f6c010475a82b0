import { orthonormalityDefect } from '../linalg/orthonormality.js';
import { checkComponents, sumOf } from './check-components.js';
import type { ModelRecord } from './record.js';
import type { Determination } from './uniqueness.js';

/**
 * Makes the record of components that were computed elsewhere. They are used as they are, with their signs. Only their orthonormality
 * is measured: the certificate has no other bound.
 */
export function recordOfComponents(given: object): ModelRecord {
  const { components, mean, scale, whiten, columnNames, variances, spectrum, n, ddof, totalVariance, float32, rank } =
    checkComponents(given);
  const { rows: k, cols: d, data } = components;
  const unbounded = Array.from(variances, () => Number.POSITIVE_INFINITY);
  const defect = orthonormalityDefect(data, k, d);
  const gapAfter = (i: number): number =>
    i >= 0 && i + 1 < spectrum.length ? spectrum[i] - spectrum[i + 1] : Number.POSITIVE_INFINITY;
  /** Nothing is known about the last digits of the data, so no axis is said to be determined. */
  const unsure = (gap: number, determined = false): Determination => ({
    determined,
    gap: Number.isFinite(gap) ? Math.max(0, gap) : null,
    noiseAngle: determined ? 0 : Math.PI / 2,
  });
  return {
    origin: 'components',
    components,
    mean,
    scale,
    scaling: scale.every((divisor) => divisor === 1) ? 'none' : 'given',
    variances,
    ...(spectrum.length > k ? { spectrum } : {}),
    varianceRatios: variances.map((variance) => (totalVariance === 0 ? 0 : Math.min(1, variance / totalVariance))),
    totalVariance,
    noiseVariance: k < d ? Math.max(0, totalVariance - sumOf(variances)) / (d - k) : 0,
    singularValues: variances.map((variance) => Math.sqrt(variance * (n - ddof))),
    n,
    totalWeight: n,
    ddof,
    centered: true,
    whiten,
    columnNames,
    dtype: float32 ? 'float32' : 'float64',
    plan: {
      solver: 'given',
      engine: 'none',
      keepsRows: false,
      reason: 'The components come from other software: nothing was computed.',
      costs: {},
    },
    certificate: {
      residuals: unbounded,
      varianceBounds: unbounded,
      angleBounds: unbounded.map(() => Math.PI / 2),
      subspaceAngleBound: k === d ? 0 : Math.PI / 2,
      orthonormality: defect,
      checked: false,
    },
    uniqueness: {
      rank,
      subspace: unsure(gapAfter(k - 1), k === d),
      axes: Array.from(variances, (_, i) =>
        unsure(i + 1 < spectrum.length || k === d ? Math.min(gapAfter(i - 1), gapAfter(i)) : Number.NaN),
      ),
    },
    warnings: [
      {
        code: 'NOT_CHECKED',
        message: `The components come from other software and were not checked, apart from their orthonormality: it holds within ${Number(defect.toPrecision(1))}.`,
        details: { origin: 'components', orthonormality: defect },
      },
    ],
  };
}

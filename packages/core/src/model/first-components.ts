import type { Matrix } from '../data/blocks/matrix.js';
import { describeValue, OptionError } from '../errors.js';
import type { Warning } from '../warning.js';
import type { ModelRecord } from './record.js';
import { stabilityOfFirst } from './stability.js';

/** Throws unless a model of `most` components has k of them. */
export function checkFirst(k: number, most: number): void {
  if (Number.isSafeInteger(k) && k >= 1 && k <= most) return;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is ${describeValue(k)}, but this model has ${most === 1 ? '1 component. Use 1' : `${most} components. Use a whole number from 1 to ${most}`}, or fit with a larger k.`,
    { option: 'k', value: k, expected: most },
  );
}

/**
 * The record of the first k components of a model, without the solver's solution, which `NestedModels` has, and
 * without the distances of a robust fit, which are those of all k. Bounds are those of the
 * whole model. For the subspace of the first k, sin² of the angle is at most the sum over its components.
 */
export function recordOfFirst({ trace: _, robust: __, ...record }: ModelRecord, k: number): ModelRecord {
  const { components, variances, totalVariance, certificate, uniqueness, stability } = record;
  const d = components.cols;
  const left = variances.subarray(0, k).reduce((sum, variance) => sum - variance, totalVariance);
  const squares = certificate.angleBounds.slice(0, k).reduce((sum, angle) => sum + Math.sin(angle) ** 2, 0);
  const last = uniqueness.axes[k - 1];
  const rank = Math.min(uniqueness.rank, k);
  return {
    ...record,
    components: { rows: k, cols: d, data: components.data.slice(0, k * d) } satisfies Matrix,
    variances: variances.slice(0, k),
    varianceRatios: record.varianceRatios.slice(0, k),
    singularValues: record.singularValues.slice(0, k),
    noiseVariance: Math.max(0, left) / (d - k),
    certificate: {
      ...certificate,
      residuals: certificate.residuals.slice(0, k),
      varianceBounds: certificate.varianceBounds.slice(0, k),
      angleBounds: certificate.angleBounds.slice(0, k),
      subspaceAngleBound: squares < 1 ? Math.asin(Math.sqrt(squares)) : Math.PI / 2,
    },
    uniqueness: {
      rank,
      axes: uniqueness.axes.slice(0, k),
      subspace: { ...last, gap: Math.max(0, variances[k - 1] - variances[k]) },
    },
    warnings: record.warnings.filter((warning) => concerns(warning, k, rank, uniqueness.axes)),
    ...(stability ? { stability: stabilityOfFirst(stability, k, d) } : {}),
  };
}

/** Returns true if a warning about a model is also one about its first k components. */
function concerns(
  { code, details }: Warning,
  k: number,
  rank: number,
  axes: ModelRecord['uniqueness']['axes'],
): boolean {
  switch (code) {
    case 'RANK_BELOW_K':
    case 'NOT_WHITENED':
      return rank < k;
    case 'SUBSPACE_NOT_UNIQUE':
      return false;
    case 'AXES_NOT_UNIQUE':
      return axes.slice(0, k).some(({ determined }) => !determined);
    case 'BELOW_ACCURACY':
      return Number(details?.component ?? 0) < k;
    default:
      return true;
  }
}

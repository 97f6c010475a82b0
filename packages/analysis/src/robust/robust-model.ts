import { type Certificate, Model, RowMatrix } from '@scree/core';
import { axpy, dot, maxAbs, norm } from '@scree/core/linalg';
import type { RobustFit } from '@scree/core/pipeline';
import { recordOfComponents } from '@scree/core/pipeline';
import { plural } from '../describe/numbers.js';
import type { FoundSubspace } from './fit-robust.js';

type Uniqueness = Model['uniqueness'];
type Determination = Uniqueness['subspace'];

/**
 * The model of a robust subspace. Components of a robust covariance are checked against it: the certificate has residuals ‖Cv − λv‖ and
 * bounds of the angles. Components of the other methods are not the eigenvectors of a matrix, so only their orthonormality is checked, and
 * the warning NOT_CHECKED says so.
 */
export function robustModel(classical: Model, found: FoundSubspace, robust: RobustFit): Model {
  const { columnNames, n, ddof, scale, warnings, scaling, dtype, columnWeights, coding } = classical;
  const k = found.variances.length;
  const d = classical.d;
  const total = Math.max(
    found.totalVariance,
    found.variances.reduce((sum, value) => sum + value, 0),
  );
  const record = recordOfComponents({
    components: { rows: k, cols: d, data: signed(found.components, k, d) },
    mean: found.mean,
    scale,
    variances: found.spectrum ?? found.variances,
    n,
    ddof,
    totalVariance: total,
    ...(columnNames ? { columnNames } : {}),
  });
  const { origin: _, warnings: __, ...fields } = record;
  const components = new RowMatrix(k, d, Float64Array.from(record.components.data), columnNames);
  const certificate =
    found.covariance && found.spectrum ? checked(components.data, found.covariance, found.spectrum, k) : undefined;
  const kept = warnings.filter(({ code }) => code !== 'AXES_NOT_UNIQUE' && code !== 'SUBSPACE_NOT_UNIQUE');
  return new Model({
    ...fields,
    components,
    ...(scaling ? { scaling } : {}),
    ...(columnWeights ? { columnWeights } : {}),
    ...(coding ? { coding } : {}),
    dtype,
    robust,
    plan: { solver: 'given', engine: classical.plan.engine, keepsRows: true, reason: robust.reason, costs: {} },
    uniqueness: uniquenessOf(found, record.uniqueness.rank),
    ...(found.covariance && certificate
      ? {
          certificate: { ...certificate, orthonormality: record.certificate.orthonormality },
          columnVariances: diagonal(found.covariance, d),
        }
      : {}),
    warnings: [
      ...kept,
      ...(certificate
        ? []
        : [
            {
              code: 'NOT_CHECKED' as const,
              message: `Robust components have no bounds on rounding: the method is a search, and ${k === 1 ? 'its direction is' : `its ${plural(k, 'direction')} are`} orthonormal within ${Number(record.certificate.orthonormality.toPrecision(1))}.`,
              details: { robust: robust.method, orthonormality: record.certificate.orthonormality },
            },
          ]),
    ],
  });
}

/** The largest entry of each component is made positive, as in a fit. */
function signed(components: Float64Array, k: number, d: number): Float64Array {
  const out = components.slice();
  for (let c = 0; c < k; c++) {
    const row = out.subarray(c * d, (c + 1) * d);
    const largest = maxAbs(row);
    const first = row.findIndex((value) => Math.abs(value) >= largest * (1 - 1e-9));
    if (row[first] < 0) for (let j = 0; j < d; j++) row[j] = -row[j];
  }
  return out;
}

function diagonal(covariance: Float64Array, d: number): Float64Array {
  return Float64Array.from({ length: d }, (_, j) => Math.max(0, covariance[j * d + j]));
}

/** Residuals of the components as eigenvectors of the robust covariance, and the bounds that follow (Davis & Kahan 1970). */
function checked(
  components: Float64Array,
  covariance: Float64Array,
  spectrum: Float64Array,
  k: number,
): Omit<Certificate, 'orthonormality' | 'checked'> {
  const d = components.length / k;
  const value = (i: number): number => spectrum[i] ?? 0;
  const errors = Array.from({ length: k }, (_, i) => {
    const v = components.subarray(i * d, (i + 1) * d);
    const residual = Float64Array.from({ length: d }, (_, j) => dot(covariance, j * d, v, 0, d));
    axpy(-value(i), v, 0, residual, 0, d);
    // The products are rounded too.
    return norm(residual) + d * 2 ** -53 * value(0);
  });
  const angle = (error: number, gap: number): number => (error < gap ? Math.asin(error / gap) : Math.PI / 2);
  return {
    residuals: errors.map((error) => error / value(0)),
    varianceBounds: errors,
    angleBounds: errors.map((error, i) => angle(error, gapOf(spectrum, i, d) - error)),
    subspaceAngleBound: k >= d ? 0 : angle(Math.hypot(...errors), value(k - 1) - value(k) - errors[k - 1]),
  };
}

/** The distance of a variance to its nearest neighbour. */
function gapOf(spectrum: Float64Array, i: number, d: number): number {
  const above = i > 0 ? spectrum[i - 1] - spectrum[i] : Number.POSITIVE_INFINITY;
  const below = i + 1 < d ? spectrum[i] - (spectrum[i + 1] ?? 0) : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(above, below));
}

/** Axes whose variances differ from their neighbours by less than this share of the first are not determined. */
const SAME = 1e-8;

/** The axes that the robust variances determine. Rounding of the data is not followed through the search. */
function uniquenessOf(found: FoundSubspace, rank: number): Uniqueness {
  const { variances } = found;
  const k = variances.length;
  const d = found.components.length / k;
  const spectrum = found.spectrum ?? variances;
  const determination = (gap: number): Determination => {
    const determined = gap > SAME * variances[0];
    return { determined, gap: Number.isFinite(gap) ? gap : null, noiseAngle: determined ? 0 : Math.PI / 2 };
  };
  // Of the first k variances alone, the gap after the last is not known.
  const known = spectrum.length > k || k === d;
  const after = k === d ? Number.POSITIVE_INFINITY : known ? variances[k - 1] - spectrum[k] : variances[k - 1];
  const neighbours = known ? d : k;
  return {
    rank,
    axes: Array.from(variances, (_, i) => determination(gapOf(spectrum, i, neighbours))),
    subspace: determination(after),
  };
}

import { describeValue } from '../errors.js';
import { orthonormalityDefect } from '../linalg/orthonormality.js';
import { demand, isObject, ORTHONORMAL } from './check-numbers.js';
import type { ModelRecord, Whiten } from './record.js';

/** Numbers row by row: lists of numbers, or a matrix `{ rows, cols, data }`. */
export type NumberRows =
  | readonly ArrayLike<number>[]
  | { readonly rows: number; readonly cols: number; readonly data: ArrayLike<number> };

/** Components that other software computed. It can be written as JSON. */
export interface ModelComponents {
  /** k × d, one component per row: `components_` of scikit-learn. */
  readonly components?: NumberRows | undefined;
  /** d × k, one component per column, instead of `components`: `rotation` of R's `prcomp`. */
  readonly rotation?: NumberRows | undefined;
  /** Subtracted from each column: `mean_` of scikit-learn, `center` of `prcomp`. */
  readonly mean: ArrayLike<number>;
  /**
   * The variance along each component, in descending order: `explained_variance_` of scikit-learn, `sdev²` of `prcomp`. More than
   * k numbers are all variances of the data.
   */
  readonly variances: ArrayLike<number>;
  /** The divisor of each column. Default: 1. */
  readonly scale?: ArrayLike<number> | undefined;
  /** Number of fitted rows. Default: unknown. */
  readonly n?: number | undefined;
  /** The sum of the variances of all columns. Default: the sum of `variances`, if these are all. */
  readonly totalVariance?: number | undefined;
  /** Variances are sums of squares over n − ddof. Default 1. */
  readonly ddof?: number | undefined;
  /** How `transform` scales the scores. Default: not at all. */
  readonly whiten?: Whiten | undefined;
  readonly columnNames?: readonly string[] | undefined;
}

const FIELDS = 'components rotation mean variances scale n totalVariance ddof whiten columnNames'.split(' ');

/**
 * Makes the record of components that were computed elsewhere. They are used as they are, with their signs. Only their orthonormality
 * is measured: the certificate has no other bound. Numbers that are not given and do not follow are NaN.
 */
export function recordOfComponents(given: object): ModelRecord {
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as Record<
    string,
    unknown
  >;
  const unknown = Object.keys(given).find((name) => !FIELDS.includes(name));
  demand(unknown === undefined, () => `its field ${describeValue(unknown)} is none of ${FIELDS.join(', ')}`);
  const turned = fields.rotation !== undefined;
  const name = turned ? 'rotation' : 'components';
  demand(
    turned !== (fields.components !== undefined),
    'it needs either components (k × d) or rotation (d × k), with mean and variances',
  );
  const [rows, cols, entry] = matrixOf(name, fields[name]);
  const [k, d] = turned ? [cols, rows] : [rows, cols];
  const data = new Float64Array(k * d);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) data[turned ? j * d + i : i * d + j] = entry(i, j);
  const mean = vectorOf(fields, 'mean');
  demand(mean.length === d, () =>
    mean.length === k
      ? `${name} are ${rows} × ${cols} and mean has ${mean.length} numbers: components have one row per component, and rotation, as in R, one column per component`
      : `mean has ${mean.length} numbers, and ${name} ${d} columns`,
  );
  const all = vectorOf(fields, 'variances');
  const variances = all.slice(0, k);
  const float32 = data.every((value) => Math.fround(value) === value);
  const { n = Number.NaN, ddof = 1, whiten = false, columnNames } = fields as Partial<ModelComponents>;
  const explained = sum(variances);
  const whole = all.length > k || k === d || k >= n - 1 ? sum(all) : Number.NaN;
  const totalVariance = (fields.totalVariance ?? whole) as number;
  demand(
    !(totalVariance < explained * (1 - ORTHONORMAL)),
    () => `totalVariance ${totalVariance} is below the sum of variances`,
  );
  // Smaller variances are rounding of the largest.
  const least = d * (float32 ? 2 ** -24 : 2 ** -52) * variances[0];
  const rank = variances.filter((variance) => variance > least).length;
  const unsure = (i: number) => ({
    determined: false,
    gap:
      i + 1 < all.length
        ? Math.max(0, Math.min(all[i] - all[i + 1], i > 0 && i < k ? all[i - 1] - all[i] : Number.POSITIVE_INFINITY))
        : null,
    noiseAngle: Math.PI / 2,
  });
  const unbounded = Array.from(variances, () => Number.POSITIVE_INFINITY);
  const defect = orthonormalityDefect(data, k, d);
  return {
    origin: 'components',
    components: { rows: k, cols: d, data },
    mean,
    scale: fields.scale === undefined ? new Float64Array(d).fill(1) : vectorOf(fields, 'scale'),
    scaling: fields.scale === undefined ? 'none' : 'given',
    variances,
    ...(all.length > k ? { spectrum: all } : {}),
    varianceRatios: variances.map((variance) => (totalVariance === 0 ? 0 : Math.min(1, variance / totalVariance))),
    totalVariance,
    noiseVariance: k < d ? Math.max(0, totalVariance - explained) / (d - k) : 0,
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
      subspace: { ...unsure(k - 1), determined: k === d, noiseAngle: k === d ? 0 : Math.PI / 2 },
      axes: Array.from(variances, (_, i) => unsure(i)),
    },
    warnings: [
      {
        code: 'NOT_CHECKED',
        message: `The components come from other software and were not checked, apart from their orthonormality: it holds within ${defect.toExponential(0)}.`,
        details: { origin: 'components', orthonormality: defect },
      },
    ],
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rows, columns and the entries of a matrix in either form. Entries that are not numbers are NaN, which the checks of the record reject. */
function matrixOf(name: string, given: unknown): [number, number, (i: number, j: number) => number] {
  if (Array.isArray(given)) {
    const cols = given[0]?.length;
    demand(
      given.length > 0 && cols > 0 && given.every((row) => row?.length === cols),
      () => `${name} are not rows of the same length`,
    );
    return [given.length, cols, (i, j) => numberOf(given[i][j])];
  }
  const { rows, cols, data } = (isObject(given) ? given : {}) as {
    rows?: number;
    cols?: number;
    data?: ArrayLike<number>;
  };
  demand(
    Number.isSafeInteger(rows) && Number.isSafeInteger(cols) && data?.length === (rows as number) * (cols as number),
    () => `${name} are neither rows of numbers nor a matrix { rows, cols, data }`,
  );
  const values = data as ArrayLike<number>;
  return [rows as number, cols as number, (i, j) => numberOf(values[i * (cols as number) + j])];
}

function vectorOf(fields: Record<string, unknown>, name: string): Float64Array {
  const given = fields[name] as ArrayLike<unknown> | undefined;
  demand(given !== undefined, () => `${name} is missing`);
  demand(
    Array.isArray(given) || ArrayBuffer.isView(given),
    () => `${name} is not a list of numbers: ${describeValue(given)}`,
  );
  return Float64Array.from(given as ArrayLike<unknown>, numberOf);
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

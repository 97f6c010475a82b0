import { describeValue } from '../errors.js';
import { checkVector, demand, isBound, ORTHONORMAL, toFloat64Array } from './check-numbers.js';
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

const FIELDS = [
  'components',
  'rotation',
  'mean',
  'variances',
  'scale',
  'n',
  'totalVariance',
  'ddof',
  'whiten',
  'columnNames',
];

/** Checked components of other software, without what a model says about them. */
export interface CheckedComponents
  extends Pick<ModelRecord, 'components' | 'mean' | 'scale' | 'whiten' | 'columnNames' | 'variances'> {
  /** All given variances, which may be more than k. */
  readonly spectrum: Float64Array;
  readonly n: number;
  readonly ddof: number;
  readonly totalVariance: number;
  readonly float32: boolean;
  /** The number of variances that are more than the rounding of the largest. */
  readonly rank: number;
}

/** Reads the fields of components that were computed elsewhere. Numbers that are not given and do not follow are NaN. */
export function checkComponents(given: object): CheckedComponents {
  for (const name of Object.keys(given)) {
    demand(FIELDS.includes(name), () => `its field ${describeValue(name)} is none of ${FIELDS.join(', ')}`);
  }
  const fields = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value != null),
  ) as Partial<ModelComponents>;
  const { rotation, n = Number.NaN, ddof = 1, whiten = false, columnNames } = fields;
  const name = rotation ? 'rotation' : 'components';
  demand(!(rotation && fields.components), 'it has components and rotation');
  const rows = rowsOf(name, fields[name]);
  const [k, d] = rotation ? [rows[0].length, rows.length] : [rows.length, rows[0].length];
  const data = Float64Array.from({ length: k * d }, (_, at) => {
    const [c, j] = [Math.floor(at / d), at % d];
    return rotation ? rows[j][c] : rows[c][j];
  });
  const mean = vectorOf('mean', fields.mean);
  demand(mean.length === d || mean.length !== k, () =>
    rotation
      ? `rotation has ${k} columns of ${d} numbers, and mean has ${k}. If each row is a component, call it components`
      : `components have ${k} rows of ${d} numbers, and mean has ${k}. If each column is a component, as in R, call it rotation`,
  );
  const spectrum = vectorOf('variances', fields.variances);
  const variances = spectrum.slice(0, k);
  checkVector('variances', variances, k, true);
  demand(fields.n === undefined || (Number.isSafeInteger(n) && n > 0), () => `n is ${describeValue(n)}`);
  demand(isBound(ddof) && !(n <= ddof), () => `ddof is ${describeValue(ddof)}, and n ${n}`);
  const whole = spectrum.length > k || k === d || k >= n - 1 ? sumOf(spectrum) : Number.NaN;
  const { totalVariance = whole } = fields;
  demand(
    !(totalVariance < sumOf(variances) * (1 - ORTHONORMAL)),
    () => `totalVariance ${totalVariance} is below the sum of variances`,
  );
  const float32 = data.every((value) => Math.fround(value) === value);
  const least = d * (float32 ? 2 ** -24 : 2 ** -52) * variances[0];
  return {
    components: { rows: k, cols: d, data },
    mean,
    scale: fields.scale ? vectorOf('scale', fields.scale) : new Float64Array(d).fill(1),
    whiten,
    columnNames,
    variances,
    spectrum,
    n,
    ddof,
    totalVariance,
    float32,
    rank: variances.filter((variance) => variance > least).length,
  };
}

/** The sum of numbers. */
export function sumOf(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The rows of a matrix in either form. */
function rowsOf(name: string, given: unknown): Float64Array[] {
  demand(given !== undefined, 'it has no components');
  const { rows, cols, data } = Object(given) as { rows: number; cols: number; data: ArrayLike<number> };
  const lists: unknown = data
    ? Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => data[i * cols + j]))
    : given;
  const vectors = Array.isArray(lists) ? lists.map((row) => vectorOf(name, row)) : [];
  demand(
    vectors.length > 0 && vectors.every(({ length }) => length > 0 && length === vectors[0].length),
    () => `${name} are not rows of numbers of the same length`,
  );
  return vectors;
}

function vectorOf(name: string, given: unknown): Float64Array {
  demand(
    Array.isArray(given) || ArrayBuffer.isView(given),
    () => `${name} is not a list of numbers but ${describeValue(given)}`,
  );
  return toFloat64Array(given as readonly unknown[]);
}

import { describeValue, ModelError } from '../errors.js';
import type { ModelRecord, Origin } from './record.js';

/** Largest max |VVᵀ − I| of components. Other software may compute in float32. */
export const ORTHONORMAL = 1e-6;
export const ORTHONORMAL_FLOAT32 = 1e-4;

/** The numbers that transform rows. */
type Transforming = Pick<ModelRecord, 'components' | 'mean' | 'scale' | 'whiten' | 'columnNames'> & {
  readonly origin?: Origin | undefined;
};

/** Returns max |VVᵀ − I| of `count` rows of `length` numbers. */
export type DefectOf = (vectors: Float64Array, count: number, length: number) => number;

/**
 * Checks the numbers that transform rows, and throws if they are invalid. The record may have any types. `defectOf`
 * measures the deviation of the components from orthonormality, and `allowed` is the largest one.
 */
export function checkTransform(record: Transforming, defectOf: DefectOf, allowed: number): void {
  const { components, mean, scale, whiten, columnNames, origin } = record;
  demand(isObject(components), 'components are missing');
  const { rows: k, cols: d } = components;
  demand(
    Number.isSafeInteger(k) && k >= 1 && Number.isSafeInteger(d) && d >= k,
    () => `components cannot be ${describeValue(k)} × ${describeValue(d)}`,
  );
  checkVector('components', components.data, k * d);
  if (!isUnknown(origin, mean, d)) checkVector('mean', mean, d);
  checkVector('scale', scale, d);
  for (let j = 0; j < d; j++) {
    demand(scale[j] > 0 && Number.isFinite(1 / scale[j]), 'scale holds a value that cannot be a divisor');
  }
  demand(whiten === false || whiten === 'pca' || whiten === 'zca', () => `whiten is ${describeValue(whiten)}`);
  const names: unknown = columnNames;
  demand(names === undefined || isList(names, d, isString), () => `columnNames are not ${d} names`);
  const defect = defectOf(components.data, k, d);
  demand(
    defect < allowed,
    () => `components are not orthonormal: VVᵀ is off by ${defect}, and at most ${allowed} is allowed`,
  );
}

/** As `checkTransform`, for all numbers that are needed to apply a model. */
export function checkNumbers(record: ModelRecord, defectOf: DefectOf): void {
  const { variances, varianceRatios, singularValues, uniqueness, origin } = record;
  const { n, totalWeight, ddof, centered } = record;
  demand([undefined, 'components', 'covariance'].includes(origin), () => `origin is ${describeValue(origin)}`);
  const rounded = origin === 'components' && record.dtype === 'float32';
  checkTransform(record, defectOf, rounded ? ORTHONORMAL_FLOAT32 : ORTHONORMAL);
  const { rows: k } = record.components;
  checkVector('variances', variances, k, true);
  const noTotal = isUnknown(origin, varianceRatios, k);
  const noRows = isUnknown(origin, singularValues, k);
  if (!noTotal) checkVector('varianceRatios', varianceRatios, k, true);
  if (!noRows) checkVector('singularValues', singularValues, k, true);
  for (const [name, missing] of [
    ['totalVariance', noTotal],
    ['noiseVariance', noTotal],
    ['n', noRows],
    ['totalWeight', noRows],
    ['ddof', false],
  ] as const) {
    demand(
      missing ? Number.isNaN(record[name]) : isBound(record[name]),
      () => `${name} is ${describeValue(record[name])}`,
    );
  }
  demand(noRows || (Number.isSafeInteger(n) && n >= 1), () => `n is ${n}, and a model is fitted to rows`);
  demand(noRows || totalWeight > ddof, () => `totalWeight ${totalWeight} is not above ddof ${ddof}`);
  demand(noTotal || varianceRatios[0] <= 1, () => `varianceRatios has ${varianceRatios[0]}, and no share is above 1`);
  demand(typeof centered === 'boolean', () => `centered is ${describeValue(centered)}`);
  demand(centered || record.mean.every((m) => m === 0), 'mean is not zero although data were not centred');
  demand(isObject(uniqueness), 'uniqueness is missing');
  const { rank } = uniqueness;
  demand(Number.isSafeInteger(rank) && rank >= 0 && rank <= k, () => `uniqueness.rank is ${describeValue(rank)}`);
}

/** Returns true if there are `length` numbers that the model does not know. Models that were fitted to rows know all numbers. */
function isUnknown(origin: Origin | undefined, values: Float64Array | undefined, length: number): boolean {
  return origin !== undefined && values?.length === length && values.every(Number.isNaN);
}

/**
 * Throws unless there are `length` finite numbers. If `falls`, they must be descending and at least 0. Loops are faster than
 * `every` for the few numbers of most models.
 */
export function checkVector(name: string, values: Float64Array, length: number, falls = false): void {
  demand(values?.length === length, () => `${name} has ${values ? values.length : 'no'} numbers, not ${length}`);
  for (let i = 0; i < length; i++) {
    demand(Number.isFinite(values[i]), () => `${name} holds a value that is not finite`);
    if (!falls) continue;
    demand(values[i] >= 0, () => `${name} has a negative value at ${i}`);
    demand(i === 0 || values[i] <= values[i - 1], () => `${name} rise at ${i}`);
  }
}

/** Throws if a model does not know the means of its columns, which rows need. */
export function checkMean(mean: Float64Array): void {
  if (!Number.isNaN(mean[0])) return;
  throw new ModelError(
    'MEAN_UNKNOWN',
    'This model of a covariance matrix has no mean, which rows need. Pass mean to modelFrom: zeros if the rows are centred.',
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isBound(value: unknown): value is number {
  return isFiniteNumber(value) && value >= 0;
}

export function isList(value: unknown, length?: number, each: (entry: unknown) => boolean = () => true): boolean {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return false;
  for (let i = 0; i < value.length; i++) if (!each(value[i])) return false;
  return true;
}

export function demand(holds: boolean, what: string | (() => string)): void {
  if (!holds) throw new ModelError('BAD_MODEL', `This is not a model: ${typeof what === 'string' ? what : what()}.`);
}

/** Entries that are not numbers become NaN, which the checks of the model reject. */
export function toFloat64Array(list: readonly unknown[]): Float64Array {
  return Float64Array.from(list, (entry) => (typeof entry === 'number' ? entry : Number.NaN));
}

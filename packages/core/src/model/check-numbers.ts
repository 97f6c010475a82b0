import { describeValue, ModelError } from '../errors.js';
import { orthonormalityDefect } from '../linalg/orthonormality.js';
import type { ModelRecord } from './record.js';

/**
 * Checks the numbers of a record that are needed to apply a model, and throws if they are invalid. The record may have any types.
 * `known` is the deviation of the components from orthonormality, if it is known.
 */
export function checkNumbers(record: ModelRecord, known?: number): void {
  const { components, mean, scale, variances, varianceRatios, singularValues, uniqueness } = record;
  demand(isObject(components), 'components are missing');
  const { rows: k, cols: d } = components;
  demand(
    Number.isSafeInteger(k) && k >= 1 && Number.isSafeInteger(d) && d >= k,
    () => `components cannot be ${describeValue(k)} × ${describeValue(d)}`,
  );
  checkVector('components', components.data, k * d);
  checkVector('mean', mean, d);
  checkVector('scale', scale, d);
  checkVector('variances', variances, k, true);
  checkVector('varianceRatios', varianceRatios, k, true);
  checkVector('singularValues', singularValues, k, true);
  for (let j = 0; j < d; j++) {
    demand(scale[j] > 0 && Number.isFinite(1 / scale[j]), 'scale holds a value that cannot be a divisor');
  }
  for (const name of ['totalVariance', 'noiseVariance', 'n', 'totalWeight', 'ddof'] as const) {
    demand(isBound(record[name]), () => `${name} is ${describeValue(record[name])}`);
  }
  const { n, totalWeight, ddof, centered, whiten } = record;
  demand(Number.isSafeInteger(n) && n >= 1, () => `n is ${n}, and a model is fitted to rows`);
  demand(totalWeight > ddof, () => `totalWeight ${totalWeight} is not above ddof ${ddof}`);
  demand(varianceRatios[0] <= 1, () => `varianceRatios has ${varianceRatios[0]}, and no share is above 1`);
  demand(typeof centered === 'boolean', () => `centered is ${describeValue(centered)}`);
  demand(centered || mean.every((m) => m === 0), 'mean is not zero although data were not centred');
  demand(whiten === false || whiten === 'pca' || whiten === 'zca', () => `whiten is ${describeValue(whiten)}`);
  const names: unknown = record.columnNames;
  demand(names === undefined || isList(names, d, isString), () => `columnNames are not ${d} names`);
  demand(isObject(uniqueness), 'uniqueness is missing');
  const { rank } = uniqueness;
  demand(Number.isSafeInteger(rank) && rank >= 0 && rank <= k, () => `uniqueness.rank is ${describeValue(rank)}`);
  const defect = known ?? orthonormalityDefect(components.data, k, d);
  demand(defect < 1e-6, () => `components are not orthonormal: off by ${defect}`);
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

import { isFloat64Array } from '../base/built-in-name.js';
import { checkEncoding } from '../data/encoding/encoding.js';
import { SCALINGS } from '../data/statistics/scaling.js';
import { describeValue } from '../errors.js';
import { orthonormalityDefect } from '../linalg/orthonormality.js';
import type { Certificate } from './certificate.js';
import {
  checkNumbers,
  checkVector,
  demand,
  isBound,
  isFiniteNumber,
  isList,
  isObject,
  isString,
} from './check-numbers.js';
import { type ModelRecord, OPTIONAL_VECTORS } from './record.js';
import { checkStability } from './stability.js';
import type { Uniqueness } from './uniqueness.js';

/** Checks a record, which may have any types, and throws if it is not a valid model. */
export function checkRecord(record: ModelRecord, known?: number): void {
  checkNumbers(record, known === undefined ? orthonormalityDefect : () => known);
  const { rows: k, cols: d } = record.components;
  for (const name of OPTIONAL_VECTORS) {
    const values = record[name];
    demand(
      values === undefined || (isFloat64Array(values) && values.length === d),
      () => `${name} is not ${d} numbers`,
    );
    demand(values === undefined || values.every(isBound), () => `${name} holds a value that is negative or not finite`);
  }
  checkSpectrum(record.spectrum, record.variances, d);
  checkChoice(record.choice);
  demand(
    record.scaling === undefined || SCALINGS.includes(record.scaling),
    () => `scaling is ${describeValue(record.scaling)}`,
  );
  demand(record.dtype === 'float32' || record.dtype === 'float64', () => `dtype is ${describeValue(record.dtype)}`);
  checkPlanAndWarnings(record);
  checkCertificate(record.certificate, k);
  checkUniqueness(record.uniqueness, k);
  checkTrace(record.trace);
  checkStability(record.stability, k, d);
  checkRobustFit(record.robust);
  checkEncoding(record.coding, d);
}

function checkSpectrum(spectrum: unknown, variances: Float64Array, d: number): void {
  if (spectrum === undefined) return;
  demand(isFloat64Array(spectrum), 'spectrum is not a list of numbers');
  const values = spectrum as Float64Array;
  demand(values.length >= variances.length && values.length <= d, () => `spectrum has ${values.length} numbers`);
  checkVector('spectrum', values, values.length, true);
  for (let i = 0; i < variances.length; i++) {
    demand(values[i] === variances[i], () => `spectrum and variances differ at ${i}`);
  }
}

function checkChoice(choice: unknown): void {
  if (choice === undefined) return;
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isName = (value: unknown): boolean => isString(value) && /^[a-z][a-z0-9-]{0,63}$/.test(value);
  const isCriterion = (value: unknown): boolean =>
    isObject(value) &&
    isName(value.name) &&
    (value.k === null || isCount(value.k)) &&
    isList(value.values, undefined, isFiniteNumber) &&
    (value.thresholds === undefined || isList(value.thresholds, undefined, isFiniteNumber)) &&
    isString(value.sentence);
  demand(isObject(choice) && isCount(choice.k) && isString(choice.reason), 'choice has no k or reason');
  const { agree, criteria, spectrum } = choice as Record<string, unknown>;
  demand(isList(agree, undefined, isName), 'choice.agree is not a list of criteria');
  demand(isList(criteria, undefined, isCriterion), 'choice.criteria is not a list of criteria');
  demand(isList(spectrum, undefined, isBound), 'choice.spectrum is not a list of variances');
}

function checkPlanAndWarnings({ plan, warnings }: ModelRecord): void {
  demand(isObject(plan) && isObject(plan.costs), 'plan is not a plan');
  demand([plan.solver, plan.engine, plan.reason].every(isString), 'plan has no solver, engine or reason');
  demand(isList(warnings), 'warnings are not a list');
  demand(
    warnings.every((warning) => isObject(warning) && isString(warning.code) && isString(warning.message)),
    'a warning has no code or message',
  );
}

function checkCertificate(certificate: Certificate, k: number): void {
  demand(isObject(certificate), 'certificate is missing');
  const { checked } = certificate;
  demand(checked === undefined || checked === false, () => `certificate.checked is ${describeValue(checked)}`);
  const isKnown = (bound: unknown): boolean =>
    isBound(bound) || (checked === false && bound === Number.POSITIVE_INFINITY);
  for (const name of ['residuals', 'varianceBounds', 'angleBounds'] as const) {
    demand(isList(certificate[name], k, isKnown), () => `certificate.${name} are not ${k} bounds`);
  }
  for (const name of ['subspaceAngleBound', 'orthonormality'] as const) {
    demand(isBound(certificate[name]), () => `certificate.${name} is ${describeValue(certificate[name])}`);
  }
}

function checkUniqueness(uniqueness: Uniqueness, k: number): void {
  const { subspace, axes } = uniqueness;
  demand(isVerdict(subspace), 'uniqueness.subspace is not a verdict');
  demand(isList(axes, k, isVerdict), () => `uniqueness.axes are not ${k} verdicts`);
}

function isVerdict(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.determined === 'boolean' &&
    (value.gap === null || isBound(value.gap)) &&
    isBound(value.noiseAngle)
  );
}

function checkTrace(trace: unknown): void {
  if (trace === undefined) return;
  const isMeasure = (value: unknown): boolean => value === undefined || typeof value === 'number';
  const isEpoch = (value: unknown): boolean =>
    isObject(value) &&
    Number.isSafeInteger(value.epoch) &&
    [value.loss, value.step, value.defect, value.angle, value.residual].every(isMeasure) &&
    isObject(value.terms) &&
    Object.values(value.terms).every(isMeasure);
  demand(Array.isArray(trace) && trace.every(isEpoch), 'trace is not a list of epochs');
}

function checkRobustFit(robust: unknown): void {
  if (robust === undefined) return;
  const { method, flagged, scoreLimit } = isObject(robust) ? robust : {};
  demand(isString(method) && isList(flagged) && isBound(scoreLimit), 'robust has no method, limit or flagged rows');
}

import { isFloat64Array } from '../built-in-name.js';
import { type Coding, checkCoding } from '../data/coding.js';
import type { Matrix } from '../data/matrix.js';
import type { DType } from '../data/open-source.js';
import { SCALINGS, type ScalingRule } from '../data/scaling.js';
import { describeValue } from '../errors.js';
import type { Epoch } from '../solvers/learned/epoch.js';
import type { SolverName } from '../solvers/names.js';
import type { Warning } from '../warning.js';
import type { Certificate } from './certificate.js';
import { checkNumbers, checkVector, demand, isBound, isList, isNumber, isObject, isString } from './check-numbers.js';
import { type Choice, CRITERION_NAMES } from './choice.js';
import { checkStability, type Stability } from './stability.js';
import type { Uniqueness } from './uniqueness.js';

/** Whether scores are scaled to variance 1: not at all, along the components, or turned back to the columns. */
export type Whiten = false | 'pca' | 'zca';

/** The solver and engine of a fit, and why they were chosen. */
export interface Plan {
  readonly solver: SolverName;
  readonly engine: string;
  /** Whether a stream's rows are kept in memory, because the solver must see them again. */
  readonly keepsRows: boolean;
  /** One sentence for people. */
  readonly reason: string;
  /** Estimated seconds of each solver that could do it, on four cores like those of the benchmarks; the plan takes the cheapest. */
  readonly costs: Readonly<Partial<Record<SolverName, number>>>;
}

/** The data of a model. */
export interface ModelRecord {
  /** k × d, one component per row, orthonormal, most variance first, the largest entry of each positive. */
  readonly components: Matrix<Float64Array>;
  /** Subtracted from each column; zeros when the data were not centred. */
  readonly mean: Float64Array;
  /** Each column is divided by this. Column weights are in it: the divisor of a column over the root of its weight. */
  readonly scale: Float64Array;
  /** How `scale` was chosen; absent in models of version 0.1.0. */
  readonly scaling?: ScalingRule;
  /** Variance along each component: λ, eigenvalues of the covariance of the scaled data. */
  readonly variances: Float64Array;
  /**
   * All variances, largest first, where the solver computed them: min(d, n − 1) for centred data, the first k those of
   * `variances`.
   */
  readonly spectrum?: Float64Array | undefined;
  /** variances / totalVariance. */
  readonly varianceRatios: Float64Array;
  /** Variance of all columns together: tr C. */
  readonly totalVariance: number;
  /** Variance of each scaled column: the diagonal of C. Models stored by version 0.1.0 do not have it. */
  readonly columnVariances?: Float64Array;
  /** The weights of the columns, where they were given. */
  readonly columnWeights?: Float64Array | undefined;
  /** Singular values of the centred, scaled, weighted data: σ = √(λ·(Σw − ddof)). */
  readonly singularValues: Float64Array;
  /** Mean variance of the d − k directions left out: σ² of probabilistic PCA (Tipping & Bishop 1999). */
  readonly noiseVariance: number;
  /** Rows the model was fitted to, not counting rows of weight 0. */
  readonly n: number;
  /** Σw; n when rows had no weights. */
  readonly totalWeight: number;
  readonly ddof: number;
  readonly centered: boolean;
  readonly whiten: Whiten;
  readonly columnNames?: readonly string[] | undefined;
  /** Type that the data were stored in. */
  readonly dtype: DType;
  readonly plan: Plan;
  readonly certificate: Certificate;
  readonly uniqueness: Uniqueness;
  readonly warnings: readonly Warning[];
  /** Where k was chosen by criteria: what each says, and why this number. */
  readonly choice?: Choice | undefined;
  /** How the user's table becomes the columns of the model, where it was not just numbers. */
  readonly coding?: Coding | undefined;
  /** The epochs of a solver that learns. */
  readonly trace?: readonly Epoch[] | undefined;
  /** How much the components vary from sample to sample, where a bootstrap was asked for. */
  readonly stability?: Stability;
}

/** The vectors of a record, with the length each must have, for storing. */
export const VECTORS = [
  ['mean', 'd'],
  ['scale', 'd'],
  ['variances', 'k'],
  ['varianceRatios', 'k'],
  ['singularValues', 'k'],
] as const satisfies readonly (readonly [keyof ModelRecord, 'd' | 'k'])[];

/** Vectors of d numbers that a record may have. They are stored with the scalars, so that older readers skip them. */
export const OPTIONAL_VECTORS = ['columnVariances', 'columnWeights'] as const satisfies readonly (keyof ModelRecord)[];

/** Throws where a record cannot be a model, and says why. Nothing about it is assumed, not even its types. */
export function checkRecord(record: ModelRecord, known?: number): void {
  checkNumbers(record, known);
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
  checkCoding(record.coding, d);
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
  const isName = (value: unknown): boolean => (CRITERION_NAMES as readonly unknown[]).includes(value);
  const isCriterion = (value: unknown): boolean =>
    isObject(value) &&
    isName(value.name) &&
    (value.k === null || isCount(value.k)) &&
    isList(value.values, undefined, isNumber) &&
    (value.thresholds === undefined || isList(value.thresholds, undefined, isNumber)) &&
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
  for (const name of ['residuals', 'varianceBounds', 'angleBounds'] as const) {
    demand(isList(certificate[name], k, isBound), () => `certificate.${name} are not ${k} bounds`);
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

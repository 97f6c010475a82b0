import { ModelError } from '../errors.js';

/**
 * The units that a bootstrap draws: rows, blocks of neighbouring rows, groups of rows, or new rows from a normal distribution
 * with the covariance of the sample.
 */
export type BootstrapKind = 'rows' | 'blocks' | 'groups' | 'parametric';

/**
 * How the components of a replicate are compared with those of the sample: the i-th with the i-th, after choosing the closer sign
 * (`order`), or after rotating all of them onto those of the sample (`procrustes`).
 */
export type Alignment = 'order' | 'procrustes';

/** A lower and an upper limit. */
export type Interval = readonly [low: number, high: number];

/** The distribution of an angle over all replicates, in radians. */
export interface AngleSpread {
  readonly median: number;
  /** The 95th percentile. */
  readonly q95: number;
}

/** Lower and upper limits of the entries of a row-major matrix: k × d for loadings and correlations, n × k for scores. */
export interface MatrixLimits {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** How much the components would differ in another sample of the same size: the result of a bootstrap. */
export interface Stability {
  readonly replicates: number;
  readonly kind: BootstrapKind;
  /** Rows of a block, for `kind: 'blocks'`. */
  readonly block?: number;
  /** Number of groups, for `kind: 'groups'`. */
  readonly groups?: number;
  readonly alignment: Alignment;
  readonly level: 0.95;
  readonly seed: number;
  /** How the replicates were computed, and the number of passes over the rows that they took. */
  readonly method: 'scatter' | 'dual' | 'iteration' | 'parametric';
  readonly passes: number;
  /** 95 % intervals of the variance of each component, and of its share of the total variance. */
  readonly variances: readonly Interval[];
  readonly ratios: readonly Interval[];
  /** The angle between axis i of a replicate and axis i of the sample. */
  readonly angles: readonly AngleSpread[];
  /** The largest principal angle between the first 1, 2, …, k axes of a replicate and of the sample. */
  readonly subspaceAngles: readonly AngleSpread[];
  /** The share of replicates in which components i and i + 1 have exchanged places: k − 1 numbers. */
  readonly swaps: readonly number[];
  readonly loadings: MatrixLimits;
  /** Correlations of the columns with the components. */
  readonly correlations: MatrixLimits;
  /** Scores of the rows, if they were requested. */
  readonly scores?: MatrixLimits;
  /**
   * The 2.5 and 97.5 % quantiles of the variances of the replicates, without a correction of their bias: see
   * docs/guide/how-sure.md.
   */
  readonly percentiles: { readonly variances: readonly Interval[] };
  /** Anderson's intervals (1963), valid for many rows of normal data whose variances are far apart. */
  readonly asymptotic: { readonly variances: readonly Interval[] };
}

/** Throws if a stored stability is invalid for a model of k components and d columns. */
export function checkStability(given: unknown, k: number, d: number): void {
  if (given === undefined) return;
  demand(isObject(given), 'is not an object');
  const counts = [given.replicates, given.seed, given.passes];
  demand(counts.every(Number.isSafeInteger) && (given.replicates as number) >= 1, 'has no number of replicates');
  demand(
    [given.kind, given.alignment, given.method].every((name) => typeof name === 'string'),
    'has no kind',
  );
  demand(given.level === 0.95, 'has another level than 0.95');
  for (const name of ['variances', 'ratios'] as const)
    demand(isIntervals(given[name], k), `.${name} are not intervals`);
  for (const name of ['percentiles', 'asymptotic'] as const) {
    const beside = given[name];
    demand(isObject(beside) && isIntervals(beside.variances, k), `.${name} are not intervals`);
  }
  for (const name of ['angles', 'subspaceAngles'] as const) {
    const isAngle = (value: unknown): boolean => isObject(value) && isSize(value.median) && isSize(value.q95);
    demand(isList(given[name], k, isAngle), `.${name} are not ${k} angles`);
  }
  demand(isList(given.swaps, k - 1, isSize), `.swaps are not ${k - 1} probabilities`);
  for (const name of ['loadings', 'correlations'] as const)
    demand(isLimits(given[name], k * d), `.${name} are not limits`);
  demand(given.scores === undefined || isLimits(given.scores), '.scores are not limits');
}

function isIntervals(value: unknown, length: number): boolean {
  return isList(value, length, (each) => isList(each, 2, isNumber) && (each as number[])[0] <= (each as number[])[1]);
}

function isLimits(value: unknown, length?: number): boolean {
  return isObject(value) && isList(value.low, length, isNumber) && isList(value.high, length, isNumber);
}

function isList(value: unknown, length: number | undefined, each: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && (length === undefined || value.length === length) && value.every(each);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isSize(value: unknown): boolean {
  return isNumber(value) && (value as number) >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds)
    throw new ModelError('BAD_MODEL', `This is not a model: stability${what.startsWith('.') ? '' : ' '}${what}.`);
}

/** The stability of the first k components. */
export function stabilityOfFirst(stability: Stability, k: number, d: number): Stability {
  if (k === stability.variances.length) return stability;
  const rows = ({ low, high }: MatrixLimits): MatrixLimits => ({
    low: low.slice(0, k * d),
    high: high.slice(0, k * d),
  });
  const { scores } = stability;
  const kept = stability.variances.length;
  const columns = (values: readonly number[]): number[] => values.filter((_, at) => at % kept < k);
  return {
    ...stability,
    variances: stability.variances.slice(0, k),
    ratios: stability.ratios.slice(0, k),
    angles: stability.angles.slice(0, k),
    subspaceAngles: stability.subspaceAngles.slice(0, k),
    swaps: stability.swaps.slice(0, k - 1),
    loadings: rows(stability.loadings),
    correlations: rows(stability.correlations),
    ...(scores ? { scores: { low: columns(scores.low), high: columns(scores.high) } } : {}),
    percentiles: { variances: stability.percentiles.variances.slice(0, k) },
    asymptotic: { variances: stability.asymptotic.variances.slice(0, k) },
  };
}

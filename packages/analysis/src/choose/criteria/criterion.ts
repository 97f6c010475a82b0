import type { CriterionName, Engine } from '@scree/core';
import type { ProgressTracker } from '@scree/core/pipeline';

/** What is known about the data, in the units of the model: scaled columns, variances divided by n − ddof. */
export interface Evidence {
  readonly n: number;
  readonly d: number;
  readonly centered: boolean;
  readonly weighted: boolean;
  /** Whether all columns that vary have the same variance: the covariance is the correlation matrix, but for a factor. */
  readonly correlation: boolean;
  /** All variances along components, largest first: min(d, n − 1) of centred data. */
  readonly spectrum: Float64Array;
  /** n − ddof: variances times this are sums of squares. */
  readonly divisor: number;
  /** Variances of the columns that vary. */
  readonly columnVariances?: Float64Array;
  /** The covariance of the columns that vary, both triangles. */
  readonly covariance?: Float64Array;
  /** The rows in groups, each by its moments: sums over many rows without the rows. */
  readonly folds?: readonly Fold[];
  /** The rows themselves, centred and scaled, without columns that do not vary (n × columns, row-major). */
  readonly rows?: Float64Array;
  /** What to say of criteria that need more than the data gave, by what they need. */
  readonly absent: Partial<Record<Need, string>>;
  readonly options: EvidenceOptions;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** Some rows: how many, their mean and their scatter about it (both triangles), in the units of the model. */
export interface Fold {
  readonly rows: number;
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
}

export interface EvidenceOptions {
  readonly seed: number;
  /** Simulated or permuted tables; undefined: as many as their size allows, up to 1000. */
  readonly permutations: number | undefined;
  readonly quantile: number;
  /** Standard deviation of the noise in every entry, where it is known. */
  readonly noise: number | undefined;
  readonly folds: number;
}

/** What a criterion needs besides the spectrum. */
export type Need = 'columnVariances' | 'covariance' | 'folds' | 'rows';

export interface Result {
  readonly k: number | null;
  readonly values: readonly number[];
  readonly thresholds?: readonly number[];
  readonly sentence: string;
}

/** A criterion as the registry lists it. */
export interface CriterionMethod {
  readonly name: CriterionName;
  /** What `values` are, and what they are compared with. */
  readonly about: string;
  readonly needs: readonly Need[];
  /** Whether its theory is about centred data, about rows without weights, about correlations. */
  readonly requires: readonly ('centered' | 'unweighted' | 'correlation')[];
  compute(evidence: Evidence): Result | Promise<Result>;
}

/** A result that says why there is none. */
export function doesNotApply(sentence: string): Result {
  return { k: null, values: [], sentence };
}

/** How many of the first values exceed their thresholds, up to the first that does not. */
export function leadingAbove(values: ArrayLike<number>, thresholds: ArrayLike<number>): number {
  let k = 0;
  while (k < values.length && values[k] > thresholds[k]) k++;
  return k;
}

/** The place of the smallest value; of the first, where several are. */
export function smallest(values: ArrayLike<number>): number {
  let at = 0;
  for (let i = 1; i < values.length; i++) if (values[i] < values[at]) at = i;
  return at;
}

/** "Component 1 has", "Components 1 and 2 have", "Components 1 to 3 have", "No component has": the first k. */
export function firstHave(k: number): string {
  if (k === 0) return 'No component has';
  if (k === 1) return 'Component 1 has';
  return `Components 1 ${k === 2 ? 'and' : 'to'} ${k} have`;
}

/** "1 component", "3 components", "no component". */
export function components(k: number): string {
  return k === 0 ? 'no component' : k === 1 ? '1 component' : `${k} components`;
}

/** A number in a sentence: four digits are enough. */
export function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

import type { Engine } from '@scree/core';
import type { ProgressTracker } from '@scree/core/pipeline';

/**
 * A criterion for the number of components. One file in this folder declares it, and one line of `registry.ts` adds it: options, flags, help,
 * titles, sentences and the table of the guide follow. Names and titles are loaded with help texts and pages, so a criterion that needs
 * the numerics of core imports them inside `compute`.
 */
export interface CriterionMethod {
  readonly name: string;
  readonly title: CriterionTitle;
  /** Sentences and figures name criteria with a larger number first. */
  readonly importance: number;
  /** Its row in docs/guide/how-many-components.md: "keeps components …", "applies to", "reference". */
  readonly guide: { readonly keeps: string; readonly appliesTo: string; readonly source: string };
  /** The evidence it needs besides the spectrum. */
  readonly needs: readonly Need[];
  /** Conditions of its theory: centred data, rows without weights, columns of equal variance. */
  readonly requires: readonly ('centered' | 'unweighted' | 'correlation')[];
  /**
   * Set if it may decide the recommendation: the criterion with the lowest rank that applies decides. `noise` describes the thresholds
   * of a test against noise. Only such a test can say that no component stands out.
   */
  readonly decides?: { readonly rank: number; readonly noise?: string };
  /** Operations if it is slow: of one simulated table, or of the whole computation. `quickCriteria` leaves out what takes too long. */
  readonly cost?: (shape: TableShape) => { readonly perTable: number } | { readonly total: number };
  /** Why it is not computed for n rows of d columns unless `permutations` is given: the end of a sentence. Undefined if it is computed. */
  readonly tooLong?: (n: number, d: number, options: EvidenceOptions) => string | undefined;
  compute(evidence: Evidence): Result | Promise<Result>;
}

/** Titles of a criterion. */
export interface CriterionTitle {
  /** In a table of criteria. */
  readonly long: string;
  /** In a figure. */
  readonly short: string;
  /** In a sentence: "the permutation test". */
  readonly sentence: string;
}

/** The shape of a table, for costs. */
export interface TableShape {
  readonly n: number;
  readonly d: number;
  /** True if columns are scaled to equal variance. */
  readonly correlation: boolean;
}

/** Facts about the data, in the units of the model: scaled columns, variances divided by n − ddof. */
export interface Evidence {
  readonly n: number;
  readonly d: number;
  readonly centered: boolean;
  readonly weighted: boolean;
  /** True if all columns that vary have the same variance: the covariance is then a multiple of the correlation matrix. */
  readonly correlation: boolean;
  /** All variances along components, largest first: min(d, n − 1) of centred data. */
  readonly spectrum: Float64Array;
  /** n − ddof: variances times this are sums of squares. */
  readonly divisor: number;
  /** Variances of the columns that vary. */
  readonly columnVariances?: Float64Array;
  /** The covariance of the columns that vary, both triangles. */
  readonly covariance?: Float64Array;
  /** The moments of each group of rows. */
  readonly folds?: readonly FoldMoments[];
  /** The rows, centred and scaled, without columns that do not vary (n × columns, row-major), if they are fewer than the columns. */
  readonly rows?: Float64Array;
  /** The same column by column, if there are more rows than columns. The permutation test shuffles them in place. */
  readonly columns?: Float64Array;
  /** Why a need is not met: the end of a sentence that begins with the criterion. */
  readonly absent: Partial<Record<Need, string>>;
  readonly options: EvidenceOptions;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** A group of rows: their number, their mean and their scatter about it (both triangles), in the units of the model. */
export interface FoldMoments {
  readonly rows: number;
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
}

export interface EvidenceOptions {
  readonly seed: number;
  /** Simulated or permuted tables. Undefined: up to 1000, fewer for large tables. */
  readonly permutations: number | undefined;
  readonly quantile: number;
  /** Standard deviation of the noise in every entry, if it is known. */
  readonly noise: number | undefined;
  readonly folds: number;
}

/** Evidence that a criterion may need besides the spectrum. */
export type Need = 'columnVariances' | 'covariance' | 'folds' | 'rows';

export interface Result {
  readonly k: number | null;
  readonly values: readonly number[];
  readonly thresholds?: readonly number[];
  readonly sentence: string;
}

/** The result of a criterion that does not apply; the sentence says why. */
export function doesNotApply(sentence: string): Result {
  return { k: null, values: [], sentence };
}

/** Counts the leading values that exceed their thresholds. */
export function leadingAbove(values: ArrayLike<number>, thresholds: ArrayLike<number>): number {
  let k = 0;
  while (k < values.length && values[k] > thresholds[k]) k++;
  return k;
}

/** The index of the largest value; the first one if several are equal. */
export function indexOfLargest(values: ArrayLike<number>): number {
  let at = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[at]) at = i;
  return at;
}

/** The index of the smallest value; the first one if several are equal. */
export function indexOfSmallest(values: ArrayLike<number>): number {
  let at = 0;
  for (let i = 1; i < values.length; i++) if (values[i] < values[at]) at = i;
  return at;
}

/** The sum of all variances. */
export function total(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
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

/** A number in a sentence, with four digits. */
export function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

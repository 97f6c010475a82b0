import type { Matrix } from '../data/blocks/matrix.js';
import type { DType } from '../data/blocks/row-source.js';
import type { Encoding } from '../data/encoding/encoding.js';
import type { ScalingRule } from '../data/statistics/scaling.js';
import type { Epoch } from '../solvers/learned/epoch.js';
import type { SolverName } from '../solvers/names.js';
import type { Warning } from '../warning.js';
import type { Certificate } from './certificate.js';
import type { Choice } from './choice.js';
import type { RobustFit } from './robust-fit.js';
import type { Stability } from './stability.js';
import type { Uniqueness } from './uniqueness.js';

/** How scores are scaled to variance 1: not at all, along the components, or rotated back to the columns. */
export type Whiten = false | 'pca' | 'zca';

/** The solver and engine of a fit, and why they were chosen. */
export interface Plan {
  readonly solver: SolverName;
  readonly engine: string;
  /** True if the rows of a stream are kept in memory, because the solver reads them more than once. */
  readonly keepsRows: boolean;
  /** The reason for the choice, as a sentence. */
  readonly reason: string;
  /**
   * Estimated seconds of each solver that can fit these data, on four cores of the machine of the benchmarks. The plan chooses
   * the cheapest solver.
   */
  readonly costs: Readonly<Partial<Record<SolverName, number>>>;
}

/** The plan of a model; `'given'` is the solver of components that other software computed. */
export type ModelPlan = Omit<Plan, 'solver'> & { readonly solver: SolverName | 'given' };

/** What a model was made from if not from rows: components of other software, or a covariance matrix. */
export type Origin = 'components' | 'covariance';

/**
 * The fields of a model. Numbers that a model with an `origin` does not know are NaN: `n`, `totalWeight` and `singularValues`
 * together, `totalVariance`, `varianceRatios` and `noiseVariance` together, and `mean`.
 */
export interface ModelRecord {
  /**
   * k × d, one component per row: orthonormal, in descending order of variance. The largest entry of each is positive, unless the options
   * `signs` or `axes`, or other software, chose otherwise. `model.components.row(0)` is the first.
   */
  readonly components: Matrix<Float64Array>;
  /** Subtracted from each column. Zeros if the data were not centred. */
  readonly mean: Float64Array;
  /** The divisor of each column: its scale over the square root of its column weight. */
  readonly scale: Float64Array;
  /** How `scale` was chosen; absent in models of version 0.1.0. */
  readonly scaling?: ScalingRule;
  /** Variance along each component: the eigenvalues λ of the covariance of the scaled data. */
  readonly variances: Float64Array;
  /**
   * All variances in descending order, if the solver computed them: min(d, n − 1) for centred data. The first k are those of
   * `variances`.
   */
  readonly spectrum?: Float64Array | undefined;
  /** Share of the variance along each component: variances / totalVariance. `model.cumulativeRatios` has their sums. */
  readonly varianceRatios: Float64Array;
  /** The sum of the variances of all columns: tr C. */
  readonly totalVariance: number;
  /** Variance of each scaled column: the diagonal of C. Absent in models of version 0.1.0. */
  readonly columnVariances?: Float64Array;
  /** The column weights, if they were given. */
  readonly columnWeights?: Float64Array | undefined;
  /** Singular values of the centred, scaled, weighted data: σ = √(λ·(Σw − ddof)). */
  readonly singularValues: Float64Array;
  /** Mean variance of the other d − k directions: σ² of probabilistic PCA (Tipping & Bishop 1999). */
  readonly noiseVariance: number;
  /** Number of fitted rows, without rows of weight 0. */
  readonly n: number;
  /** Σw; n if rows had no weights. */
  readonly totalWeight: number;
  /** The covariance is S/(Σw − ddof). */
  readonly ddof: number;
  /** True if the means were subtracted. */
  readonly centered: boolean;
  /** How `transform` scales scores to variance 1: not at all, along the components, or turned back to the columns. */
  readonly whiten: Whiten;
  /** The names of the columns, if they have names. Records are read by them. */
  readonly columnNames?: readonly string[] | undefined;
  /** The type in which the data were stored. */
  readonly dtype: DType;
  /** The solver and the engine, and why they were chosen: `model.plan.reason`. */
  readonly plan: ModelPlan;
  /** Bounds on the rounding error: `model.certificate.angleBounds[0]` is that of the first component, in radians. */
  readonly certificate: Certificate;
  /** Whether these rows determine the components: `model.uniqueness.axes[0].determined`. */
  readonly uniqueness: Uniqueness;
  /** What the user should know: `for (const { code, message } of model.warnings) console.log(code, message)`. */
  readonly warnings: readonly Warning[];
  /** The results of the criteria for k, if k was chosen by criteria. */
  readonly choice?: Choice | undefined;
  /** How the user's table becomes the columns of the model, if the table has categories or transforms. */
  readonly coding?: Encoding | undefined;
  /** The epochs of a solver that learns. */
  readonly trace?: readonly Epoch[] | undefined;
  /** How much the components vary from sample to sample, if a bootstrap was requested. */
  readonly stability?: Stability;
  /** How the components were fitted robustly; absent for other fits. */
  readonly robust?: RobustFit | undefined;
  /** What the model was made from; absent if it was fitted to rows. */
  readonly origin?: Origin | undefined;
}

/** The vectors of a record with their lengths, for storing. */
export const VECTORS = [
  ['mean', 'd'],
  ['scale', 'd'],
  ['variances', 'k'],
  ['varianceRatios', 'k'],
  ['singularValues', 'k'],
] as const satisfies readonly (readonly [keyof ModelRecord, 'd' | 'k'])[];

/** Optional vectors of d numbers. They are stored with the scalars, so that older readers skip them. */
export const OPTIONAL_VECTORS = ['columnVariances', 'columnWeights'] as const satisfies readonly (keyof ModelRecord)[];

/** √λ of component i: from σ, because λ may underflow, or from λ if the number of rows is unknown. */
export function deviationOf(
  {
    singularValues,
    variances,
    totalWeight,
    ddof,
  }: Pick<ModelRecord, 'singularValues' | 'variances' | 'totalWeight' | 'ddof'>,
  i: number,
): number {
  return Number.isNaN(totalWeight) ? Math.sqrt(variances[i]) : singularValues[i] / Math.sqrt(totalWeight - ddof);
}

/** √λ of all components; 0 for those without variance. */
export function deviationsOf(record: ModelRecord): Float64Array {
  return record.singularValues.map((_, i) => (i < record.uniqueness.rank ? deviationOf(record, i) : 0));
}

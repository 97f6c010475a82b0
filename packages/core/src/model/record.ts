import type { Matrix } from '../data/blocks/matrix.js';
import type { DType } from '../data/blocks/row-source.js';
import type { Encoding } from '../data/encoding/encoding.js';
import type { ScalingRule } from '../data/statistics/scaling.js';
import type { Epoch } from '../solvers/learned/epoch.js';
import type { SolverName } from '../solvers/names.js';
import type { Warning } from '../warning.js';
import type { Certificate } from './certificate.js';
import type { Choice } from './choice.js';
import type { Stability } from './stability.js';
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
  readonly coding?: Encoding | undefined;
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

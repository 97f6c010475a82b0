import type { ProgressTracker } from '../base/progress.js';
import type { Block } from '../data/blocks/block.js';
import type { DataChecksum } from '../data/statistics/checksum.js';
import type { FitScaler, Scale } from '../data/statistics/scaling.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { DualScaler, Engine, RowsAt } from '../engines/engine.js';
import type { Passes } from '../engines/passes.js';
import type { ErrorDetails } from '../errors.js';
import type { CostModel } from './cost-model.js';
import type { Epoch } from './learned/epoch.js';
import type { LearnOptions } from './learned/learn-options.js';
import type { SketchOptions } from './sketch/sketch-options.js';

/**
 * The input of a solver. The data are scaled: centred, weighted, and of size 1. It finds eigenvectors of S = BᵀB.
 * ddof, units, order and signs are left to `finish`.
 */
export interface Problem {
  /** Columns. */
  readonly d: number;
  /** The most components that can have variance: min(d, n − 1) for centred data. */
  readonly rankLimit: number;
  readonly wanted: WantedComponents;
  /** tr S, the sum of all its eigenvalues. */
  readonly scatterTrace: number;
  /** How far rounding may have taken the computed S, or its products, from the exact: ‖ΔS‖ at most. */
  readonly roundoff: number;
  /** The part of it that comes from the rounding of means and scales, which no solver can reduce. */
  readonly scalingError: number;
  /** Residual ‖Sv − λv‖/λ₁ that iterative solvers must reach. */
  readonly tolerance: number;
  /** Options of the solvers that learn. */
  readonly learn: LearnOptions;
  /** Size of one unit of the scaled data in the units of the data, for messages. */
  readonly unit: number;
  /** Whether B's rows add up to zero: data that are centred and have no weights. */
  readonly centred: boolean;
  readonly seed: number;
  /** The seed of vectors on which a certificate rests: `seed`, mixed with a checksum of the data where the solver takes one. */
  readonly startSeed: number;
  /** For products and reductions of the solver's own matrices. */
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** A problem whose scatter alone is known: from one pass over the rows, or from moments. */
export interface ScatterProblem extends Problem {
  /** S, upper triangle (d × d). The solver may destroy it. */
  readonly scatter: Float64Array;
}

/** A problem whose rows can be read as often as the solver needs. */
export interface RowsProblem extends Problem {
  readonly passes: Passes;
}

/** A problem with both: the scatter, summed in less than float64, and the rows. */
export interface ScatterAndRowsProblem extends ScatterProblem, RowsProblem {}

/** A problem whose rows were read once, by a fold. `passes` is there where the rows can be read again. */
export interface OnePassProblem extends Problem {
  readonly scaler: FitScaler;
  readonly passes: Passes | undefined;
}

/** The state of a solver that reads the rows once, as they come. */
export interface IncrementalFit {
  readonly columns: Readonly<ColumnStatistics>;
  /** Blocks that were added. */
  readonly merges: number;
  add(block: Block, at: RowsAt, engine: Engine, progress: ProgressTracker): Promise<void>;
  solve(problem: OnePassProblem): Promise<Solution>;
}

/** Settings of a solver that reads the data once, known before the first row. */
export interface IncrementalFitSettings {
  readonly cols: number;
  readonly k?: number | 'all';
  readonly center: boolean;
  readonly scale: Scale;
  readonly columnWeights?: ArrayLike<number>;
  readonly ddof: number;
  readonly seed: number;
  readonly learn?: LearnOptions;
  readonly sketch?: SketchOptions;
}

/** How many components: a count, or as many as explain a fraction of the variance. */
export type WantedComponents = { readonly count: number } | { readonly fraction: number };

export interface Solution {
  readonly k: number;
  /** Orthonormal rows (k × d) that span the subspace, the axis of most variance first. */
  readonly basis: Float64Array;
  /** max |VVᵀ − I| of them, where the solver has measured it. */
  readonly defect?: number;
  /** Eigenvalues of S that belong to the rows. */
  readonly values: Float64Array;
  /** All eigenvalues of S, largest first, where the solver computed them on its way; those of `values` may differ in rounding. */
  readonly spectrum?: Float64Array;
  /** ‖Sv − λv‖ for each, measured; or the most it can be, where the rows are gone. */
  readonly residuals: Float64Array;
  /** The eigenvalue after the last one wanted, and how far off it may be; undefined when there is none (k = d). */
  readonly next: { readonly value: number; readonly bound: number } | undefined;
  /** Whether values are the Rayleigh quotients vᵀSv of the rows, which lie closer to eigenvalues than other estimates. */
  readonly rayleigh?: boolean;
  /**
   * Where the solver worked on B and not on its square: how far its singular values may be off, ‖ΔB‖ at most. It
   * makes small variances far more certain than `roundoff` alone.
   */
  readonly singularBound?: number;
  /**
   * Where the solver knows of every eigenvalue by its number, the largest first, where it lies: at most `above` above
   * its value and `below` below it, apart from `roundoff`. Nothing can have been missed then.
   */
  readonly bracket?: { readonly above: Float64Array; readonly below: number };
  /**
   * How many residuals away an eigenvalue may hide that a random start has not shown; 1 where all were computed.
   * A vector x with eigenvalue μ shows in a space Q as a Ritz value within ‖R‖/‖Qᵀx‖ of μ, and a random block of b
   * vectors has ‖Qᵀx‖ below √(b/d)/30 with a probability of about 30⁻ᵇ.
   */
  readonly search?: number;
  /** Whether an iterative solver met the tolerance; direct solvers always have. */
  readonly converged: boolean;
  /** How many times the data were read. */
  readonly passes: number;
  /** Whether the result could not be checked, because the rows cannot be read again. */
  readonly unchecked?: boolean;
  /** The epochs of a solver that learns. */
  readonly trace?: readonly Epoch[];
  /** Why an iterative solver stopped and what to do, where the reason is not the limit of passes. */
  readonly failure?: Failure;
}

/** Why learning failed, and which option to change. */
export interface Failure {
  readonly code: 'NOT_CONVERGED' | 'DIVERGED';
  readonly message: string;
  readonly details: ErrorDetails;
}

/** A solver, and how it needs the data. */
export type Solver = {
  readonly tolerance?: number;
  /** For solvers that start from random vectors: a checksum, to which all rows are added as they are read first. */
  readonly newChecksum?: () => DataChecksum;
} & (
  | { readonly needs: 'scatter'; solve(problem: ScatterProblem): Promise<Solution> }
  | {
      readonly needs: 'rows';
      solve(problem: RowsProblem): Promise<Solution>;
      /** For solvers that start with a `dual` pass: the scaler of that pass, if the block has all rows of the source. */
      dualScaler?(
        settings: Omit<IncrementalFitSettings, 'cols'>,
        source: { readonly resident?: boolean; readonly rows?: number | undefined },
        block: { readonly rows: number },
      ): DualScaler | undefined;
    }
  | { readonly needs: 'both'; solve(problem: ScatterAndRowsProblem): Promise<Solution> }
  | { readonly needs: 'once'; begin(settings: IncrementalFitSettings): IncrementalFit }
);

/** The form of the data that a solver needs: their scatter, rows that can be read again, both, or one reading. */
export type Needs = Solver['needs'];

/** Options that decide what a solver needs. */
export interface SolverUse {
  readonly cols: number;
  readonly learn?: LearnOptions | undefined;
}

/** The options of `learn` that a solver takes, and its rules, the default first. */
export interface LearnChoices {
  readonly rules?: readonly string[];
  readonly options: readonly (keyof LearnOptions)[];
}

/** The declaration of a solver, available before its code is loaded: `registry.ts` lists these, and the plan, options and help derive from them. */
export interface SolverDeclaration {
  readonly family: 'direct' | 'learned' | 'sketch';
  /** How it finds the components, as the end of a sentence: "the eigenvectors of the covariance matrix". */
  readonly method: string;
  needs(use: SolverUse): Needs;
  readonly learn?: LearnChoices;
  /** Side of the square matrix that it forms, where it forms one. */
  matrixSize?(shape: { readonly rows?: number | undefined; readonly cols: number }): number;
  /** Seconds it would take; undefined where it cannot do the work. A solver without costs is used only on request. */
  cost?(work: CostModel): number | undefined;
  /** Why it is the best choice for this shape, as a sentence. */
  reason?(shape: { readonly rows: number; readonly cols: number; readonly nonzeros?: number }): string;
  /** Whether it works on the data and not on their squares, so that variances far below 1e-16 of the largest are seen. */
  readonly precise?: boolean;
  /** Whether it sees rows only through `summarise`, `gram` and `normal`, so that they may be on a cluster. */
  readonly remote?: boolean;
  /** The limit of its accuracy, and what to do where that is not enough to separate two axes. */
  readonly accuracy: { readonly limit: 'rounding' | 'sketch'; readonly remedy: string };
  load(use: SolverUse): Solver | Promise<Solver>;
}

/** How many of the falling `values` are wanted. */
export function countWanted(wanted: WantedComponents, values: ArrayLike<number>, scatterTrace: number): number {
  if ('count' in wanted) return wanted.count;
  // A sum that misses the fraction by rounding alone has reached it.
  const target = wanted.fraction * scatterTrace * (1 - 1e-13);
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i];
    if (sum >= target) return i + 1;
  }
  return values.length;
}

/** The eigenvalue after the first k of all `values`, known to `bound`. */
export function nextValue(values: ArrayLike<number>, k: number, problem: Problem, bound: number): Solution['next'] {
  if (k >= problem.d) return undefined;
  const beyondRank = k >= problem.rankLimit || k >= values.length;
  return { value: beyondRank ? 0 : Math.max(0, values[k]), bound };
}

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
 * The input of a solver. The data are scaled: centred, weighted, and of size 1. The solver finds eigenvectors of S = BᵀB.
 * `finish` handles ddof, units, order and signs.
 */
export interface Problem {
  /** Columns. */
  readonly d: number;
  /** Largest possible number of components with variance: min(d, n − 1) for centred data. */
  readonly rankLimit: number;
  readonly wanted: WantedComponents;
  /** tr S, the sum of all eigenvalues of S. */
  readonly scatterTrace: number;
  /** Upper bound on ‖ΔS‖, the rounding error of the computed S or of products with S. */
  readonly roundoff: number;
  /** The part of `roundoff` that comes from the rounding of means and scales. No solver can reduce it. */
  readonly scalingError: number;
  /** Residual ‖Sv − λv‖/λ₁ that iterative solvers must reach. */
  readonly tolerance: number;
  /** Options of the solvers that learn. */
  readonly learn: LearnOptions;
  /** Size of one unit of the scaled data in the units of the data, for messages. */
  readonly unit: number;
  /** True if the rows of B add up to zero: the data are centred and have no weights. */
  readonly centred: boolean;
  readonly seed: number;
  /**
   * The seed of random vectors that a certificate depends on: `seed`, mixed with a checksum of the data if the solver requests
   * one.
   */
  readonly startSeed: number;
  /** Runs products and reductions of the solver's own matrices. */
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** A problem for solvers that need only the scatter, from one pass over the rows or from moments. */
export interface ScatterProblem extends Problem {
  /** S, upper triangle (d × d). The solver may overwrite it. */
  readonly scatter: Float64Array;
}

/** A problem whose rows can be read any number of times. */
export interface RowsProblem extends Problem {
  readonly passes: Passes;
}

/** A problem with a scatter that was summed in less than float64, and with the rows. */
export interface ScatterAndRowsProblem extends ScatterProblem, RowsProblem {}

/** A problem whose rows were read once, by an `IncrementalFit`. `passes` is present if the rows can be read again. */
export interface OnePassProblem extends Problem {
  readonly scaler: FitScaler;
  readonly passes: Passes | undefined;
}

/** The state of a solver that reads the rows once, block by block. */
export interface IncrementalFit {
  readonly columns: Readonly<ColumnStatistics>;
  /** Number of blocks that were added. */
  readonly merges: number;
  add(block: Block, at: RowsAt, engine: Engine, progress: ProgressTracker): Promise<void>;
  solve(problem: OnePassProblem): Promise<Solution>;
}

/** The settings of an incremental fit, which are known before the first row. */
export interface IncrementalFitSettings {
  readonly cols: number;
  readonly k?: number | 'all' | undefined;
  readonly center: boolean;
  readonly scale: Scale;
  readonly columnWeights?: ArrayLike<number> | undefined;
  readonly ddof: number;
  readonly seed: number;
  readonly learn?: LearnOptions | undefined;
  readonly sketch?: SketchOptions | undefined;
}

/** The requested number of components: a count, or a fraction of the variance that they must explain. */
export type WantedComponents = { readonly count: number } | { readonly fraction: number };

export interface Solution {
  readonly k: number;
  /** Orthonormal rows (k × d) that span the subspace, usually in descending order of variance. */
  readonly basis: Float64Array;
  /** max |VVᵀ − I| of the basis, if the solver measured it. */
  readonly defect?: number;
  /** The eigenvalue of S for each row of the basis. */
  readonly values: Float64Array;
  /** All eigenvalues of S in descending order, if the solver computed them. They may differ from `values` in rounding. */
  readonly spectrum?: Float64Array;
  /** ‖Sv − λv‖ for each row v: measured, or an upper bound if the rows can be read only once. */
  readonly residuals: Float64Array;
  /** The eigenvalue after the k wanted ones, and an upper bound on its error; undefined if k = d. */
  readonly next: { readonly value: number; readonly bound: number } | undefined;
  /** True if the values are the Rayleigh quotients vᵀSv of the basis. They are closer to eigenvalues than other estimates. */
  readonly rayleigh?: boolean;
  /**
   * For solvers that work on B and not on its square: an upper bound on ‖ΔB‖, the error of the singular values. It certifies
   * small variances much better than `roundoff`.
   */
  readonly singularBound?: number;
  /**
   * For solvers that bracket every eigenvalue by its index in descending order: it lies at most `above` above its value, and at
   * most `below` below it, apart from `roundoff`. Then no eigenvalue can have been missed.
   */
  readonly bracket?: { readonly above: Float64Array; readonly below: number };
  /**
   * For solvers with a random start: an eigenvalue that was missed lies within this number of residuals of one that was found. 1
   * if all eigenvalues were computed. A vector x with eigenvalue μ appears in a space Q as a Ritz value within ‖R‖/‖Qᵀx‖ of μ,
   * and a random block of b vectors has ‖Qᵀx‖ below √(b/d)/30 with a probability of about 30⁻ᵇ.
   */
  readonly search?: number;
  /** True if the solver reached the tolerance. Always true for direct solvers. */
  readonly converged: boolean;
  /** Number of passes over the data. */
  readonly passes: number;
  /** True if the result was not checked, because the rows cannot be read again. */
  readonly unchecked?: boolean;
  /** The epochs of a solver that learns. */
  readonly trace?: readonly Epoch[];
  /** Why an iterative solver stopped, and the remedy, unless the reason is the limit of passes. */
  readonly failure?: Failure;
}

/** Why learning failed, and the option to change. */
export interface Failure {
  readonly code: 'NOT_CONVERGED' | 'DIVERGED';
  readonly message: string;
  readonly details: ErrorDetails;
}

/** The loaded code of a solver, and the form in which it needs the data. */
export type Solver = {
  readonly tolerance?: number;
  /** For solvers with a random start: makes a checksum, to which all rows are added when they are first read. */
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

/** The form of the data that a solver needs: the scatter, rows that can be read again, both, or one pass over the rows. */
export type Needs = Solver['needs'];

/** The options that decide which form of the data a solver needs. */
export interface SolverUse {
  readonly cols: number;
  readonly learn?: LearnOptions | undefined;
}

/** The options of `learn` that a solver accepts, and its rules. The first rule is the default. */
export interface LearnChoices {
  readonly rules?: readonly string[];
  readonly options: readonly (keyof LearnOptions)[];
}

/**
 * The declaration of a solver, which is available before its code is loaded. `registry.ts` lists the declarations. The plan, the
 * option checks and the help are derived from them.
 */
export interface SolverDeclaration {
  readonly family: 'direct' | 'learned' | 'sketch';
  /** How the solver finds the components, as the end of a sentence: "the eigenvectors of the covariance matrix". */
  readonly method: string;
  needs(use: SolverUse): Needs;
  readonly learn?: LearnChoices;
  /** The size of the square matrix that the solver forms, if it forms one. */
  matrixSize?(shape: { readonly rows?: number | undefined; readonly cols: number }): number;
  /** The estimated seconds; undefined if the solver cannot fit these data. A solver without `cost` is used only on request. */
  cost?(work: CostModel): number | undefined;
  /** Why the solver is the best choice for this shape, as a sentence. */
  reason?(shape: { readonly rows: number; readonly cols: number; readonly nonzeros?: number | undefined }): string;
  /** True if the solver works on the data and not on their squares, so that it finds variances far below 1e-16 of the largest. */
  readonly precise?: boolean;
  /** True if the solver uses only the passes `summarise`, `gram` and `normal`, so that the rows may be on a cluster. */
  readonly remote?: boolean;
  /** The limit of the solver's accuracy, and the remedy if it cannot separate two axes. */
  readonly accuracy: { readonly limit: 'rounding' | 'sketch'; readonly remedy: string };
  load(use: SolverUse): Solver | Promise<Solver>;
}

/** The number of wanted components, from the eigenvalues in descending order. */
export function countWanted(wanted: WantedComponents, values: ArrayLike<number>, scatterTrace: number): number {
  if ('count' in wanted) return wanted.count;
  // A sum that is below the fraction only by rounding counts as equal.
  const target = wanted.fraction * scatterTrace * (1 - 1e-13);
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i];
    if (sum >= target) return i + 1;
  }
  return values.length;
}

/** The eigenvalue after the first k of `values`, with its error bound. */
export function nextValue(values: ArrayLike<number>, k: number, problem: Problem, bound: number): Solution['next'] {
  if (k >= problem.d) return undefined;
  const beyondRank = k >= problem.rankLimit || k >= values.length;
  return { value: beyondRank ? 0 : Math.max(0, values[k]), bound };
}

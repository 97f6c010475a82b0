import type { Block, Scaler } from '../data/blocks/block.js';
import type { FitScaler } from '../data/statistics/scaling.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { Count, SymmetricEigen } from '../linalg/symmetric-eigen.js';
import type { Warning } from '../warning.js';

/**
 * The engine contract: five passes over a block of rows, the summary of its columns, and the eigenproblem of a small matrix.
 *
 * B = W^½(X − 1sᵀ)F is the scaled block (rows × cols). V holds k rows of length cols (components), and Y rows of length k (scores):
 *
 * | pass                 | computes                          | reads of X |
 * |----------------------|-----------------------------------|------------|
 * | `gram`               | S += BᵀB                          | 1          |
 * | `dual`               | K = B₁B₂ᵀ                         | 1 of each  |
 * | `multiply`           | Y = BVᵀ                           | 1          |
 * | `multiplyTransposed` | Z += YᵀB                          | 1          |
 * | `normal`             | Z += (BVᵀ)ᵀB                      | 1          |
 * | `summarise`          | means, ranges, and S about means  | 1 or 2     |
 *
 * Sums are accumulated in float64, or to the accuracy that `roundoff` declares. The same input gives the same bits on the same number of
 * threads. The engines of core give the same bits on any number of threads.
 */
export interface Engine {
  readonly name: string;
  /** Maximum number of threads of a pass. */
  readonly threads: number;
  /**
   * Speeds that the plan uses to choose a solver: constants, measured by `bench/` for four threads. They depend neither on the machine nor
   * on the number of threads, so the same data and options get the same solver everywhere.
   */
  readonly rates: Rates;
  /** Speeds on all cores of this machine. `'auto'` compares engines by them. Default: `rates`. */
  readonly machineRates?: Rates;
  /** The same engine with float32 products, if it has them: about twice as fast, with a larger `roundoff`. */
  readonly float32?: Engine;
  /** True if `gram` skips products of neighbouring entries that are zero. */
  readonly skipsZeros?: boolean;
  /** True if `symmetricEigen` does not change its matrix. */
  readonly keepsMatrix?: boolean;
  /** True if passes run on the cluster that stores the rows, and not on this machine (`engines/remote.ts`). */
  readonly remote?: boolean;
  /** Warnings about this engine on this machine, for example that it runs without threads and why. */
  readonly warnings?: readonly Warning[];
  /** Shares or uploads a block once. Passes run on the loaded block. */
  load(block: Block): LoadedBlock | Promise<LoadedBlock>;
  /**
   * Computes all eigenvalues and the leading eigenvectors of a symmetric matrix, given by its upper triangle, like `symmetricEigen` of
   * linalg. Overwrites `a`, unless the engine declares `keepsMatrix`. `onStep` receives flops.
   */
  symmetricEigen(a: Float64Array, size: number, count: Count, onStep: OnStep): Promise<SymmetricEigen>;
  /**
   * Computes the leading eigenpairs of a symmetric positive semidefinite matrix, given by its upper triangle, if the engine finds few of
   * many faster than all. Returns undefined if the residuals would exceed tolerance·λ₁, or if computing all eigenpairs costs no
   * more. `seed` determines the random start vectors. If `also` holds further vectors, their products with the matrix are returned too.
   */
  leadingEigen?(
    upper: Float64Array,
    size: number,
    count: number,
    tolerance: number,
    onStep: OnStep,
    seed: number,
    also?: Float64Array,
  ): Promise<LeadingEigen | undefined>;
  /** Creates an empty basis of vectors of this length, if the engine has a faster basis than a loaded block. */
  basis?(length: number): Basis;
  /**
   * The worst rounding error of `gram` and `normal` over n rows of d columns, relative to the energy of the scaled data: the computed S, or
   * SV for orthonormal V, is off by at most roundoff·energy in norm. The energy is trace(S). For sparse data it includes the energy of the
   * means, which centring subtracts implicitly.
   */
  roundoff(n: number, d: number, sparse: boolean): number;
  /** A smaller bound for `dual`, `multiplyTransposed` and products with n × n matrices, all of dense rows, if there is one. */
  dualRoundoff?(n: number, d: number): number;
}

/** Some eigenvalues of a matrix, largest first, and their eigenvectors, one per row. */
export interface LeadingEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
  /** The matrix times the vectors. */
  readonly images: Float64Array;
  /** The matrix times the vectors in `also`. */
  readonly products?: Float64Array;
}

/** Billions of operations per second. */
export interface Rates {
  /** Dense products: gram, dual, multiply, multiplyTransposed, normal. */
  readonly products: number;
  /** The same over the stored entries of sparse rows. */
  readonly sparse: number;
  /** The reduction of a symmetric matrix, 4/3·d³. */
  readonly eigen: number;
  /** Billions of numbers per second that a pass reads and packs, without the products. Default 0.5. */
  readonly reading?: number | undefined;
  /** The reading rate from the second pass on, if the engine keeps scaled rows: for up to `vectors` vectors and `numbers` numbers. */
  readonly again?: { readonly vectors: number; readonly numbers: number; readonly reading: number } | undefined;
  /** Seconds that starting a pass takes. Default 0.0002. */
  readonly start?: number | undefined;
  /** Products with a large symmetric matrix in `leadingEigen`, if the engine has it. */
  readonly leading?: number | undefined;
  /** Billions of bytes per second that are uploaded before the first pass, if the engine uploads data. */
  readonly upload?: number | undefined;
}

/** An engine that a machine may lack. Its code is loaded when a fit first needs it. */
export interface OfferedEngine {
  readonly name: string;
  /** Size of the data, in numbers, from which `'auto'` considers it. Default: a million. */
  readonly worth?: number;
  /** Returns the engine, or undefined if the machine cannot run it or if `'auto'` should not use it. Never throws. */
  make(threads?: number, automatic?: boolean): Promise<Engine | undefined>;
  /** Returns the reason why `make` returned undefined, and a remedy. */
  why(): Promise<string>;
}

/** The speed of rows over a network. */
export interface Streaming {
  /** Billions of numbers per second. */
  readonly reading: number;
  /** Seconds until the first number arrives. */
  readonly start: number;
}

/** Called between tiles with the number of rows done since the last call. Throws to abort. The result must be awaited. */
export type OnStep = (rows: number) => void | Promise<void>;

/**
 * The place of a block pair in the row Gram matrix (size × size): the product of row i of one block and row j of the other is entry (row +
 * i, column + j).
 */
export interface DualTarget {
  readonly products: Float64Array;
  readonly size: number;
  readonly row: number;
  readonly column: number;
}

/** The rows of a block among all rows: index of the first row, row weights, and column names for messages. */
export interface RowsAt {
  readonly first: number;
  readonly weights: Float64Array | undefined;
  readonly columnNames: readonly string[] | undefined;
}

/**
 * Returns the scaler of a later `dual` pass for the columns from index `left` on, from their statistics, up to a power of two that all
 * columns share; undefined if no scaler is known.
 */
export type DualScaler = (columns: ColumnStatistics, left: number) => FitScaler | undefined;

/** Copies of long orthonormal vectors Q, one per row, to which other vectors are made orthogonal. */
export interface Basis {
  readonly size: number;
  append(vectors: Float64Array, count: number): void;
  /** Z −= (ZQᵀ)Q for the vectors of Q from index `from` on. Returns QZᵀ ((size − from) × count). */
  project(vectors: Float64Array, count: number, from: number, onStep: OnStep): Promise<Float64Array>;
  /** Returns CQ. `coordinates` is C (count × size). */
  combine(coordinates: Float64Array, count: number, onStep: OnStep): Promise<Float64Array>;
  /** Removes all vectors and frees their memory. */
  release(): void;
}

/** A block of rows that an engine has loaded, and the passes over it. */
export interface LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  /**
   * Count, mean, spread and range of each column. Throws if a value is not finite. If `scatter` (cols × cols, zeros) is given, also
   * computes S = Σw(x − x̄)(x − x̄)ᵀ of the rows, upper triangle, entry (i, j) in units of `unit[i]·unit[j]`. `dualScaler` announces a
   * later `dual` pass with this scaler: an engine that reads all rows of a column together may compute the products in the same reading.
   */
  summarise(
    at: RowsAt,
    scatter: Float64Array | undefined,
    onStep: OnStep,
    dualScaler?: DualScaler,
  ): Promise<ColumnStatistics>;
  /** The Gram matrix of the columns: S += BᵀB, upper triangle. `scatter` is cols × cols. */
  gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): void | Promise<void>;
  /**
   * The Gram matrix of the rows: K = BBᵀ, the dual of S = BᵀB. It has the same nonzero eigenvalues and is smaller for wide data. Writes
   * B_this·B_otherᵀ into `into`. If both are the same block, only the upper triangle is needed.
   */
  dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): void | Promise<void>;
  /**
   * Scores of the rows: Y = BVᵀ. `vectors` is k × cols, `scores` rows × k. A dense row with a value that is not finite gets no finite
   * score, so callers can check rows by their first scores.
   */
  multiply(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    scores: Float64Array,
    onStep: OnStep,
  ): void | Promise<void>;
  /** Combinations of the rows, with the scores as coefficients: Z += YᵀB. `scores` is rows × k, `out` k × cols. */
  multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): void | Promise<void>;
  /**
   * Vectors times BᵀB, the matrix of the normal equations, without forming it: Z += (BVᵀ)ᵀB = VBᵀB, in one read of X. `vectors` and `out`
   * are k × cols. If `measured` is true, a certificate depends on the result, and an engine on hardware that may err confirms the result by
   * other means.
   */
  normal(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
    measured?: boolean,
  ): void | Promise<void>;
  /**
   * For a block that was loaded into `Engine.float32`: returns the same rows for float64 passes, if that saves another upload. The caller
   * releases the result separately.
   */
  exact?(): LoadedBlock;
  /** Frees what `load` allocated. */
  release(): void;
}

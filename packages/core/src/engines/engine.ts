import type { Block, Scaler } from '../data/blocks/block.js';
import type { FitScaler } from '../data/statistics/scaling.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import type { Count, SymmetricEigen } from '../linalg/symmetric-eigen.js';
import type { Warning } from '../warning.js';

/**
 * The engine contract: five passes over a block of rows, the summary of its columns, and the eigenproblem of a small
 * matrix.
 *
 * With B = W^½(X − 1sᵀ)F the block as its scaler sees it (rows × cols), V given as k rows of length cols
 * (components), Y as rows of length k (scores):
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
 * Everything is accumulated in float64, or to the accuracy that `roundoff` declares. The same input gives the same
 * bits every time on the same number of threads; the engines of core give them on any number.
 */
export interface Engine {
  readonly name: string;
  /** Threads that its passes may run on. */
  readonly threads: number;
  /**
   * Speeds that the plan chooses a solver by: constants, measured by `bench/` and given for four threads. They depend neither on the
   * machine nor on the number of threads, so the same data and options get the same solver everywhere.
   */
  readonly rates: Rates;
  /** Speeds on all cores of this machine, by which `'auto'` compares engines. Default: `rates`. */
  readonly machineRates?: Rates;
  /** The same engine with float32 products, where it has them: about twice as fast, with a larger `roundoff`. */
  readonly float32?: Engine;
  /** Whether the scatter skips products of neighbouring entries that are zero. */
  readonly skipsZeros?: boolean;
  /** Whether `symmetricEigen` leaves its matrix as it is. */
  readonly keepsMatrix?: boolean;
  /** Whether its passes over the data run where the rows are, and not on this machine (`engines/remote.ts`). */
  readonly remote?: boolean;
  /** Warnings about this engine on this machine, for example that it runs without threads and why. */
  readonly warnings?: readonly Warning[];
  /** Shares or uploads a block once; passes then run on what was loaded. */
  load(block: Block): LoadedBlock | Promise<LoadedBlock>;
  /**
   * Eigenvalues and the leading eigenvectors of a symmetric matrix given by its upper triangle, as `symmetricEigen` of
   * linalg defines them. `a` may be destroyed, unless the engine declares `keepsMatrix`. `onStep` gets flops.
   */
  symmetricEigen(a: Float64Array, size: number, count: Count, onStep: OnStep): Promise<SymmetricEigen>;
  /**
   * The first eigenvalues and eigenvectors of a symmetric positive semidefinite matrix, given by its upper triangle, where the engine finds
   * few of many faster than all: residuals are at most tolerance·λ₁. Undefined where they are not, or where all are as cheap. It starts from
   * random vectors of that seed. Other vectors may be given `also`: their products with the matrix are returned too.
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
  /** An empty basis of vectors of that length, where the engine can store one better than as a loaded block. */
  basis?(length: number): Basis;
  /**
   * The worst rounding error of `gram` and `normal` over n rows of d columns, relative to the energy of the data as
   * the pass sees it: the computed S, or SV for orthonormal V, is off by at most roundoff·energy in norm. The energy
   * is trace(S), and for sparse data also that of the means which centring subtracts implicitly.
   */
  roundoff(n: number, d: number, sparse: boolean): number;
  /** The same for `dual`, `multiplyTransposed` and products with n × n matrices, of dense rows, where it is smaller. */
  dualRoundoff?(n: number, d: number): number;
}

/** Some eigenvalues of a matrix, largest first, and their eigenvectors, one per row. */
export interface LeadingEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
  /** The matrix times the vectors. */
  readonly images: Float64Array;
  /** The matrix times the other vectors that were given. */
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
  /** Billions of numbers per second that a pass reads and packs, besides the products. Default 0.5. */
  readonly reading?: number | undefined;
  /** The same from the second pass on, of up to so many vectors and numbers, where the engine keeps the numbers. */
  readonly again?: { readonly vectors: number; readonly numbers: number; readonly reading: number } | undefined;
  /** Seconds that starting a pass takes. Default 0.0002. */
  readonly start?: number | undefined;
  /** Products with a large symmetric matrix in `leadingEigen`, where the engine has it. */
  readonly leading?: number | undefined;
  /** Billions of bytes per second that are uploaded before the first pass, where data have to be. */
  readonly upload?: number | undefined;
}

/** An engine that is not always there. Its code is loaded when a fit first needs it. */
export interface OfferedEngine {
  readonly name: string;
  /** Size of the data, in numbers, from which `'auto'` considers it. Default: a million. */
  readonly worth?: number;
  /** The engine, or undefined where the machine lacks what it needs, or where `'auto'` should not use it. Never throws. */
  make(threads?: number, automatic?: boolean): Promise<Engine | undefined>;
  /** Why `make` returned undefined, and what to do about it. */
  why(): Promise<string>;
}

/** How fast rows come over a network. */
export interface Streaming {
  /** Billions of numbers per second. */
  readonly reading: number;
  /** Seconds until the first of them comes. */
  readonly start: number;
}

/** Called between tiles with the rows done since the last call; throws to abort. Await what it returns. */
export type OnStep = (rows: number) => void | Promise<void>;

/** Where the products of two blocks go: row i of the one and j of the other at (row + i, column + j) of size × size. */
export interface Products {
  readonly products: Float64Array;
  readonly size: number;
  readonly row: number;
  readonly column: number;
}

/** A block's rows among all rows: where they start, what they weigh, what their columns are called in messages. */
export interface RowsAt {
  readonly first: number;
  readonly weights: Float64Array | undefined;
  readonly columnNames: readonly string[] | undefined;
}

/** The scaler of the columns from number `left` on, from their statistics, but for a power of two that all columns share; undefined where there is none. */
export type DualScaler = (columns: ColumnStatistics, left: number) => FitScaler | undefined;

/** Long vectors Q, one per row, that other vectors are made orthogonal to. They are copied. */
export interface Basis {
  readonly size: number;
  append(vectors: Float64Array, count: number): void;
  /** Z −= (ZQᵀ)Q for the vectors of Q from number `from` on; returns QZᵀ ((size − from) × count). */
  project(vectors: Float64Array, count: number, from: number, onStep: OnStep): Promise<Float64Array>;
  /** CQ; `coordinates` is count × size. */
  combine(coordinates: Float64Array, count: number, onStep: OnStep): Promise<Float64Array>;
  /** Removes all vectors and frees their memory. */
  release(): void;
}

/** A block of rows that an engine has loaded, and the passes over it. */
export interface LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  /**
   * Count, mean, spread and range of each column; refuses what is not finite. With `scatter` (cols × cols, zeros) also
   * S = Σw(x − x̄)(x − x̄)ᵀ of the rows, upper triangle, entry (i, j) in units of `unit[i]·unit[j]`. With `early` the rows will be asked for
   * `dual` in that scaler: an engine that has all rows of a column at hand may compute the products at once, and have them ready then.
   */
  summarise(
    at: RowsAt,
    scatter: Float64Array | undefined,
    onStep: OnStep,
    dualScaler?: DualScaler,
  ): Promise<ColumnStatistics>;
  /** Products of the columns with each other, their Gram matrix: S += BᵀB, upper triangle; `scatter` is cols × cols. */
  gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): void | Promise<void>;
  /**
   * Products of the rows with each other: K = BBᵀ, the dual of S = BᵀB, has the same nonzero eigenvalues and is smaller for wide data.
   * Writes B_this·B_otherᵀ into `into`; where both are the same block only the upper triangle is needed.
   */
  dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: Products, onStep: OnStep): void | Promise<void>;
  /**
   * Scores of the rows on vectors: Y = BVᵀ; `vectors` is k × cols, `scores` rows × k. A dense row with a value that is not finite gets no finite score,
   * whatever the vectors are. So callers can check rows by their first scores.
   */
  multiply(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    scores: Float64Array,
    onStep: OnStep,
  ): void | Promise<void>;
  /** Sums of the rows, each times its scores: Z += YᵀB; `scores` is rows × k, `out` k × cols. */
  multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): void | Promise<void>;
  /**
   * The matrix BᵀB of the normal equations times vectors, without forming it: Z += (BVᵀ)ᵀB = VBᵀB, in one read of X; `vectors` and
   * `out` are k × cols. With `measured` a certificate rests on the result: an engine on hardware that may err confirms it by other means.
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
   * Of a block that was loaded into `Engine.float32`: the same rows for the passes of the engine itself, where that saves uploading them
   * again. It is released on its own.
   */
  exact?(): LoadedBlock;
  /** Frees what `load` allocated. */
  release(): void;
}

import { DEFAULT_TOLERANCE } from '../base/limits.js';
import type { SampleFacts } from '../data/blocks/sample-facts.js';
import type { Rates, Streaming } from '../engines/engine.js';

/**
 * Constants that both the cost of a solver and its iteration use. They are here because the code of the iterations is loaded on
 * demand.
 */

/**
 * Number of vectors beyond the wanted ones. They speed up convergence, give the eigenvalue after the last one, and keep
 * corrections small.
 */
export const OVERSAMPLING = 10;
/** Number of random vectors that measure the error of the float32 scatter. */
export const PROBES = 16;
/** With a tolerance of at least this, the float32 result needs no correction. */
export const UNCORRECTED_TOLERANCE = 1e-7;

/** The facts about data that are known before they are read. */
export interface Shape {
  /** Undefined for a stream of unknown length. */
  readonly rows?: number | undefined;
  readonly cols: number;
  /** Number of stored entries, for sparse data. */
  readonly nonzeros?: number | undefined;
  readonly dtype?: 'float32' | 'float64';
  /** Facts from a sample of the rows, if they are dense and in memory. */
  readonly sample?: SampleFacts | undefined;
  readonly rereadable: boolean;
  /** True if only the moments are available, not the rows. */
  readonly momentsOnly?: boolean;
  /** The rates of reading rows over a network, if they are on a cluster. */
  readonly streaming?: Streaming | undefined;
}

/** The part of an `Engine` that the plan uses. */
export interface EngineFacts {
  readonly name: string;
  readonly rates: Rates;
  /** The rates of float32 passes, if the engine has them. */
  readonly float32?: { readonly rates: Rates } | undefined;
  readonly skipsZeros?: boolean | undefined;
  /** True if the engine computes on the cluster that has the rows. */
  readonly remote?: boolean | undefined;
}

/** The options that the cost of a fit depends on. */
export interface CostRequest {
  readonly k?: number | 'all' | undefined;
  readonly engine: EngineFacts;
  readonly tolerance?: number | undefined;
}

/** Billions of operations per second of plain TypeScript: QR, SVD, QL with vectors. */
const PLAIN_JS_GFLOPS = 1.5;
/** Billions of numbers per second that are read and packed, for engines that do not declare a rate. */
const READING_RATE = 0.5;
/** Rows are sampled only if the scatter takes more operations than this. */
const WORTH_SAMPLING = 1e9;
/** Seconds to start a pass. */
const PASS_START_SECONDS = 2e-4;
/** Seconds per entry of an eigenvector of T by inverse iteration. */
const INVERSE_ITERATION_SECONDS = 4e-7;
/**
 * Number of products of `leadingEigen` with the matrix, and seconds per vector of its block for the part that runs on the
 * processor.
 */
const LEADING_PRODUCTS = 40;
const LEADING_SECONDS = 5e-4;
/** Seconds per pair of eigenvalues by QL. */
const QL_SECONDS = 2e-8;

/**
 * Estimates the seconds of the parts of a solver, for one shape and engine: operations over the rate of the code that runs them,
 * plus the time of reading the data in every pass. For sparse data, the stored entries count instead of n·d. The constants come
 * from `bench/`. Nothing is measured at run time, so that plans are reproducible.
 */
export class CostModel {
  readonly n: number;
  readonly d: number;
  /** min(n, d). */
  readonly size: number;
  /** Stored numbers: n·d, or the nonzeros of sparse data. */
  readonly entries: number;
  readonly nonzeros: number | undefined;
  readonly dense: boolean;
  readonly rereadable: boolean;
  /** Expected number of components: half of all if a fraction of the variance is wanted. */
  readonly count: number;
  /** True if the number of components is known before the fit: a count, or the default. */
  readonly counted: boolean;
  readonly tolerance: number;
  readonly rates: Rates;
  /** Rates of float32 passes, if the engine has them. */
  readonly float32: Rates | undefined;
  /** Share of the products of the scatter that are not skipped as zeros, for groups of four and of eight columns. */
  readonly nonzeroShare: { readonly four: number; readonly eight: number };
  /** True if the columns have many different values. If there are few, the same rounding errors repeat, and float32 sums drift. */
  readonly manyValues: boolean;
  /** Bytes per number. */
  readonly #bytes: number;
  readonly #reading: number;
  readonly #start: number;

  constructor(shape: Shape & { readonly rows: number }, { k, engine, tolerance }: CostRequest) {
    const { rows: n, cols: d, nonzeros } = shape;
    this.n = n;
    this.d = d;
    this.size = Math.min(n, d);
    this.entries = nonzeros ?? n * d;
    this.nonzeros = nonzeros;
    this.dense = nonzeros === undefined;
    this.rereadable = shape.rereadable;
    const { size } = this;
    this.count = k === undefined ? Math.min(10, size) : k === 'all' ? size : k < 1 ? size / 2 : Math.min(k, size);
    this.counted = k === undefined || (k !== 'all' && k >= 1);
    this.tolerance = tolerance ?? DEFAULT_TOLERANCE[shape.dtype ?? 'float64'];
    this.#bytes = shape.dtype === 'float32' ? 4 : 8;
    this.rates = engine.rates;
    this.float32 = engine.float32?.rates;
    const { reading = READING_RATE, start = PASS_START_SECONDS } = engine.rates;
    const streaming = engine.remote ? undefined : shape.streaming;
    this.#reading = Math.min(reading, streaming?.reading ?? reading);
    this.#start = Math.max(start, streaming?.start ?? start);
    const sample = this.dense && n * d * d > WORTH_SAMPLING ? shape.sample : undefined;
    this.nonzeroShare = (engine.skipsZeros ? sample : undefined) ?? { four: 1, eight: 1 };
    this.manyValues = (sample?.distinct ?? 1) > 0.5;
  }

  /** Seconds to read `numbers` from memory or disk, without computing. */
  reading(numbers: number): number {
    return numbers / (this.#reading * 1e9);
  }

  /** Seconds to upload dense data to the device of the engine, once per fit. */
  get upload(): number {
    const { upload } = this.rates;
    return upload === undefined || !this.dense ? 0 : (this.entries * this.#bytes) / (upload * 1e9);
  }

  /** Seconds of a pass over the data: `flops` operations at `rate` billions per second. */
  pass(flops: number, rate: number): number {
    return flops / (rate * 1e9) + this.reading(this.entries) + this.#start;
  }

  /** Seconds of a pass at the engine's rate of dense or sparse products. */
  products(flops: number): number {
    return this.pass(flops, this.dense ? this.rates.products : this.rates.sparse);
  }

  /** Seconds of a further pass of products with `vectors` vectors. The engine may have kept the numbers in a faster form. */
  again(flops: number, vectors: number): number {
    const { products, again } = this.rates;
    if (!again || !this.dense || vectors > again.vectors || this.entries > again.numbers) return this.products(flops);
    return flops / (products * 1e9) + this.entries / (again.reading * 1e9) + this.#start;
  }

  /** Seconds of operations in plain TypeScript. */
  plain(flops: number): number {
    return flops / (PLAIN_JS_GFLOPS * 1e9);
  }

  /**
   * Seconds of a symmetric eigenproblem of size m with `vectors` eigenvectors: reduction, eigenvalues, eigenvectors and their
   * back transformation.
   */
  eigen(m: number, vectors: number): number {
    const reduction = ((4 / 3) * m * m * m + 2 * m * m * vectors) / (this.rates.eigen * 1e9);
    const iteration = vectors > m / 2 ? this.plain(6 * m * m * m) : INVERSE_ITERATION_SECONDS * m * vectors;
    return reduction + QL_SECONDS * m * m + iteration;
  }

  /** Seconds of a few eigenvectors of a matrix of size m: by products if the engine has `leadingEigen`, otherwise as `eigen`. */
  leading(m: number, vectors: number): number {
    const { leading } = this.rates;
    if (leading === undefined) return this.eigen(m, vectors);
    const block = 1.2 * vectors + 16;
    return (LEADING_PRODUCTS * 2 * m * m * block) / (leading * 1e9) + LEADING_SECONDS * block;
  }
}

import { DEFAULT_TOLERANCE } from '../base/limits.js';
import type { SampleFacts } from '../data/blocks/sample-facts.js';
import type { Rates, Streaming } from '../engines/engine.js';

/** Numbers that a solver's cost and its iteration share. The iterations are loaded when they are needed, the costs always. */

/** Vectors beyond the wanted ones: they speed convergence, show the eigenvalue after the last, and keep corrections small. */
export const OVERSAMPLING = 10;
/** Random vectors by which the error of the float32 scatter is measured. */
export const PROBES = 16;
/** Tolerances from this on need no correction of what float32 gives. */
export const UNCORRECTED_TOLERANCE = 1e-7;

/** The data, as far as the plan knows them before they are read. */
export interface Shape {
  /** Undefined for a stream of unknown length. */
  readonly rows?: number | undefined;
  readonly cols: number;
  /** Stored entries, for sparse data. */
  readonly nonzeros?: number;
  readonly dtype?: 'float32' | 'float64';
  /** Facts from a sample of the rows, where they are dense and in memory. */
  readonly sample?: SampleFacts | undefined;
  readonly rereadable: boolean;
  /** Only the moments are known, not the rows. */
  readonly momentsOnly?: boolean;
  /** How fast rows come over a network, where they are not here. */
  readonly streaming?: Streaming | undefined;
}

/** The part of an `Engine` that the plan uses. */
export interface EngineFacts {
  readonly name: string;
  readonly rates: Rates;
  /** The same in float32, where the engine has that. */
  readonly float32?: { readonly rates: Rates } | undefined;
  readonly skipsZeros?: boolean | undefined;
  /** Whether it computes where the rows are. */
  readonly remote?: boolean | undefined;
}

/** The options of a fit that its cost depends on. */
export interface CostRequest {
  readonly k?: number | 'all' | undefined;
  readonly engine: EngineFacts;
  readonly tolerance?: number | undefined;
}

/** Billions of operations per second in plain TypeScript: QR, SVD, QL with vectors. */
const PLAIN_JS_GFLOPS = 1.5;
/** Billions of numbers per second that are brought in and packed, where an engine does not declare it. */
const READING_RATE = 0.5;
/** Operations of the scatter from which sampling some rows first pays off. */
const WORTH_SAMPLING = 1e9;
/** Seconds that starting a pass takes. */
const PASS_START_SECONDS = 2e-4;
/** Seconds per entry of an eigenvector of T by inverse iteration. */
const INVERSE_ITERATION_SECONDS = 4e-7;
/** Products with the matrix that `leadingEigen` takes, and seconds per vector of its block for what is done on the processor. */
const LEADING_PRODUCTS = 40;
const LEADING_SECONDS = 5e-4;
/** Seconds per pair of eigenvalues by QL. */
const QL_SECONDS = 2e-8;

/**
 * How long the parts of a solver take on this shape and engine, in seconds. Operations are divided by the rate of the
 * code that runs them; every reading of the data costs its numbers. Sparse data count their stored entries instead of n·d.
 * The constants come from `bench/`; nothing is measured at run time, so that plans can be repeated.
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
  /** Components that are expected: half of all where a fraction of the variance is wanted. */
  readonly count: number;
  /** Whether the number of components is given, or left to the default. */
  readonly counted: boolean;
  readonly tolerance: number;
  readonly rates: Rates;
  /** Rates of the engine's float32 passes, where it has them. */
  readonly float32: Rates | undefined;
  /** Share of the products of the scatter that are not with zeros, for groups of four and of eight columns. */
  readonly nonzeroShare: { readonly four: number; readonly eight: number };
  /** Whether the columns hold many different values: few values round alike again and again, and float32 sums of them drift. */
  readonly manyValues: boolean;
  /** Bytes of a number. */
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

  /** Seconds to bring dense data to where the engine computes, once per fit. */
  get upload(): number {
    const { upload } = this.rates;
    return upload === undefined || !this.dense ? 0 : (this.entries * this.#bytes) / (upload * 1e9);
  }

  /** A pass over the data that takes so many operations at so many billions per second. */
  pass(flops: number, rate: number): number {
    return flops / (rate * 1e9) + this.reading(this.entries) + this.#start;
  }

  /** A pass at the engine's rate of dense or sparse products. */
  products(flops: number): number {
    return this.pass(flops, this.dense ? this.rates.products : this.rates.sparse);
  }

  /** One more pass of products with so many vectors, over numbers that the engine may have kept. */
  again(flops: number, vectors: number): number {
    const { products, again } = this.rates;
    if (!again || !this.dense || vectors > again.vectors || this.entries > again.numbers) return this.products(flops);
    return flops / (products * 1e9) + this.entries / (again.reading * 1e9) + this.#start;
  }

  /** Operations in plain TypeScript. */
  plain(flops: number): number {
    return flops / (PLAIN_JS_GFLOPS * 1e9);
  }

  /** The symmetric eigenproblem of size m with `vectors` eigenvectors: reduction, eigenvalues, vectors and their back transformation. */
  eigen(m: number, vectors: number): number {
    const reduction = ((4 / 3) * m * m * m + 2 * m * m * vectors) / (this.rates.eigen * 1e9);
    const iteration = vectors > m / 2 ? this.plain(6 * m * m * m) : INVERSE_ITERATION_SECONDS * m * vectors;
    return reduction + QL_SECONDS * m * m + iteration;
  }

  /** Few eigenvectors of a matrix of size m: by products where the engine finds them so, otherwise as part of the whole problem. */
  leading(m: number, vectors: number): number {
    const { leading } = this.rates;
    if (leading === undefined) return this.eigen(m, vectors);
    const block = 1.2 * vectors + 16;
    return (LEADING_PRODUCTS * 2 * m * m * block) / (leading * 1e9) + LEADING_SECONDS * block;
  }
}

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Errors } from './accuracy.js';
import type { Contender } from './contender.js';
import type { Environment } from './environment.js';
import type { Spread } from './measure.js';
import type { ScaleResult } from './scale-model.js';

/** What was measured, kept as one JSON file each in bench/results, so that a workload can be run again alone. */

export interface Measurement {
  readonly name: string;
  readonly group: Contender['group'];
  readonly engine?: string;
  readonly solver?: string;
  readonly time: Spread;
  readonly errors: Errors;
  /** Peak memory of a fit above what the data take, in bytes. */
  readonly memory?: number;
  readonly note?: string;
}

export interface WorkloadResult {
  readonly environment: Environment;
  readonly truth: string;
  /** (λ_k − λ_{k+1})/λ₁. */
  readonly gap: number;
  readonly measurements: readonly Measurement[];
  /** What could not be measured, and why. */
  readonly skipped: readonly string[];
  /** Milliseconds from before `import` to the first model, in fresh processes. */
  readonly start?: Spread;
}

export interface GrowthResult {
  readonly environment: Environment;
  /** time ~ size^exponent, by least squares in logarithms. */
  readonly curves: readonly {
    readonly varied: string;
    readonly fixed: string;
    readonly contender: string;
    readonly points: readonly { readonly size: number; readonly milliseconds: number; readonly solver?: string }[];
    readonly exponent: number;
  }[];
  readonly skipped: readonly string[];
}

export interface KernelResult {
  readonly environment: Environment;
  readonly kernels: readonly {
    readonly name: string;
    readonly type: string;
    readonly threads: number;
    readonly gflops: number;
  }[];
  readonly skipped: readonly string[];
}

/** What the plan chose for data and an engine, and the fastest of all that was tried; and what is predicted for 16 cores. */
export interface RegretResult {
  readonly environment: Environment;
  readonly rows: readonly {
    readonly data: string;
    readonly engine: string;
    readonly chosen: { readonly solver: string; readonly time: number };
    readonly best: { readonly engine: string; readonly solver: string; readonly time: number };
  }[];
  readonly sixteen: readonly {
    readonly data: string;
    readonly chosen: string;
    readonly best: string;
    readonly regret: number;
  }[];
  readonly skipped: readonly string[];
}

/** What a server feels of fits at a time, in milliseconds, and the memory of many that are called at once. */
export interface EventLoopResult {
  readonly environment: Environment;
  readonly fits: number;
  readonly shape: readonly number[];
  readonly rows: readonly {
    readonly blocking: string;
    /** Of all fits together. */
    readonly time: number;
    /** Delay of the event loop: median, 99 % and largest; undefined where it never turned. */
    readonly delays: readonly number[] | undefined;
    /** Of a request: median and largest. */
    readonly pings: readonly number[];
  }[];
  readonly queue: {
    readonly fits: number;
    readonly rows: number;
    readonly cols: number;
    readonly time: number;
    /** Bytes of resident memory before and at most, and of addresses. */
    readonly before: number;
    readonly largest: number;
    readonly addresses: number | undefined;
  };
  readonly skipped: readonly string[];
}

/** Phases of the workloads on the wasm engine, in milliseconds: on one thread, how long one of two threads works alone, and on all threads. */
export interface ScalingResult {
  readonly environment: Environment;
  readonly phases: readonly {
    readonly workload: string;
    readonly phase: string;
    readonly one: number;
    readonly alone: number;
    readonly measured: number;
    readonly threads: number;
  }[];
  readonly skipped: readonly string[];
}

/** Models by one reading of the rows, the first from moments. */
export interface StreamingResult {
  readonly environment: Environment;
  readonly rules: readonly { readonly name: string; readonly time: Spread; readonly ratio: number }[];
  readonly skipped: readonly string[];
}

/** Times of an epoch, the first of the passes that points are made of. */
export interface LearningResult {
  readonly environment: Environment;
  readonly epochs: readonly { readonly name: string; readonly time: Spread }[];
  readonly skipped: readonly string[];
}

/** Times of bootstraps and permutations, and of the same loop in NumPy. */
export interface ResamplingResult {
  readonly environment: Environment;
  readonly rows: readonly {
    readonly name: string;
    readonly target?: number | undefined;
    readonly time: Spread;
    readonly loop?: Spread;
  }[];
  readonly skipped: readonly string[];
}

/** Times of one thing done with a file, and the most memory it took. */
export interface FileTime {
  readonly name: string;
  readonly time: Spread;
  readonly bytes?: number;
}

/** Seconds of reading a .npy and of fitting it, from the system's cache and, where that could be emptied, from the disk. */
export interface WidthResult {
  readonly cols: number;
  readonly type: string;
  readonly bytes: number;
  readonly warm: { readonly reading: number; readonly fit: number };
  readonly cold?: { readonly reading: number; readonly fit: number };
}

/** The lab in Chromium, on software rendering. */
export interface LabResult {
  readonly environment: Environment;
  /** Of the scripts that Explore loads, packed. */
  readonly bytes: number;
  /** From the request to the first paint. */
  readonly paint: Spread;
  /** From the end of loading to the scores of iris on the screen. */
  readonly iris: Spread;
  /** The fit of 10,000 digits. */
  readonly mnist: Spread;
  readonly points: number;
  /** Milliseconds between two frames while points are dragged, and of a canvas that is only cleared. */
  readonly frames: { readonly drawing: number; readonly empty: number };
  /** Milliseconds of the longest task while k is dragged. */
  readonly longest: number;
  readonly skipped: readonly string[];
}

/** The command on files, beside the bare reading and copying. */
export interface FilesResult {
  readonly environment: Environment;
  /** Of the large .npy. */
  readonly bytes: number;
  readonly files: readonly FileTime[];
  readonly parquet?: { readonly bytes: number; readonly cols: number; readonly files: readonly FileTime[] };
  readonly widths?: readonly WidthResult[];
  readonly skipped: readonly string[];
}

/** A contender's time and its largest principal angle to the accurate components, in radians. */
interface ClusterFit {
  readonly time: Spread;
  readonly angle: number;
}

export interface ClusterRow {
  readonly name: string;
  readonly scree: ClusterFit;
  readonly spark?: ClusterFit;
  readonly dask?: ClusterFit;
}

/** scree on Spark's executors, Spark's own PCA there, and dask-ml on the same files. */
export interface ClusterResult {
  /** When and where it was measured, as a sentence. */
  readonly conditions: string;
  readonly rows: readonly ClusterRow[];
  readonly failures: readonly string[];
}

type AnyResult =
  | ClusterResult
  | EventLoopResult
  | FilesResult
  | LabResult
  | WorkloadResult
  | GrowthResult
  | KernelResult
  | ScalingResult
  | StreamingResult
  | LearningResult
  | RegretResult
  | ResamplingResult
  | ScaleResult;

const folder = (quick: boolean): URL => new URL(quick ? '../results/quick/' : '../results/', import.meta.url);

export function save(name: string, result: AnyResult, quick: boolean): void {
  mkdirSync(folder(quick), { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder(quick)), `${JSON.stringify(result, undefined, 2)}\n`);
}

export function saved<Result>(name: string, quick: boolean): Result | undefined {
  const file = new URL(`${name}.json`, folder(quick));
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined;
}

/** Where the report goes: a quick run proves only that the benchmark works, so it stays out of the documentation. */
export function reportFile(quick: boolean): URL {
  return quick ? new URL('benchmarks.md', folder(true)) : new URL('../../docs/benchmarks.md', import.meta.url);
}

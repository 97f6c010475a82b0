import type { Cluster, Job, Merge } from './scale-simulation.js';
import { simulate } from './scale-simulation.js';

/** What moments, Krylov iteration and sketches cost on a cluster, from the rates of one core. The formulas are in docs/scale.md. */

/** Rates of one core, per CPU second. */
export interface Rates {
  /** Numbers of a Parquet file that become float64. */
  readonly decode: number;
  /** Products of n·d² in XᵀX. */
  readonly gram: number;
  /** Floating point operations of 4·n·d·w in XᵀXV. */
  readonly normal: number;
  /** Numbers of two sums that are added. */
  readonly add: number;
}

export interface Table {
  readonly n: number;
  readonly d: number;
}

/** Bytes of one number in memory, and in Parquet files of numbers that do not compress. */
const BYTES = 8;
/** Vectors beyond the k that are wanted, and passes: one for means, twelve until the residuals are small, one to measure them. */
const EXTRA = 10;
export const PASSES = 14;

export interface Cost {
  /** Readings of the data, bytes that they decode, and operations on all cores. */
  readonly passes: number;
  readonly read: number;
  readonly operations: number;
  readonly coreSeconds: number;
  /** Bytes of one partial sum. */
  readonly sumBytes: number;
  readonly seconds: number;
  readonly moved: number;
}

export interface Setting extends Cluster {
  readonly rates: Rates;
  readonly merge: Merge;
  /** Partitions per executor. */
  readonly waves: number;
  readonly seeds: number;
}

/** One reading: n·d numbers are decoded, and n·d² products added up. A partial sum has d² numbers. */
export function momentsCost({ n, d }: Table, setting: Setting): Cost {
  const { rates } = setting;
  const coreSeconds = (n * d) / rates.decode + (n * d * d) / rates.gram;
  const { seconds, moved } = run(coreSeconds, BYTES * d * d, (d * d) / rates.add, setting);
  return {
    passes: 1,
    read: BYTES * n * d,
    operations: n * d * d,
    coreSeconds,
    sumBytes: BYTES * d * d,
    seconds,
    moved,
  };
}

/** `PASSES` readings, each with w = k + 10 vectors: V goes to all executors, XᵀXV comes back. With `cached`, only the first reading decodes. */
export function krylovCost({ n, d }: Table, k: number, cached: boolean, setting: Setting): Cost {
  const { rates, executors, bandwidth } = setting;
  const w = k + EXTRA;
  const operations = 4 * n * d * w;
  const [first, later] = [(n * d) / rates.decode + operations / rates.normal, operations / rates.normal];
  const sumBytes = BYTES * d * w;
  // Executors pass V on to one another, as Spark's torrent broadcast does.
  const broadcast = Math.ceil(Math.log2(executors + 1)) * (sumBytes / bandwidth);
  // The driver makes the new vectors orthogonal to those of all passes before, twice.
  const driver = (8 * d * w * w * PASSES) / 2 / rates.normal;
  let [seconds, moved, coreSeconds] = [0, 0, 0];
  for (let pass = 0; pass < PASSES; pass++) {
    const own = cached && pass > 0 ? later : first;
    const one = run(own, sumBytes, (d * w) / rates.add, setting);
    seconds += broadcast + one.seconds + driver;
    moved += one.moved + executors * sumBytes;
    coreSeconds += own;
  }
  const read = (cached ? 1 : PASSES) * BYTES * n * d;
  return { passes: PASSES, read, operations: PASSES * operations, coreSeconds, sumBytes, seconds, moved };
}

/** One reading: 7.5·n·d·l operations for a sketch of l = 2k + 10 rows. */
export function sketchCost({ n, d }: Table, k: number, setting: Setting): Cost {
  const { rates } = setting;
  const l = 2 * k + 10;
  const operations = 7.5 * n * d * l;
  const coreSeconds = (n * d) / rates.decode + operations / rates.normal;
  // Two sketches become one by the same work as l more rows take.
  const { seconds, moved } = run(coreSeconds, BYTES * d * l, (7.5 * d * l * l) / rates.normal, setting);
  return { passes: 1, read: BYTES * n * d, operations, coreSeconds, sumBytes: BYTES * d * l, seconds, moved };
}

/** The median of several simulations. */
function run(
  coreSeconds: number,
  resultBytes: number,
  addSeconds: number,
  setting: Setting,
): { seconds: number; moved: number } {
  const tasks = setting.executors * setting.waves;
  const job: Job = { tasks, taskSeconds: coreSeconds / tasks, resultBytes, addSeconds };
  const all = Array.from({ length: setting.seeds }, (_, seed) => simulate(job, setting, setting.merge, seed + 1));
  const sorted = all.map(({ seconds }) => seconds).sort((a, b) => a - b);
  return { seconds: sorted[sorted.length >> 1], moved: all[0].moved };
}

/**
 * The number of columns from which on Krylov iteration takes less time on all cores than moments:
 * q(1/decode + 4w/normal) = 1/decode + d/gram, with one decoding on the left where the rows are cached.
 */
export function crossing(rates: Rates, k: number, cached: boolean): number {
  const w = k + EXTRA;
  const decodings = (cached ? 1 : PASSES) - 1;
  return rates.gram * (decodings / rates.decode + (PASSES * 4 * w) / rates.normal);
}

/** Rates of NumPy and pyarrow; `normalWide`: of 20,000 columns. */
export interface PythonRates extends Rates {
  readonly versions: string;
  readonly normalWide: number;
}

/** Rates of scree. */
export interface ScreeRates {
  readonly decode: number;
  readonly gram: number;
  readonly normal: number;
  /** Rows of 200 numbers: moments, fingerprint and what is kept of single values. */
  readonly summarize: number;
  /** Summaries of 200 columns that are read and merged. */
  readonly merge: number;
  /** Bytes through a TCP connection to the same machine, both ends. */
  readonly loopback: number;
}

export interface Used {
  readonly cpu: number;
  readonly elapsed: number;
}

/** The same table in several files: what the model predicts, and what was measured. */
export interface Check {
  readonly parts: number;
  readonly predicted: { readonly parts: number; readonly merge: number; readonly elapsed: number };
  readonly parted: Used;
  readonly merged: Used | undefined;
}

/** What was measured, and where. */
export interface ScaleResult {
  readonly conditions: string;
  readonly python: PythonRates;
  readonly scree: ScreeRates;
  readonly checks: readonly Check[];
}

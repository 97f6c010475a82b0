import { type Blocking, runTask } from '../../base/progress.js';
import type { SparseBlock } from '../../data/blocks/block.js';
import { messageOf } from '../../errors.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import type { Warning } from '../../warning.js';
import { LoadedBasis } from '../basis.js';
import type { Engine, LoadedBlock, Rates } from '../engine.js';
import { reference } from '../reference/reference.js';
import { WasmBasis } from './basis.js';
import { WasmDense } from './dense/dense.js';
import { MOST_RESIDENT_BYTES, MOST_ROWWISE_VECTORS, passRows, TILE, tileRows } from './dense/layout.js';
import { suits, wasmEigen } from './eigen.js';
import { returnKernels, takeKernels, withKernels } from './kernel-pool.js';
import { type Compiled, compileOrWhy } from './kernels.js';
import type { RunnerProvider, WithRunner } from './runner-provider.js';
import { JobRunner } from './threads/job-runner.js';
import { canShare, machineThreads, workersRefused } from './threads/worker-pool.js';

/** Unit roundoff of float64 and of float32. */
const U = 2 ** -53;
const U32 = 2 ** -24;
/** Number of products that assembly/multiply.ts sums in float32 before it adds the sum in float64. */
const CHAIN = 64;

/** Minimum flops of a pass that uses idle workers, and of a pass that starts workers: 0.4 and 2 milliseconds of one thread. */
const USE_WORKERS_FLOPS = 1e7;
const START_WORKERS_FLOPS = 5e7;

const engines = new Map<string, Promise<Engine | string>>();

/** Options of the WebAssembly engine. */
export interface WasmOptions {
  /** Maximum number of threads of a pass. Default: the number of threads of the machine. */
  readonly threads?: number | undefined;
  /** How long a pass may block the calling thread. */
  readonly blocking?: Blocking | undefined;
}

/** Returns the WebAssembly engine, or the reason why it is not available. */
export function wasmEngineOrWhy(options: WasmOptions = {}): Promise<Engine | string> {
  const wanted = options.threads ?? machineThreads();
  const threads = canShare() ? wanted : 1;
  const workersOnly = options.blocking === 'none';
  const key = `${threads} of ${wanted}${workersOnly ? ', workers only' : ''}`;
  let engine = engines.get(key);
  if (!engine) {
    engine = make(threads, wanted, workersOnly);
    engines.set(key, engine);
  }
  return engine;
}

async function make(threads: number, wanted: number, workersOnly: boolean): Promise<Engine | string> {
  const compiled = await compileOrWhy();
  if (typeof compiled === 'string') return compiled;
  try {
    // Allocates the first memory. The pool keeps it for the first pass.
    await withKernels(compiled.module, () => {});
  } catch (error) {
    return `the system refuses the memory that WebAssembly needs (${messageOf(error)}). Node and Chrome reserve 10 GB of address space for it: if that is limited (ulimit -v), raise the limit, or start Node with --disable-wasm-trap-handler`;
  }
  return makeEngine(compiled, threads, wanted, workersOnly);
}

/** Returns a warning if workers could not be started. */
function warningsFor(wanted: number): readonly Warning[] {
  const cause = workersRefused();
  if (wanted === 1 || cause === undefined) return [];
  return [
    {
      code: 'ENGINE_FALLBACK',
      message: `The wasm engine had fewer threads than usual: ${cause}. The result is the same. With threads: 1 this warning goes away.`,
      details: { engine: 'wasm', cause },
    },
  ];
}

async function runPass<Result>(runner: JobRunner, pass: (runner: JobRunner) => Promise<Result>): Promise<Result> {
  try {
    return await pass(runner);
  } finally {
    runner.release();
  }
}

/** Number of threads that the plan assumes, on every machine: see `Engine.rates`. */
const PLAN_THREADS = 4;

function ratesOn(threads: number, relaxed: boolean): Rates {
  return {
    // 24.5 GFLOP/s per thread fused, 17 without (bench/, an AMD EPYC).
    products: (relaxed ? 23 : 17) * (1 + 0.9 * (threads - 1)),
    // 4 to 5 GFLOP/s per thread over 4 M entries in 20,000 columns: the caches are the limit.
    sparse: 4.5 * (1 + 0.9 * (threads - 1)),
    // 8 to 17 on one core of an AMD EPYC for 500 to 1536 columns, depending on how much of the caches other processes use: memory is the
    // limit.
    eigen: 8 * (1 + 0.5 * (Math.min(threads, 4) - 1)),
    // 12 vectors of 4000 × 4000 take 26 ms on two threads; the products alone would take 17 ms. More threads share the memory bandwidth.
    again: { vectors: MOST_ROWWISE_VECTORS, numbers: MOST_RESIDENT_BYTES / 8, reading: Math.min(threads, 4) },
  };
}

/** Returns the rates of float32 products: an instruction handles twice the numbers. */
function doubled(rates: Rates): Rates {
  return { ...rates, products: 2 * rates.products };
}

function makeEngine({ module, relaxed }: Compiled, threads: number, wanted: number, workersOnly: boolean): Engine {
  const runOn: RunnerProvider['runOn'] = (kernels, flops, pass, rows) => {
    const short = flops < USE_WORKERS_FLOPS;
    const start = flops < START_WORKERS_FLOPS ? 1 : threads;
    return runPass(new JobRunner(kernels, short ? 1 : threads, start, { workersOnly, rows, short }), pass);
  };
  const withRunner: WithRunner = (flops, pass, rows) =>
    withKernels(module, (kernels) => runOn(kernels, flops, pass, rows));
  const provider: RunnerProvider = { withRunner, runOn, takeKernels: () => takeKernels(module), returnKernels };
  const sparse = (block: SparseBlock): Promise<LoadedBlock> =>
    import('./sparse/sparse.js').then(({ loadSparse }) => loadSparse(block, provider));
  const rates = ratesOn(PLAN_THREADS, true);
  const machineRates = ratesOn(canShare() ? machineThreads() : 1, relaxed);
  const chain = (d: number): number => Math.min(d, TILE) + Math.ceil(d / TILE) + 16;
  const tiles = (n: number, d: number): number => Math.ceil(n / passRows(d));
  const shared: Omit<Engine, 'name' | 'rates' | 'machineRates' | 'load' | 'roundoff' | 'warnings'> = {
    threads,
    skipsZeros: true,
    keepsMatrix: true,
    basis: (length) => {
      const kernels = provider.takeKernels();
      return kernels ? new WasmBasis(length, provider, kernels) : new LoadedBasis(engine, length);
    },
    symmetricEigen(a, size, count, onStep) {
      if (!suits(size)) return runTask(symmetricEigen(a.slice(), size, count), onStep);
      return withRunner((4 / 3) * size ** 3, (runner) => wasmEigen(a, size, count, runner, onStep));
    },
  };
  const float32: Engine = {
    ...shared,
    name: 'wasm, float32',
    get warnings() {
      return warningsFor(wanted);
    },
    rates: doubled(rates),
    machineRates: doubled(machineRates),
    load: (block) => (block.kind === 'dense' ? new WasmDense(block, provider, true) : sparse(block)),
    roundoff: (n, d, sparse) =>
      sparse ? reference.roundoff(n, d, sparse) : U32 * (CHAIN + TILE / CHAIN + 4) + U * (chain(d) + tiles(n, d)),
  };
  const engine: Engine = {
    ...shared,
    name: 'wasm',
    get warnings() {
      return warningsFor(wanted);
    },
    rates,
    machineRates,
    float32,
    load: (block) => (block.kind === 'dense' ? new WasmDense(block, provider, false) : sparse(block)),
    roundoff: (n, d, sparse) =>
      sparse ? reference.roundoff(n, d, sparse) : U * (chain(d) + Math.min(n, tileRows(d)) + tiles(n, d)),
  };
  return engine;
}

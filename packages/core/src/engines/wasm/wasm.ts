import type { SparseBlock } from '../../data/block.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import type { Engine, LoadedBlock } from '../engine.js';
import { reference } from '../reference/reference.js';
import { SparseReference } from '../reference/sparse.js';
import { follow } from '../summarise.js';
import { WasmBasis } from './basis.js';
import { canShare, machineThreads } from './crew.js';
import { type Borrow, WasmDense } from './dense.js';
import { suits, wasmEigen } from './eigen.js';
import { type Compiled, compileKernels, Kernels } from './kernels.js';
import { passRows, TILE, tileRows } from './layout.js';
import { type Lender, WasmSparse } from './sparse.js';
import { Team } from './team.js';

/** Unit roundoff of float64 and of float32. */
const U = 2 ** -53;
const U32 = 2 ** -24;
/** Steps that assembly/multiply.ts sums in float32. */
const CHAIN = 64;

/** Flops of a pass that are worth a second thread that waits for work, and starting one: 0.4 and two milliseconds of one. */
const WORTH = 1e7;
const WORTH_STARTING = 5e7;
/** Memory that idle kernels may hold together: WebAssembly memory never shrinks, so what is over is let go. */
const KEPT = 128 * 2 ** 20;

const engines = new Map<number, Promise<Engine | undefined>>();

/**
 * The WebAssembly engine: SIMD, on as many threads as are wanted (default: all the machine has) and can be had. Undefined where WebAssembly
 * SIMD is missing. The answer does not depend on the number of threads.
 */
export function wasmEngine(wanted = machineThreads()): Promise<Engine | undefined> {
  const threads = canShare() ? wanted : 1;
  let engine = engines.get(threads);
  if (!engine) {
    engine = compileKernels().then((compiled) => compiled && makeEngine(compiled, threads));
    engines.set(threads, engine);
  }
  return engine;
}

/** Kernels that no pass is using. Passes that run at the same time must not share a memory; others may. */
const idle: Kernels[] = [];

function takeKernels(compiled: Compiled): Kernels {
  return idle.pop() ?? new Kernels(compiled.module);
}

function giveBack(kernels: Kernels): void {
  kernels.forget();
  const held = idle.reduce((sum, { bytes }) => sum + bytes, 0);
  if (!kernels.broken && held + kernels.bytes <= KEPT) idle.push(kernels);
}

async function withKernels<Result>(compiled: Compiled, use: (kernels: Kernels) => Promise<Result>): Promise<Result> {
  const kernels = takeKernels(compiled);
  try {
    return await use(kernels);
  } finally {
    giveBack(kernels);
  }
}

function makeEngine(compiled: Compiled, threads: number): Engine {
  const runOn: Lender['runOn'] = async (kernels, flops, pass) => {
    const team = new Team(kernels, flops < WORTH ? 1 : threads, flops < WORTH_STARTING ? 1 : threads);
    try {
      return await pass(team);
    } finally {
      team.end();
    }
  };
  const borrow: Borrow = (flops, pass) => withKernels(compiled, (kernels) => runOn(kernels, flops, pass));
  const lender: Lender = { borrow, runOn, take: () => takeKernels(compiled), giveBack };
  const sparse = (block: SparseBlock): LoadedBlock =>
    WasmSparse.suits(block) ? new WasmSparse(block, lender) : new SparseReference(block);
  // 24.5 GFLOP/s a thread fused, 17 without (bench/, an AMD EPYC).
  const rate = (compiled.relaxed ? 23 : 17) * (1 + 0.9 * (threads - 1));
  // 4 to 5 GFLOP/s a thread over 4 M entries in 20,000 columns: what the caches bring in.
  const sparseRate = 4.5 * (1 + 0.9 * (threads - 1));
  const eigen = 9 * (1 + 0.5 * (Math.min(threads, 4) - 1));
  const chain = (d: number): number => Math.min(d, TILE) + Math.ceil(d / TILE) + 16;
  const tiles = (n: number, d: number): number => Math.ceil(n / passRows(d));
  const shared: Omit<Engine, 'name' | 'rates' | 'load' | 'roundoff'> = {
    threads,
    skipsZeros: true,
    basis: (length) => new WasmBasis(length, lender),
    async symmetricEigen(a, size, count, beat) {
      if (!suits(size)) return follow(symmetricEigen(a, size, count), beat);
      return borrow((4 / 3) * size ** 3, (team) => wasmEigen(a, size, count, team, beat));
    },
  };
  const single: Engine = {
    ...shared,
    name: 'wasm, float32',
    rates: { products: 2 * rate, sparse: sparseRate, eigen },
    load: (block) => (block.kind === 'dense' ? new WasmDense(block, borrow, true) : sparse(block)),
    roundoff: (n, d, sparse) =>
      sparse ? reference.roundoff(n, d, sparse) : U32 * (CHAIN + TILE / CHAIN + 4) + U * (chain(d) + tiles(n, d)),
  };
  return {
    ...shared,
    name: 'wasm',
    rates: { products: rate, sparse: sparseRate, eigen },
    single,
    load: (block) => (block.kind === 'dense' ? new WasmDense(block, borrow, false) : sparse(block)),
    roundoff: (n, d, sparse) =>
      sparse ? reference.roundoff(n, d, sparse) : U * (chain(d) + Math.min(n, tileRows(d)) + tiles(n, d)),
  };
}

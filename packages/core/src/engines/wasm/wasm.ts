import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import type { Tridiagonal } from '../../linalg/tridiagonalise.js';
import type { Steps } from '../../pace.js';
import type { Engine } from '../engine.js';
import { reference } from '../reference/reference.js';
import { follow } from '../summarise.js';
import { type Borrow, WasmDense } from './dense.js';
import { compileKernels, Kernels } from './kernels.js';
import { TILE, tileRows } from './stage.js';
import { suits, wasmTridiagonalise } from './tridiagonalise.js';

/** Unit roundoff of float64. */
const U = 2 ** -53;

let made: Promise<Engine | undefined> | undefined;

/** The WebAssembly engine: SIMD, one thread; undefined where WebAssembly SIMD is missing. Compiled once. */
export function wasmEngine(): Promise<Engine | undefined> {
  made ??= makeEngine();
  return made;
}

async function makeEngine(): Promise<Engine | undefined> {
  const compiled = await compileKernels();
  if (!compiled) return undefined;
  // Passes that run at the same time must not share a memory; those that run one after the other may.
  const idle: Kernels[] = [];
  const take = (): Kernels => {
    const kernels = idle.pop() ?? new Kernels(compiled.module);
    kernels.clear();
    return kernels;
  };
  const giveBack = (kernels: Kernels): void => {
    const held = idle.reduce((sum, { bytes }) => sum + bytes, 0);
    if (held + kernels.bytes <= KEPT) idle.push(kernels);
  };
  const borrow: Borrow = async (pass) => {
    const kernels = take();
    try {
      await pass(kernels);
    } finally {
      giveBack(kernels);
    }
  };
  return {
    name: 'wasm',
    // 24.5 GFLOP/s fused, 17 without, against 2.3 of plain TypeScript (bench/, one core of an AMD EPYC).
    threads: 1,
    rates: { products: compiled.relaxed ? 23 : 17, sparse: 1, eigen: 4 },
    // Sparse passes wait for memory, not for arithmetic: plain TypeScript does them as well.
    load: (block) => (block.kind === 'dense' ? new WasmDense(block, borrow) : reference.load(block)),
    async symmetricEigen(a, size, count, beat) {
      if (!suits(size)) return follow(symmetricEigen(a, size, count), beat);
      const kernels = take();
      try {
        const reduce = (matrix: Float64Array): Steps<Tridiagonal> => wasmTridiagonalise(matrix, size, kernels);
        return await follow(symmetricEigen(a, size, count, reduce), beat);
      } finally {
        giveBack(kernels);
      }
    },
    roundoff: (n, d, sparse) =>
      sparse
        ? reference.roundoff(n, d, sparse)
        : U * (Math.min(d, TILE) + Math.ceil(d / TILE) + Math.min(n, tileRows(d)) + Math.ceil(n / tileRows(d)) + 16),
  };
}

/** Memory that idle kernels may hold together: WebAssembly memory never shrinks, so what is over is let go. */
const KEPT = 64 * 2 ** 20;

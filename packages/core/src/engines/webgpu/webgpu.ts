import type { Block, DenseBlock } from '../../data/block.js';
import type { Warning } from '../../warning.js';
import type { Engine, LoadedBlock } from '../engine.js';
import { reference } from '../reference/reference.js';
import { wasmEngine } from '../wasm/wasm.js';
import { GpuDense, type GpuWithFallback } from './dense.js';
import { Gpu } from './device.js';
import { slabRows } from './framed-rows.js';
import { CHAIN } from './matmul-code.js';
import { planSums } from './matrices.js';
import { probe } from './probe.js';

/** Numbers of a block from which it goes to the device: smaller ones take less time on the processor. */
const WORTH_UPLOADING = 2 ** 22;
/** Unit roundoff of float32, and of two float32 parts. */
const U32 = 2 ** -24;
const U2 = 2 ** -48;

export interface WebGpuOptions {
  /** Where the GPU is found: `navigator.gpu`, or in Node what the package `webgpu` creates. */
  readonly gpu: GPU;
  readonly threads?: number | undefined;
  /** Numbers of the smallest block that goes to the device. */
  readonly smallest?: number;
}

/** The engine, the device it runs on, and how to close it. */
export interface WebGpu {
  readonly engine: Engine;
  readonly gpu: Gpu;
}

/** The WebGPU engine on the device of `gpu`, or why there is none. */
export async function openWebGpu(options: WebGpuOptions): Promise<WebGpu | string> {
  const gpu = await Gpu.open(options.gpu);
  if (typeof gpu === 'string') return gpu;
  const problem = await probe(gpu);
  if (problem !== undefined) {
    gpu.close();
    return problem;
  }
  const processor = (await wasmEngine({ threads: options.threads })) ?? reference;
  return { gpu, engine: makeEngine(gpu, processor, options.smallest ?? WORTH_UPLOADING) };
}

function makeEngine(gpu: Gpu, processor: Engine, smallest: number): Engine {
  const reasons: string[] = [];
  const device: GpuWithFallback = {
    gpu,
    load: async (block) => processor.load(block),
    failed: (reason) => {
      if (!reasons.includes(reason)) reasons.push(reason);
    },
  };
  const suits = (block: Block): block is DenseBlock =>
    block.kind === 'dense' &&
    gpu.failure === undefined &&
    block.rows * block.cols >= smallest &&
    GpuDense.suits(gpu, block.cols);
  const load =
    (float32: boolean) =>
    (block: Block): LoadedBlock | Promise<LoadedBlock> =>
      suits(block) ? new GpuDense(block, device, float32) : processor.load(block);
  const shared = {
    threads: processor.threads,
    get warnings(): readonly Warning[] {
      return [...(processor.warnings ?? []), ...reasons.map(fallbackWarning)];
    },
    symmetricEigen: processor.symmetricEigen,
    ...(processor.basis ? { basis: processor.basis } : {}),
  };
  const rates = { ...processor.rates };
  const float32: Engine = Object.defineProperties(
    {
      ...shared,
      name: 'webgpu, float32',
      rates,
      load: load(true),
      roundoff: (n, d, sparse) =>
        Math.max(processor.roundoff(n, d, sparse), sparse ? 0 : U32 * (CHAIN + 4) + roundoffInTwo(n, d)),
    } as Engine,
    { warnings: { get: () => [...(processor.warnings ?? []), ...reasons.map(fallbackWarning)], enumerable: true } },
  );
  return Object.defineProperties(
    {
      ...shared,
      name: 'webgpu',
      rates,
      float32,
      load: load(false),
      roundoff: (n, d, sparse) => Math.max(processor.roundoff(n, d, sparse), sparse ? 0 : roundoffInTwo(n, d)),
    } as Engine,
    { warnings: { get: () => [...(processor.warnings ?? []), ...reasons.map(fallbackWarning)], enumerable: true } },
  );
}

/**
 * Sixteen terms whose errors are summed apart are right to 16²·u² (Ogita, Rump & Oishi 2005, proposition 4.5); every addition in two
 * parts after that adds 2·u². An entry of B is right to 8·u².
 */
function roundoffInTwo(n: number, d: number): number {
  const slab = Math.min(slabRows(d), n);
  const { part, parts } = planSums(d, d, slab);
  const additions = Math.ceil(part / 16) + parts + Math.ceil(n / slab) + Math.ceil(d / 16) + 16;
  return U2 * (2 * 256 + 2 * additions + 32);
}

function fallbackWarning(cause: string): Warning {
  return {
    code: 'ENGINE_FALLBACK',
    message: `Part of the work was done by the wasm engine instead of the GPU: ${cause}. The result is as accurate. With engine: 'wasm' this warning goes away.`,
    details: { engine: 'wasm', cause },
  };
}

import type { Block } from '../../data/blocks/block.js';
import type { Warning } from '../../warning.js';
import type { Engine, LoadedBlock, Rates } from '../engine.js';
import { reference } from '../reference/reference.js';
import { wasmEngineOrWhy } from '../wasm/wasm.js';
import { GpuDense, type GpuWithFallback } from './dense.js';
import { DeviceFailure, Gpu } from './device.js';
import { leadingEigen } from './leading-eigen.js';
import { FLOAT32_TERMS } from './matmul-code.js';
import { planSums } from './matrices.js';
import type { DeviceRates, OpenDevice } from './open-device.js';
import { probe } from './probe.js';
import { measureDevice } from './rates.js';
import { slabRows } from './scaled-rows.js';

/** Minimum size of a block on the device, in numbers. Smaller blocks are faster on the processor. */
const WORTH_UPLOADING = 2 ** 22;
/** Minimum size of a square matrix, in numbers, whose leading eigenvectors are computed on the device. */
const SMALLEST_MATRIX = 512 * 512;
/** Speeds for the choice of the solver, the same for every device: about those of a large device. */
const USUAL: DeviceRates = { float32: 10_000, two: 1000, reading: 20, upload: 6 };
/** Unit roundoff of float32, and of two float32 parts. */
const U32 = 2 ** -24;
const U2 = 2 ** -48;

export interface WebGpuOptions {
  /** The entry point of WebGPU: `navigator.gpu`, or in Node the object that the package `webgpu` creates. */
  readonly gpu: GPU;
  /** Minimum size of a block on the device, in numbers. */
  readonly smallest?: number | undefined;
  /** True to refuse a software driver: opening and checking one may take minutes. */
  readonly hardwareOnly?: boolean | undefined;
}

interface WebGpu extends OpenDevice {
  readonly gpu: Gpu;
}

/** Opens and checks the device of `gpu`. Returns the reason if it cannot be used. */
export async function openWebGpu({
  gpu: given,
  smallest = WORTH_UPLOADING,
  hardwareOnly,
}: WebGpuOptions): Promise<WebGpu | string> {
  const gpu = await Gpu.open(given, hardwareOnly);
  if (typeof gpu === 'string') return gpu;
  const problem = await probe(gpu);
  if (problem !== undefined) {
    gpu.close();
    return `${gpu.adapter}: ${problem}`;
  }
  const rates = await measureDevice(gpu);
  const engines = new Map<number | undefined, Promise<Engine>>();
  const make = async (threads?: number): Promise<Engine> => {
    const wasm = await wasmEngineOrWhy({ threads });
    return makeEngine(gpu, typeof wasm === 'string' ? reference : wasm, smallest, rates);
  };
  return {
    gpu,
    rates,
    engine(threads) {
      const engine = engines.get(threads) ?? make(threads);
      engines.set(threads, engine);
      return engine;
    },
  };
}

function makeEngine(gpu: Gpu, processor: Engine, smallest: number, rates: DeviceRates): Engine {
  const smallestMatrix = Math.min(smallest, SMALLEST_MATRIX);
  const reasons: string[] = [];
  const device: GpuWithFallback = {
    gpu,
    confirms: true,
    load: async (block) => processor.load(block),
    failed: (reason) => {
      if (!reasons.includes(reason)) reasons.push(reason);
    },
  };
  const load =
    (float32: boolean) =>
    (block: Block): LoadedBlock | Promise<LoadedBlock> => {
      const suits =
        block.kind === 'dense' &&
        gpu.failure === undefined &&
        block.rows * block.cols >= smallest &&
        GpuDense.suits(gpu, block.cols);
      return suits ? new GpuDense(block, device, float32) : processor.load(block);
    };
  const ratesOf = (speeds: DeviceRates, products: number, own: Rates): Rates => {
    const { reading, upload, two } = speeds;
    return { ...own, products, reading, again: undefined, upload, leading: two };
  };
  const engineOf = (
    name: string,
    kind: 'two' | 'float32',
    ownRoundoff: Engine['roundoff'],
    float32?: Engine,
  ): Engine => ({
    name,
    threads: processor.threads,
    rates: ratesOf(USUAL, USUAL[kind], processor.rates),
    machineRates: ratesOf(rates, rates[kind], processor.machineRates ?? processor.rates),
    get warnings(): readonly Warning[] {
      return [...(processor.warnings ?? []), ...reasons.map(fallbackWarning)];
    },
    load: load(float32 === undefined),
    symmetricEigen: processor.symmetricEigen,
    keepsMatrix: processor.keepsMatrix ?? false,
    async leadingEigen(upper, size, count, tolerance, onStep, seed, also) {
      if (gpu.failure !== undefined || size * size < smallestMatrix) return undefined;
      try {
        const request = { upper, size, count, tolerance, seed, also };
        return await leadingEigen(gpu, request, processor.symmetricEigen, onStep);
      } catch (error) {
        if (!(error instanceof DeviceFailure)) throw error;
        device.failed(error.message);
        return undefined;
      }
    },
    ...(processor.basis ? { basis: processor.basis } : {}),
    // Small and sparse blocks run on the processor, so both bounds must hold.
    roundoff: (n, d, sparse) => Math.max(processor.roundoff(n, d, sparse), sparse ? 0 : ownRoundoff(n, d, sparse)),
    ...(float32 ? { float32 } : {}),
  });
  const single = engineOf('webgpu, float32', 'float32', (n, d) => U32 * (FLOAT32_TERMS + 4) + roundoffInTwo(n, d));
  return engineOf('webgpu', 'two', roundoffInTwo, single);
}

/**
 * A sum of 16 terms with separately summed errors has an error of at most 16²·u² (Ogita, Rump & Oishi 2005, proposition 4.5). Every later
 * addition in two parts adds 2·u². The error of an entry of B is at most 8·u².
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

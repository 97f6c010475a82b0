import type { OfferedEngine } from '../engine.js';
import type { OpenDevice } from './open-device.js';

/** Returns WebGPU, or the reason why it is not available. WebGPU is declared as an object, because TypeScript 5 has no type for it. */
export type GpuProvider = () => object | string | Promise<object | string>;

/** Finds WebGPU. Pages and workers have `navigator.gpu`; other platforms call `provideGpu`. A setting of the process. */
let findGpu: GpuProvider = () =>
  globalThis.navigator?.gpu ?? 'this browser has no WebGPU, or the page was not loaded over https or from localhost';

/**
 * Minimum size of data, in numbers, for which `'auto'` opens a device. Opening it and compiling kernels takes about as long as a fit of
 * this size without it.
 */
const WORTH_OPENING = 2 ** 26;
/** Minimum size of data, in numbers, for which `'auto'` considers an open device. Smaller blocks are not uploaded. */
const WORTH_USING = 2 ** 22;

/** The device, or the reason why it could not be opened. Cached for the process. */
let opening: Promise<OpenDevice | string> | undefined;
/** The device that `opening` has opened. Cached for the process. */
let ready: OpenDevice | undefined;
/** True if the last call did not open software drivers. Cached for the process. */
let hardwareOnly = false;

/** Sets how to find WebGPU, for platforms without `navigator.gpu`. */
export function provideGpu(provider: GpuProvider): void {
  findGpu = provider;
  opening = ready = undefined;
}

/** Returns the device of this process. It is opened once, and again after it was lost. If `automatic` is true, a software driver is not opened. */
export async function openDevice(automatic = false): Promise<OpenDevice | string> {
  const opened = await opening;
  const lost = typeof opened === 'object' && opened.gpu.failure !== undefined;
  const softwareRefused = typeof opened === 'string' && hardwareOnly && !automatic;
  if (opening === undefined || lost || softwareRefused) {
    hardwareOnly = automatic;
    ready = undefined;
    opening = open(automatic);
  }
  const device = await opening;
  if (typeof device === 'object') ready = device;
  return device;
}

async function open(automatic: boolean): Promise<OpenDevice | string> {
  const gpu = await findGpu();
  if (typeof gpu === 'string') return gpu;
  const { openWebGpu } = await import('./webgpu.js');
  return openWebGpu({ gpu: gpu as GPU, hardwareOnly: automatic });
}

/** The engine on the GPU of this machine. Its code is loaded when a fit requests it, or when `'auto'` expects it to be faster. */
export const webGpuOffer: OfferedEngine = {
  name: 'webgpu',
  get worth() {
    return ready && ready.gpu.failure === undefined ? WORTH_USING : WORTH_OPENING;
  },
  async make(threads, automatic = false) {
    const opened = await openDevice(automatic);
    if (typeof opened === 'string' || (automatic && opened.gpu.software)) return undefined;
    return opened.engine(threads);
  },
  async why() {
    const opened = await openDevice();
    return typeof opened === 'string' ? opened : 'it is available now; try again';
  },
};

import type { OfferedEngine } from '../engine.js';
import type { OpenDevice } from './open-device.js';

/** Returns WebGPU, or why it is not available. WebGPU is declared as an object, because TypeScript 5 has no type for it. */
export type GpuProvider = () => object | string | Promise<object | string>;

/** Pages and workers have WebGPU themselves. */
let findGpu: GpuProvider = () =>
  globalThis.navigator?.gpu ?? 'this browser has no WebGPU, or the page was not loaded over https or from localhost';

/** Numbers from which `'auto'` opens a device: opening one and compiling its kernels takes about as long as such a fit does without it. */
const WORTH_OPENING = 2 ** 26;
/** Numbers from which it is considered where it is open already: smaller blocks are not uploaded. */
const WORTH_USING = 2 ** 22;

let opening: Promise<OpenDevice | string> | undefined;
/** The device that `opening` has opened. */
let ready: OpenDevice | undefined;
/** Whether a software driver was left alone. */
let hardwareOnly = false;

/** For platforms without `navigator.gpu`: where to find WebGPU. */
export function provideGpu(provider: GpuProvider): void {
  findGpu = provider;
  opening = ready = undefined;
}

/** The device of this program, opened once, and again after it was lost. `automatic` opens no software driver. */
export async function openDevice(automatic = false): Promise<OpenDevice | string> {
  const opened = await opening;
  const lost = typeof opened === 'object' && opened.gpu.failure !== undefined;
  const leftAlone = typeof opened === 'string' && hardwareOnly && !automatic;
  if (opening === undefined || lost || leftAlone) {
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

/** The engine on the GPU of this machine. Its code is loaded when a fit asks for it, or when `'auto'` expects a gain. */
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
    return typeof opened === 'string' ? opened : 'it is there now; try again';
  },
};

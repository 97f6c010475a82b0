import { Kernels } from './kernels.js';
import { replaceWorkers } from './threads/worker-pool.js';

/** Most memory of all idle kernels together: WebAssembly memory never shrinks, so further kernels are dropped. */
const MOST_IDLE_BYTES = 128 * 2 ** 20;

/** Most passes that run at the same time: more would take more memory and save no time. */
const MOST_PASSES = 16;

/**
 * Idle kernels. Passes that run at the same time must not share a memory. Where there are many passes, or the system has no more
 * memory, a pass waits until another pass returns its kernels.
 */
const idle: Kernels[] = [];
/** Kernels that running passes use. Those from `takeKernels` do not count. */
let inUse = 0;
const waiting: (() => void)[] = [];
/** Bytes of kernels that were dropped; workers may still refer to them. */
let dropped = 0;

/** Calls `use` with kernels, and returns them to the pool afterwards. */
export async function withKernels<Result>(
  module: WebAssembly.Module,
  use: (kernels: Kernels) => Result | Promise<Result>,
): Promise<Result> {
  let kernels = idle.pop();
  while (!kernels) {
    if (inUse < MOST_PASSES) {
      try {
        kernels = new Kernels(module);
        break;
      } catch (error) {
        if (inUse === 0) {
          // No pass will return kernels and with them wake those that wait: they try for themselves.
          waiting.shift()?.();
          throw error;
        }
      }
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
    kernels = idle.pop();
  }
  inUse++;
  try {
    return await use(kernels);
  } finally {
    inUse--;
    returnKernels(kernels);
  }
}

/** Kernels to keep for longer; undefined where that would leave none for passes to run. */
export function takeKernels(module: WebAssembly.Module): Kernels | undefined {
  try {
    const kernels = idle.pop() ?? new Kernels(module);
    if (idle.length + inUse > 0) return kernels;
    idle.push(kernels);
    return new Kernels(module);
  } catch {
    return undefined;
  }
}

export function returnKernels(kernels: Kernels): void {
  kernels.forget();
  let held = 0;
  for (const { bytes } of idle) held += bytes;
  if (!kernels.broken && held + kernels.bytes <= MOST_IDLE_BYTES) {
    idle.push(kernels);
  } else {
    dropped += kernels.bytes;
    if (dropped > MOST_IDLE_BYTES) {
      dropped = 0;
      replaceWorkers();
    }
  }
  waiting.shift()?.();
}

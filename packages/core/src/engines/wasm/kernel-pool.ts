import { Kernels } from './kernels.js';
import { replaceWorkers } from './threads/worker-pool.js';

/** Maximum memory of all idle kernels. WebAssembly memory never shrinks, so further kernels are dropped. */
const MOST_IDLE_BYTES = 128 * 2 ** 20;

/** Maximum passes that run at the same time: more would take more memory and save no time. */
const MOST_PASSES = 16;

/**
 * The kernels of this process. Passes that run at the same time must not share a memory. If too many passes run, or if the system has no more
 * memory, a pass waits until another pass returns its kernels.
 */
const pool = {
  idle: [] as Kernels[],
  /** Number of kernels that running passes use, without those from `takeKernels`. */
  inUse: 0,
  /** Passes that wait for kernels. */
  waiting: [] as (() => void)[],
  /** Bytes of dropped kernels that workers may still reference. */
  droppedBytes: 0,
};

/** Calls `use` with kernels, and returns them to the pool afterwards. */
export async function withKernels<Result>(
  module: WebAssembly.Module,
  use: (kernels: Kernels) => Result | Promise<Result>,
): Promise<Result> {
  let kernels = pool.idle.pop();
  while (!kernels) {
    if (pool.inUse < MOST_PASSES) {
      try {
        kernels = new Kernels(module);
        break;
      } catch (error) {
        if (pool.inUse === 0) {
          // No running pass will return kernels and wake a waiting pass, so wake one here: it tries to create its own kernels.
          pool.waiting.shift()?.();
          throw error;
        }
      }
    }
    await new Promise<void>((resolve) => pool.waiting.push(resolve));
    kernels = pool.idle.pop();
  }
  pool.inUse++;
  try {
    return await use(kernels);
  } finally {
    pool.inUse--;
    returnKernels(kernels);
  }
}

/** Takes kernels for longer use. Returns undefined if passes would have no kernels left. */
export function takeKernels(module: WebAssembly.Module): Kernels | undefined {
  try {
    const kernels = pool.idle.pop() ?? new Kernels(module);
    if (pool.idle.length + pool.inUse > 0) return kernels;
    pool.idle.push(kernels);
    return new Kernels(module);
  } catch {
    return undefined;
  }
}

export function returnKernels(kernels: Kernels): void {
  kernels.forget();
  let held = 0;
  for (const { bytes } of pool.idle) held += bytes;
  if (!kernels.broken && held + kernels.bytes <= MOST_IDLE_BYTES) {
    pool.idle.push(kernels);
  } else {
    pool.droppedBytes += kernels.bytes;
    if (pool.droppedBytes > MOST_IDLE_BYTES) {
      pool.droppedBytes = 0;
      replaceWorkers();
    }
  }
  pool.waiting.shift()?.();
}

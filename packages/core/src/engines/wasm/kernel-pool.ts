import { Kernels } from './kernels.js';
import { replaceWorkers } from './threads/worker-pool.js';

/** Memory that idle kernels may hold together: WebAssembly memory never shrinks, so kernels beyond it are dropped. */
const KEPT = 128 * 2 ** 20;

/** Passes that run at the same time, at most: more would take more memory and no less time. */
const MOST_BORROWED = 16;

/**
 * The kernels that passes work with. Passes that run at the same time must not share a memory; others may. Where there are
 * many passes, or the system gives no further memory, a pass waits for one that another pass returns.
 */
const idle: Kernels[] = [];
/** Kernels in use by passes, which return them soon. Those that `takeKernels` gave away do not count. */
let borrowed = 0;
const waiting: (() => void)[] = [];
/** Bytes of kernels that were dropped, and that workers may still hold. */
let dropped = 0;

/** Lends kernels for one pass. */
export async function withKernels<Result>(
  module: WebAssembly.Module,
  use: (kernels: Kernels) => Promise<Result>,
): Promise<Result> {
  let kernels = idle.pop();
  while (!kernels) {
    if (borrowed < MOST_BORROWED) {
      try {
        kernels = new Kernels(module);
        break;
      } catch (error) {
        if (borrowed === 0) throw error;
      }
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
    kernels = idle.pop();
  }
  borrowed++;
  try {
    return await use(kernels);
  } finally {
    borrowed--;
    returnKernels(kernels);
  }
}

/** Kernels to keep for longer; undefined where that would leave none for passes to withRunner. */
export function takeKernels(module: WebAssembly.Module): Kernels | undefined {
  try {
    const kernels = idle.pop() ?? new Kernels(module);
    if (idle.length + borrowed > 0) return kernels;
    idle.push(kernels);
    return new Kernels(module);
  } catch {
    return undefined;
  }
}

export function returnKernels(kernels: Kernels): void {
  kernels.forget();
  const held = idle.reduce((sum, { bytes }) => sum + bytes, 0);
  if (!kernels.broken && held + kernels.bytes <= KEPT) {
    idle.push(kernels);
  } else {
    dropped += kernels.bytes;
    if (dropped > KEPT) {
      dropped = 0;
      replaceWorkers();
    }
  }
  waiting.shift()?.();
}

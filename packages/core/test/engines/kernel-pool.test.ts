import { afterEach, expect, it, vi } from 'vitest';
import { takeKernels, withKernels } from '../../src/engines/wasm/kernel-pool.js';
import { compileKernels, type Kernels } from '../../src/engines/wasm/kernels.js';

const { module } = (await compileKernels()) as { module: WebAssembly.Module };

afterEach(() => vi.restoreAllMocks());

/** Makes the system refuse WebAssembly memory from now on, as with a limit on address space. */
function refuseMemory(): void {
  vi.spyOn(WebAssembly, 'Memory').mockImplementation(function refuse() {
    throw new RangeError('WebAssembly.Memory(): could not allocate memory');
  });
}

it('a pass waits for the memory of another pass if the system has no more', async () => {
  const order: string[] = [];
  let finish: () => void = () => {};
  let only: Kernels | undefined;
  const first = withKernels(module, async (kernels) => {
    only = kernels;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    order.push('first');
  });
  refuseMemory();
  const second = withKernels(module, async (kernels) => {
    order.push('second');
    expect(kernels).toBe(only);
  });
  const third = withKernels(module, async () => void order.push('third'));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(order).toEqual([]);
  finish();
  await Promise.all([first, second, third]);
  expect(order).toEqual(['first', 'second', 'third']);
});

it('the last memory is never given to a caller that keeps it', async () => {
  await withKernels(module, async () => {});
  refuseMemory();
  expect(takeKernels(module)).toBeUndefined();
  await withKernels(module, async () => {});
});

it('a pass fails if there is no memory and no running pass that could return one', async () => {
  vi.resetModules();
  const pool = await import('../../src/engines/wasm/kernel-pool.js');
  refuseMemory();
  await expect(pool.withKernels(module, () => {})).rejects.toThrow(RangeError);
});

it('sixteen passes run at the same time, and further passes wait', async () => {
  let running = 0;
  let most = 0;
  const pass = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 0));
    running--;
  };
  await Promise.all(Array.from({ length: 50 }, () => withKernels(module, pass)));
  expect(most).toBe(16);
});

it('all waiting passes fail after the last running pass has lost its memory', async () => {
  vi.resetModules();
  const pool = await import('../../src/engines/wasm/kernel-pool.js');
  let finish: () => void = () => {};
  const first = pool.withKernels(module, async (kernels) => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    kernels.broken = true;
  });
  refuseMemory();
  const others = [1, 2, 3].map(() => pool.withKernels(module, () => {}));
  finish();
  const ends = await Promise.allSettled([first, ...others]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
});

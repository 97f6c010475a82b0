import { afterEach, expect, it, vi } from 'vitest';
import { openDevice, provideGpu, webGpuOffer } from '../../src/engines/webgpu/offer.js';

afterEach(() => provideGpu(() => 'none'));

/** A GPU with a software driver, and the requests that it received. */
function softwareGpu() {
  const asked: string[] = [];
  const adapter = {
    limits: {},
    info: { vendor: 'mesa', description: 'llvmpipe (LLVM 15.0.6, 256 bits)' },
    async requestDevice() {
      asked.push('device');
      throw new Error('no device here');
    },
  };
  const gpu = {
    async requestAdapter() {
      asked.push('adapter');
      return adapter;
    },
  };
  return { asked, gpu: gpu as never };
}

it("a software driver is not opened for 'auto', but is opened on request", async () => {
  const { asked, gpu } = softwareGpu();
  provideGpu(() => gpu);
  expect(await webGpuOffer.make(1, true)).toBeUndefined();
  expect(await webGpuOffer.make(1, true)).toBeUndefined();
  expect(asked).toEqual(['adapter']);
  expect(await webGpuOffer.make(1)).toBeUndefined();
  expect(asked).toEqual(['adapter', 'adapter', 'device']);
  expect(await webGpuOffer.why()).toContain('no device here');
});

it("'auto' considers a device for 67 million numbers or more, and an open device for 4 million or more", async () => {
  const opened = { gpu: { failure: undefined as string | undefined } };
  vi.doMock('../../src/engines/webgpu/webgpu.js', () => ({ openWebGpu: async () => opened }));
  provideGpu(() => ({}) as GPU);
  expect(webGpuOffer.worth).toBe(2 ** 26);
  await openDevice();
  expect(webGpuOffer.worth).toBe(2 ** 22);
  opened.gpu.failure = 'it was lost';
  expect(webGpuOffer.worth).toBe(2 ** 26);
  vi.doUnmock('../../src/engines/webgpu/webgpu.js');
});

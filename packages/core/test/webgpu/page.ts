import fc from 'fast-check';
import { faultChecks } from './faults.js';
import { type OpenDevice, openForTests, quickChecks } from './grid.js';

let opened: Promise<OpenDevice> | undefined;

/** The functions of the page: the checks of the WebGPU engine, with failures as text. */
const checks = {
  seed(seed: number): void {
    // A software driver takes some milliseconds per pass.
    fc.configureGlobal({ seed, numRuns: 8 });
  },

  async open(): Promise<{ adapter: string; software: boolean; arithmetic: string }> {
    opened ??= openForTests(navigator.gpu);
    const { gpu } = await opened;
    return {
      adapter: gpu.adapter,
      software: gpu.software,
      arithmetic: `${gpu.arithmetic.sum} ${gpu.arithmetic.product}`,
    };
  },

  /** Runs one check. Returns the failure, if any. */
  async check(name: string): Promise<string | undefined> {
    try {
      opened ??= openForTests(navigator.gpu);
      if (name in quickChecks) await quickChecks[name](await opened);
      else await faultChecks[name](navigator.gpu, await opened);
      return undefined;
    } catch (error) {
      return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
    }
  },

  /** Opens a device in a worker and runs one check there. */
  checkInWorker(name: string): Promise<string | undefined> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    return new Promise<string | undefined>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data.failure);
      worker.onerror = ({ message }) => reject(new Error(message || 'The worker did not start.'));
      worker.postMessage(name);
    }).finally(() => worker.terminate());
  },
};

declare global {
  var webgpu: typeof checks;
}

globalThis.webgpu = checks;

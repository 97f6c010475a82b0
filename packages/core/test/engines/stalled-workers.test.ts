import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileKernels, Kernels } from '../../src/engines/wasm/kernels.js';
import {
  FUNCTIONS,
  JOB_WORDS,
  MOST_JOBS,
  QUEUE_BYTES,
  QUEUE_START,
  queueIndex,
} from '../../src/engines/wasm/threads/job-queue.js';
import { JobRunner } from '../../src/engines/wasm/threads/job-runner.js';
import { acquireWorkers, IDLE_TIME, releaseWorkers } from '../../src/engines/wasm/threads/worker-pool.js';
import { type Model, type PcaOptions, pca } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';

/** Passes over these data use workers, and so does the eigenproblem of their covariances. */
const data = { rows: 800, cols: 360, data: Float64Array.from({ length: 800 * 360 }, random(1).normal) };

/** A fit fails after some seconds instead of hanging. */
const limited = (): PcaOptions & { k: number } => ({ k: 4, signal: AbortSignal.timeout(20_000) });
const fit = (options: PcaOptions): Promise<Model> => pca(data, { ...limited(), ...options });

const builtin = process.getBuiltinModule('worker_threads') as { Worker: unknown };

/** Terminates all idle workers, so that the next pass starts new ones. */
function endWorkers(): void {
  for (const worker of acquireWorkers(64, 0)) worker.end();
}

/** Makes new workers run `program`, or their usual program if it is undefined. Returns a function that counts running workers. */
function startWorkersWith(program?: string): () => number {
  let count = 0;
  endWorkers();
  builtin.Worker = class extends Worker {
    constructor(code: string, options: object) {
      super(program ?? code, options);
      count++;
    }

    override terminate(): Promise<number> {
      count--;
      return super.terminate();
    }
  };
  return () => count;
}

afterEach(() => {
  builtin.Worker = Worker;
  endWorkers();
});

describe("with blocking: 'none' a fit ends with the usual bits", () => {
  it('although its workers never begin', async () => {
    const expected = await fit({ solver: 'covariance' });
    const running = startWorkersWith("require('node:worker_threads').parentPort.on('message', () => {})");
    const model = await fit({ solver: 'covariance', blocking: 'none', threads: 2 });
    expect(running()).toBeGreaterThan(0);
    expect(model.components.data).toEqual(expected.components.data);
  });

  it('although its workers die before they take a job', async () => {
    const expected = await fit({ solver: 'covariance' });
    const running = startWorkersWith("require('node:worker_threads').parentPort.on('message', () => process.exit(1))");
    const model = await fit({ solver: 'covariance', blocking: 'none', threads: 2 });
    expect(running()).toBeGreaterThan(0);
    expect(model.components.data).toEqual(expected.components.data);
  });

  it('by every solver', async () => {
    const small = { rows: 500, cols: 200, data: data.data.subarray(0, 500 * 200) };
    for (const solver of ['covariance', 'refined', 'dual', 'svd', 'krylov', 'streaming'] as const) {
      const expected = await pca(small, { k: 4, solver });
      const model = await pca(small, { ...limited(), solver, blocking: 'none', threads: 2 });
      expect(model.components.data).toEqual(expected.components.data);
    }
    // Many short passes, one right after the other. This always hung when the wake count was reset.
    const larger = { rows: 1000, cols: 200, data: data.data.subarray(0, 1000 * 200) };
    for (const solver of ['points', 'hebbian', 'autoencoder'] as const) {
      const options = { ...limited(), k: 10, solver, blocking: 'none', threads: 2, learn: { epochs: 10 } } as const;
      await expect(pca(larger, options)).rejects.toMatchObject({ code: 'NOT_CONVERGED' });
    }
  });
});

it('the wake count is not reset between passes, because a worker may still be leaving the last pass', async () => {
  const { module } = (await compileKernels()) as { module: WebAssembly.Module };
  const kernels = new Kernels(module);
  const counts: number[] = [];
  for (let pass = 0; pass < 4; pass++) {
    const runner = new JobRunner(kernels, 2, 2);
    runner.reserve(1);
    counts.push(Atomics.load(kernels.queue, queueIndex.wakeCount));
    await runner.runJobs(() => {});
    runner.release();
    counts.push(Atomics.load(kernels.queue, queueIndex.wakeCount));
  }
  for (let i = 1; i < counts.length; i++) expect(counts[i]).toBeGreaterThanOrEqual(counts[i - 1]);
  expect(counts.at(-1)).toBe(8);
});

it("with blocking: 'full' a worker that dies during the eigenproblem is an error, not a hang", () => {
  // This worker takes only the job `reduce`, and claims one part of it without doing it.
  const thief = `
    const { parentPort } = process.getBuiltinModule('worker_threads');
    parentPort.on('message', ({ memory }) => {
      const queue = new Int32Array(memory.buffer, ${QUEUE_START}, ${QUEUE_BYTES / 4});
      while (Atomics.load(queue, ${queueIndex.active}) === 1) {
        const left = Atomics.load(queue, ${queueIndex.remaining});
        const jobs = left & ${MOST_JOBS};
        memory.grow(0);
        const words = new Int32Array(memory.buffer);
        const job = (queue[${queueIndex.table}] >>> 2) + (jobs - 1) * ${JOB_WORDS};
        if (jobs === 0 || words[job] !== ${FUNCTIONS.indexOf('reduce')}) continue;
        if (Atomics.compareExchange(queue, ${queueIndex.remaining}, left, left - 1) !== left) continue;
        const state = words[job + 1] >>> 2;
        for (;;) {
          const claim = Atomics.load(words, state);
          if (claim < 0) process.exit(1);
          if ((claim & 0xffff) !== 0 && Atomics.compareExchange(words, state, claim, claim & (claim - 1)) === claim) process.exit(1);
        }
      }
    });`;
  const program = `
    import threads from 'node:worker_threads';
    import { pca } from '@scree/core';
    const { Worker } = threads;
    process.getBuiltinModule('worker_threads').Worker = class extends Worker {
      constructor(_, options) {
        super(${JSON.stringify(thief)}, options);
      }
    };
    const [rows, cols] = [1000, 900];
    const data = Float64Array.from({ length: rows * cols }, (_, i) => Math.sin((i * i) % 7919));
    const fit = () => pca({ rows, cols, data }, { k: 3, solver: 'covariance', threads: 2, blocking: 'full' });
    // The first fits may end before the worker has started.
    let code;
    for (let i = 0; i < 20 && code === undefined; i++) await fit().catch((error) => { code = error.code; });
    console.log(code);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    timeout: 30_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  expect(output.trim()).toBe('WORKER_LOST');
});

describe('the pool of workers', () => {
  it('is shared by all copies of the library in a process, as after jest.resetModules', async () => {
    const running = startWorkersWith();
    const options = { solver: 'covariance', threads: 2, k: 4, blocking: 'none' } as const;
    const expected = await pca(data, options);
    const first = running();
    expect(first).toBeGreaterThan(0);
    for (let copy = 0; copy < 2; copy++) {
      vi.resetModules();
      const again = await import('../../src/index.js');
      expect(again.pca).not.toBe(pca);
      const model = await again.pca(data, options);
      expect(model.components.data).toEqual(expected.components.data);
    }
    expect(running()).toBe(first);
  });

  it('terminates workers that have been idle for a while', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      startWorkersWith();
      const [worker] = acquireWorkers(1, 64);
      releaseWorkers([worker]);
      vi.advanceTimersByTime(IDLE_TIME - 1);
      expect(acquireWorkers(1, 64)[0]).toBe(worker);
      // A worker in use keeps running.
      vi.advanceTimersByTime(2 * IDLE_TIME);
      expect(worker.failure).toBeUndefined();
      releaseWorkers([worker]);
      vi.advanceTimersByTime(IDLE_TIME);
      expect(worker.failure).toBe('it was ended');
      expect(acquireWorkers(64, 0)).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});

import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { sample } from '../../../../test/sample.js';
import type { DenseBlock, Scaler } from '../../src/data/blocks/block.js';
import { wasmEngine } from '../../src/engines/choose.js';
import { MOST_JOBS, QUEUE_BYTES, QUEUE_START, queueIndex } from '../../src/engines/wasm/threads/job-queue.js';
import { acquireWorkers } from '../../src/engines/wasm/threads/worker-pool.js';
import { type Engine, EngineError, pca } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';

/** Enough rows for several threads, with columns that are zero in some rows. */
function block(rows: number, cols: number, seed = 1): DenseBlock {
  const { normal, uniform } = random(seed);
  const data = Float64Array.from({ length: rows * cols }, (_, at) =>
    (at % cols) % 5 === 0 && uniform() < 0.98 ? 0 : normal() + (at % cols),
  );
  return { kind: 'dense', rows, cols, stride: cols, data };
}

const scalerOf = (cols: number): Scaler => ({
  shift: Float64Array.from({ length: cols }, (_, j) => (j % 5 === 0 ? 0 : j)),
  factor: new Float64Array(cols).fill(0.5),
});

const none = (): void => {};
const at = { first: 0, weights: undefined, columnNames: undefined };

/** Returns all results of an engine for a block as one list of bytes. */
async function everything(engine: Engine, data: DenseBlock): Promise<Uint8Array> {
  const [n, d, k] = [data.rows, data.cols, 20];
  const scaler = scalerOf(d);
  const loaded = await engine.load(data);
  const vectors = Float64Array.from({ length: k * d }, random(3).normal);
  const scatter = new Float64Array(d * d);
  const summary = new Float64Array(d * d);
  const scores = new Float64Array(n * k);
  const collected = new Float64Array(k * d);
  const image = new Float64Array(k * d);
  const few: DenseBlock = { ...data, rows: Math.min(n, 700) };
  const products = new Float64Array(few.rows * few.rows);
  await loaded.gram(scaler, scatter, none);
  const stats = await loaded.summarise(at, summary, none);
  await loaded.multiply(scaler, vectors, k, scores, none);
  await loaded.multiplyTransposed(scaler, scores, k, collected, none);
  await loaded.normal(scaler, vectors, k, image, none);
  const part = await engine.load(few);
  await part.dual(scaler, part, scaler, { products, size: few.rows, row: 0, column: 0 }, none);
  const arrays = [scatter, summary, scores, collected, image, products, stats.mean, stats.spread, stats.min, stats.max];
  return Buffer.concat(arrays.map((array) => Buffer.from(array.buffer)));
}

describe('threads', () => {
  it('give the same bits for 1, 2, 3 or 8 threads', async () => {
    const shapes = [
      [6000, 100],
      [2500, 500],
      [900, 1100],
    ];
    for (const float32 of [false, true]) {
      for (const [rows, cols] of sample(shapes, 2, Number(float32))) {
        const data = block(rows, cols);
        const results: Uint8Array[] = [];
        for (const threads of [1, 2, 3, 8]) {
          const engine = (await wasmEngine({ threads })) as Engine;
          // Runs twice, because in the first run workers may join late.
          for (let round = 0; round < 2; round++) {
            results.push(await everything(float32 ? (engine.float32 as Engine) : engine, data));
          }
        }
        for (const result of results) expect(Buffer.compare(result, results[0])).toBe(0);
      }
    }
  });

  it('share the copying of shared data, with the same bits as for data that are not shared', async () => {
    const types = [
      [Float64Array, 8],
      [Float32Array, 4],
      [Int16Array, 6],
    ] as const;
    for (const [i, [rows, cols]] of [
      [6000, 60],
      [700, 500],
      [40, 2000],
    ].entries()) {
      const own = block(rows, cols);
      const { data } = own;
      for (const [type, offset] of sample(types, 1, i)) {
        const plain = type.from(data as Float64Array);
        const shared = new (type as typeof Float64Array<SharedArrayBuffer>)(
          new SharedArrayBuffer(offset + plain.byteLength),
          offset,
          plain.length,
        );
        shared.set(plain);
        const results: Uint8Array[] = [];
        for (const threads of [1, 2, 3]) {
          const engine = (await wasmEngine({ threads })) as Engine;
          for (const numbers of [plain, shared]) results.push(await everything(engine, { ...own, data: numbers }));
        }
        for (const result of results) expect(Buffer.compare(result, results[0])).toBe(0);
      }
    }
    const { rows, cols, data } = block(8000, 120);
    const shared = new Float64Array(new SharedArrayBuffer(data.byteLength));
    shared.set(data as Float64Array);
    const [a, b] = [await pca({ rows, cols, data }, { k: 5 }), await pca({ rows, cols, data: shared }, { k: 5 })];
    expect(b.components.data).toEqual(a.components.data);
  });

  it('are shared by fits that run at the same time', async () => {
    const { rows, cols, data } = block(8000, 120);
    const alone = await pca({ rows, cols, data }, { k: 5, threads: 2 });
    const together = await Promise.all(
      Array.from({ length: 4 }, () => pca({ rows, cols, data }, { k: 5, threads: 2 })),
    );
    for (const model of together) expect(model.components.data).toEqual(alone.components.data);
  });

  it('stop at the next tile when the fit is aborted, and work for the next fit', async () => {
    const { rows, cols, data } = block(30000, 300);
    const controller = new AbortController();
    const fit = pca({ rows, cols, data }, { k: 5, threads: 2, solver: 'covariance', signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(new Error('enough'));
    await expect(fit).rejects.toThrow('enough');
    const model = await pca({ rows: 2000, cols, data: data.subarray(0, 2000 * cols) }, { k: 2, threads: 2 });
    expect(model.n).toBe(2000);
  });

  it('that fail during a pass cause a clear error and no hang, and the next fit works', async () => {
    // A worker that claims a job and exits without doing it, like a crash.
    const thief = `
      const { parentPort } = require('node:worker_threads');
      parentPort.on('message', ({ memory }) => {
        const queue = new Int32Array(memory.buffer, ${QUEUE_START}, ${QUEUE_BYTES / 4});
        while (Atomics.load(queue, ${queueIndex.active}) === 1) {
          const left = Atomics.load(queue, ${queueIndex.remaining});
          if ((left & ${MOST_JOBS}) === 0) continue;
          if (Atomics.compareExchange(queue, ${queueIndex.remaining}, left, left - 1) === left) process.exit(1);
        }
      });`;
    const threads = process.getBuiltinModule('worker_threads') as { Worker: unknown };
    const { rows, cols, data } = block(20000, 300);
    // Takes all idle workers, so that the next worker to start is the one above.
    const taken = acquireWorkers(64, 0);
    const original = threads.Worker;
    try {
      threads.Worker = class extends Worker {
        constructor(_: string, options: object) {
          super(thief, options);
        }
      };
      const fit = pca({ rows, cols, data }, { k: 3, solver: 'covariance', threads: taken.length + 2 });
      const error = await fit.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(EngineError);
      expect((error as EngineError).code).toBe('WORKER_LOST');
    } finally {
      threads.Worker = original;
    }
    const model = await pca({ rows, cols, data }, { k: 3, solver: 'covariance', threads: 2 });
    expect(model.k).toBe(3);
  });

  it('never keep a program alive', () => {
    const program = `
      import { pca } from '@scree/core';
      const data = Float64Array.from({ length: 20000 * 200 }, (_, i) => Math.sin(i * i));
      const model = await pca({ rows: 20000, cols: 200, data }, { k: 2, solver: 'covariance', threads: 3 });
      console.log(model.k);`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      timeout: 20_000,
      encoding: 'utf8',
    });
    expect(output.trim()).toBe('2');
  });

  it('may be any number from 1 to 256, and no other', async () => {
    for (const threads of [0, -1, 1.5, 1000, '2', Number.NaN]) {
      await expect(pca([[1], [2], [3]], { threads: threads as number })).rejects.toThrow(/threads is/);
    }
  });
});

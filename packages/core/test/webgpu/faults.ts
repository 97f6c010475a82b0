import type { DenseBlock } from '../../src/data/blocks/block.js';
import { Gpu } from '../../src/engines/webgpu/device.js';
import { openWebGpu } from '../../src/engines/webgpu/webgpu.js';
import { pca, type Warning, wasmEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { atMost, equal } from '../support/assert.js';
import type { OpenDevice } from './grid.js';

const none = (): void => {};

/** Changes the code of kernels whose name begins with `name` while `run` runs. */
async function withKernels<Result>(
  name: string,
  change: (code: string) => string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { pipeline } = Gpu.prototype;
  Gpu.prototype.pipeline = function changed(kernel, code) {
    if (!kernel.startsWith(name)) return pipeline.call(this, kernel, code);
    const broken = change(code());
    if (broken === code()) throw new Error(`the kernel ${kernel} has not what should be changed`);
    return pipeline.call(this, `changed ${kernel}`, () => broken);
  };
  try {
    return await run();
  } finally {
    Gpu.prototype.pipeline = pipeline;
  }
}

/** Leaves out tile (0, 1) of sums of more than `terms` terms. */
const dropTile =
  (terms: number) =>
  (code: string): string =>
    code.replace(
      'let tx = t % 16u;',
      `if (n0 == 64u && m0 == 0u && p.terms > ${terms}u) { return; }\n  let tx = t % 16u;`,
    );

/** The error of a sum as computed by a compiler that treats sums as exact. */
const optimiseSums = (code: string): string =>
  code.replaceAll(
    /(fn twoSum(\d)[^}]*return Two\d\(s, )[^;]*;/g,
    (_, head: string, lanes: string) => `${head}${lanes === '1' ? 'f32' : 'vec4f'}());`,
  );

async function refused(gpu: GPU, reason: string): Promise<void> {
  const opened = await openWebGpu({ gpu, smallest: 0 });
  if (typeof opened === 'string') {
    if (!opened.includes(reason)) throw new Error(`refused, but because ${opened}`);
    return;
  }
  opened.gpu.close();
  throw new Error('the device was trusted');
}

function expectWarning(warnings: readonly Warning[], words: string): void {
  const found = warnings.some(({ code, message }) => code === 'ENGINE_FALLBACK' && message.includes(words));
  if (!found) throw new Error(`no warning with "${words}" in ${JSON.stringify(warnings)}`);
}

/** Injected errors and failing devices, by name. */
export const faultChecks: Record<string, (gpu: GPU, opened: OpenDevice) => Promise<void>> = {
  'a kernel that drops one tile is found by the probe': (gpu) =>
    withKernels('matmul', dropTile(0), () => refused(gpu, 'computes something wrong')),

  'a compiler that breaks all exact sums is found by the probe': (gpu) =>
    withKernels('', optimiseSums, () => refused(gpu, 'undoes every form of exact arithmetic')),

  'a compiler that breaks exact sums only in products is found by the probe': (gpu) =>
    withKernels('matmul', optimiseSums, () => refused(gpu, 'computes something wrong')),

  async 'a tile that is dropped only from longer sums than in the probe is found by the check on the processor'(
    _,
    { gpu: device, engine },
  ) {
    const [rows, cols] = [1300, 70];
    const { normal } = random(3);
    const data = Float64Array.from({ length: rows * cols }, (_, at) => normal() * 0.9 ** (at % cols));
    const truth = await pca({ rows, cols, data }, { k: 3, solver: 'covariance', engine: 'wasm' });
    try {
      const model = await withKernels('matmul columns', dropTile(1100), () =>
        pca({ rows, cols, data }, { k: 3, solver: 'covariance', engine }),
      );
      expectWarning(model.warnings, 'it computed something wrong');
      for (let i = 0; i < 3; i++) {
        const error = Math.abs(model.variances[i] - truth.variances[i]);
        atMost(error, 1e-12 * truth.variances[0], `error of variance ${i}`);
      }
    } finally {
      // The device works as before.
      device.failure = undefined;
    }
  },

  async 'a tile that is dropped from products of bytes is found by the check on the processor'(
    _,
    { gpu: device, engine },
  ) {
    if (!device.packedProducts) return;
    const [rows, cols] = [300, 70];
    const data = Uint8Array.from({ length: rows * cols }, (_, at) => (at * at) % 251);
    try {
      const model = await withKernels('integer gram', dropTile(0), () =>
        pca({ rows, cols, data }, { k: 3, solver: 'covariance', engine }),
      );
      expectWarning(model.warnings, 'it computed something wrong');
    } finally {
      device.failure = undefined;
    }
  },

  async 'a device without memory leaves the pass to wasm, with a warning'(_, { gpu: device, engine }) {
    const { createBuffer } = device.device;
    const data = Float64Array.from({ length: 3000 }, random(1).normal);
    const truth = await pca({ rows: 300, cols: 10, data }, { k: 2, engine: 'wasm', solver: 'covariance' });
    try {
      device.device.createBuffer = (descriptor) =>
        createBuffer.call(device.device, { ...descriptor, size: device.device.limits.maxBufferSize + 4 });
      const model = await pca({ rows: 300, cols: 10, data }, { k: 2, engine, solver: 'covariance' });
      equal(model.variances[0], truth.variances[0], 'first variance');
      expectWarning(model.warnings, 'no memory');
    } finally {
      device.device.createBuffer = createBuffer;
    }
  },

  async 'a device that does not answer leaves the pass to wasm, with a warning'(_, { gpu: device, engine }) {
    const { mapAsync } = GPUBuffer.prototype;
    const { setTimeout: own } = globalThis;
    const data = Float64Array.from({ length: 3000 }, random(1).normal);
    const truth = await pca({ rows: 300, cols: 10, data }, { k: 2, engine: 'wasm', solver: 'covariance' });
    try {
      GPUBuffer.prototype.mapAsync = () => new Promise(() => {});
      // The timer fires immediately instead of after half a minute.
      globalThis.setTimeout = ((run: () => void, ms?: number) => own(run, ms === 30_000 ? 0 : ms)) as typeof setTimeout;
      const model = await pca({ rows: 300, cols: 10, data }, { k: 2, engine, solver: 'covariance' });
      equal(model.variances[0], truth.variances[0], 'first variance');
      expectWarning(model.warnings, 'did not answer for 30 seconds');
    } finally {
      globalThis.setTimeout = own;
      GPUBuffer.prototype.mapAsync = mapAsync;
      device.failure = undefined;
    }
  },

  async 'nothing is left on the device after 100 fits and 100 aborted fits'(_, { gpu: device, engine }) {
    const data = Float32Array.from({ length: 400 }, random(1).normal);
    const matrix = { rows: 40, cols: 10, data };
    const fitOnce = (signal?: AbortSignal): Promise<unknown> =>
      pca(matrix, { k: 2, engine, solver: 'refined', ...(signal ? { signal } : {}) });
    await fitOnce();
    const before = device.inUse;
    for (let i = 0; i < 100; i++) await fitOnce();
    let aborted = 0;
    for (let i = 0; i < 100; i++) {
      const controller = new AbortController();
      const fit = fitOnce(controller.signal).catch(() => aborted++);
      // Some aborts come later, in the middle of a pass.
      for (let turn = 0; turn < i % 12; turn++) await Promise.resolve();
      if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, i % 5));
      controller.abort();
      await fit;
    }
    atMost(50, aborted, 'number of fits that were aborted in time, at least 50:');
    equal(device.inUse, before, 'bytes on the device that are in use');
    equal(device.failure ?? 'none', 'none', 'failure of the device');
  },

  // Must be the last check, because it destroys the device.
  async 'a device that is lost in the middle of a pass leaves the pass to wasm, with a warning'(
    _,
    { gpu: device, engine },
  ) {
    const wasm = await wasmEngine();
    const [rows, cols] = [600, 10];
    const data = Float64Array.from({ length: rows * cols }, random(1).normal);
    const block: DenseBlock = { kind: 'dense', rows, cols, stride: cols, data };
    const scaler = { shift: new Float64Array(cols), factor: new Float64Array(cols).fill(1) };
    const [found, expected] = [new Float64Array(cols * cols), new Float64Array(cols * cols)];
    const loaded = await engine.load(block);
    let reported = 0;
    await loaded.gram(scaler, found, (done) => {
      if (device.failure === undefined) device.device.destroy();
      reported += done;
    });
    await (await wasm!.load(block)).gram(scaler, expected, none);
    loaded.release();
    equal(reported, rows, 'rows that were reported');
    for (let i = 0; i < found.length; i++) equal(found[i], expected[i], `entry ${i}`);
    expectWarning(engine.warnings ?? [], 'it was closed');
  },
};

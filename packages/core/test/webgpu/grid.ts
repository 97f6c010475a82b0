import { principalAngles } from '@scree/analysis';
import type { DenseBlock, Scaler } from '../../src/data/blocks/block.js';
import { decodeHalf } from '../../src/data/blocks/float16.js';
import type { NumberArray } from '../../src/data/blocks/matrix.js';
import type { LoadedBlock } from '../../src/engines/index.js';
import type { Gpu } from '../../src/engines/webgpu/device.js';
import { leadingEigen } from '../../src/engines/webgpu/leading-eigen.js';
import { openWebGpu } from '../../src/engines/webgpu/webgpu.js';
import { type Engine, referenceEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { engineChecks } from '../conformance/engines.js';
import { checkSolver, solverCases } from '../conformance/solvers.js';
import { atMost, equal } from '../support/assert.js';
import { solverNames, withSpectrum } from '../support/data.js';

const reference = referenceEngine();
const none = (): void => {};

export interface OpenDevice {
  readonly gpu: Gpu;
  readonly engine: Engine;
}

/** Returns the engine, with blocks of any size on the device. Throws if there is no device, so that a test cannot pass without running. */
export async function openForTests(gpu: GPU): Promise<OpenDevice> {
  const opened = await openWebGpu({ gpu, smallest: 0 });
  if (typeof opened === 'string') throw new Error(`There is no WebGPU device: ${opened}`);
  return { gpu: opened.gpu, engine: await opened.engine() };
}

interface Passes {
  readonly gram: Float64Array;
  readonly dual: Float64Array;
  readonly multiply: Float64Array;
  readonly multiplyTransposed: Float64Array;
  readonly normal: Float64Array;
}

/** All passes over a block. */
async function runAll(loaded: LoadedBlock, scaler: Scaler, k: number): Promise<Passes> {
  const { rows: n, cols: d } = loaded;
  const { normal } = random(3);
  const vectors = Float64Array.from({ length: k * d }, normal);
  const scores = Float64Array.from({ length: n * k }, normal);
  const out: Passes = {
    gram: new Float64Array(d * d),
    dual: new Float64Array(n * n),
    multiply: new Float64Array(n * k),
    multiplyTransposed: new Float64Array(k * d),
    normal: new Float64Array(k * d),
  };
  await loaded.gram(scaler, out.gram, none);
  if (n <= 200) await loaded.dual(scaler, loaded, scaler, { products: out.dual, size: n, row: 0, column: 0 }, none);
  await loaded.multiply(scaler, vectors, k, out.multiply, none);
  await loaded.multiplyTransposed(scaler, scores, k, out.multiplyTransposed, none);
  await loaded.normal(scaler, vectors, k, out.normal, none);
  loaded.release();
  // Only the upper triangles are defined.
  for (const [matrix, size] of [
    [out.gram, d],
    [out.dual, n],
  ] as const) {
    for (let i = 0; i < size; i++) matrix.fill(0, i * size, i * size + i);
  }
  return out;
}

async function compareAll(
  engine: Engine,
  block: DenseBlock,
  scaler: Scaler,
  k: number,
  limit: number,
  what: string,
): Promise<void> {
  const expected = await runAll(await reference.load(block), scaler, k);
  const found = await runAll(await engine.load(block), scaler, k);
  for (const pass of Object.keys(expected) as (keyof Passes)[]) {
    const size = expected[pass].reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    let worst = 0;
    for (let i = 0; i < expected[pass].length; i++)
      worst = Math.max(worst, Math.abs(found[pass][i] - expected[pass][i]));
    atMost(worst, limit * size, `error of ${pass}, ${what},`);
  }
}

const TYPES: Record<string, (bits: number) => NumberArray> = {
  float64: (x) => Float64Array.of(x * 1e-3),
  float32: (x) => Float32Array.of(x * 1e-3),
  float16: (x) => Uint16Array.of(x & 0xbbff),
  uint8: (x) => Uint8Array.of(x),
  int8: (x) => Int8Array.of(x),
  uint16: (x) => Uint16Array.of(x),
  int16: (x) => Int16Array.of(x),
  uint32: (x) => Uint32Array.of(x * 65537),
  int32: (x) => Int32Array.of(x * 65537),
};

function typedBlock(
  type: string,
  rows: number,
  cols: number,
  stride: number,
): { block: DenseBlock; plain: Float64Array } {
  const { uniform } = random(7);
  const make = TYPES[type].bind(TYPES);
  const data = new (make(0).constructor as new (length: number) => NumberArray)(rows * stride);
  for (let at = 0; at < data.length; at++) data[at] = make(Math.floor(uniform() * 65536))[0];
  const half = type === 'float16';
  return {
    block: { kind: 'dense', rows, cols, stride, data, half },
    plain: Float64Array.from(half ? decodeHalf(data) : data),
  };
}

const scaled = (plain: Float64Array, cols: number, rows: number, weighted: boolean): Scaler => ({
  shift: Float64Array.from({ length: cols }, (_, j) => plain[j] / 2),
  factor: Float64Array.from({ length: cols }, (_, j) => 1.1 ** j),
  ...(weighted ? { rootWeights: Float64Array.from({ length: rows }, (_, i) => (i % 7) / 4) } : {}),
});

/** Checks of the WebGPU engine, besides the checks of every engine. */
const ownChecks: Record<string, (opened: OpenDevice) => Promise<void>> = {
  async 'passes read every type of number exactly, with strides, weights and scales'({ engine }) {
    for (const type of Object.keys(TYPES)) {
      const { block, plain } = typedBlock(type, 37, 19, 23);
      await compareAll(engine, block, scaled(plain, 19, 37, true), 3, 1e-12, type);
    }
  },

  async 'passes agree with the reference when sums have several parts, slabs and tiles'({ engine }) {
    for (const [n, d, k] of [
      [1100, 70, 33],
      [9, 700, 2],
    ]) {
      const { normal } = random(n);
      const data = Float32Array.from({ length: n * d }, normal);
      const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
      const scaler = { shift: new Float64Array(d).fill(0.3), factor: new Float64Array(d).fill(1.5) };
      await compareAll(engine, block, scaler, k, 1e-12, `${n} × ${d}`);
    }
  },

  async 'products of bytes are exact integers'({ engine, gpu }) {
    for (const type of ['uint8', 'int8']) {
      for (const [n, d] of [
        [1100, 64],
        [37, 70],
      ]) {
        const { block, plain } = typedBlock(type, n, d, d);
        const { shift } = scaled(plain, d, n, false);
        const pipelines: string[] = [];
        const { pipeline } = gpu;
        gpu.pipeline = function noted(name, code) {
          pipelines.push(name);
          return pipeline.call(this, name, code);
        };
        try {
          const scaler = { shift: shift.map((size, j) => size + j / 64), factor: new Float64Array(d).fill(0.5) };
          await compareAll(engine, block, scaler, 2, 1e-13, `${type} ${n} × ${d}`);
        } finally {
          Reflect.deleteProperty(gpu, 'pipeline');
        }
        // A device without byte products uses the usual products.
        equal(pipelines.includes(`integer gram ${type}`), gpu.packedProducts, 'use of integer products');
      }
    }
  },

  async 'float64 data far from the origin keep their digits'({ engine }) {
    for (const [offset, size] of [
      [1e8, 1],
      [1e15, 1e3],
      [0, 1e150],
      [1e-150, 1e-153],
    ]) {
      const { normal } = random(2);
      const [n, d] = [300, 5];
      const data = Float64Array.from({ length: n * d }, () => offset + size * normal());
      const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
      const scaler = { shift: new Float64Array(d).fill(offset), factor: new Float64Array(d).fill(1 / size) };
      await compareAll(engine, block, scaler, 2, 1e-12, `${offset} ± ${size}`);
    }
  },

  async 'the errors of the float32 engine stay within its roundoff, and summaries agree with the reference'({
    engine,
  }) {
    const [n, d] = [900, 70];
    const { normal, uniform } = random(4);
    const data = Float64Array.from({ length: n * d }, (_, at) => 100 * (at % d) + normal());
    const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
    const weights = Float64Array.from({ length: n }, () => Math.floor(uniform() * 3));
    const at = { first: 0, weights, columnNames: undefined };
    const truth = new Float64Array(d * d);
    const expected = await (await reference.load(block)).summarise(at, truth, none);
    let energy = 0;
    for (let j = 0; j < d; j++) energy += truth[j * d + j];
    for (const [one, name] of [
      [engine, 'webgpu'],
      [engine.float32 as Engine, 'float32'],
    ] as const) {
      const scatter = new Float64Array(d * d);
      const loaded = await one.load(block);
      const found = await loaded.summarise(at, scatter, none);
      loaded.release();
      equal(found.rows, expected.rows, 'rows');
      equal(found.weight, expected.weight, 'weight');
      const limit = one.roundoff(n, d, false) * found.inflation * energy;
      for (let j = 0; j < d; j++) {
        atMost(Math.abs(found.mean[j] - expected.mean[j]), 1e-12 * 100 * d, `error of mean ${j}, ${name},`);
        atMost(Math.abs(found.min[j] - expected.min[j]), 1e-14 * 100 * d, `error of minimum ${j}, ${name},`);
        atMost(Math.abs(found.max[j] - expected.max[j]), 1e-14 * 100 * d, `error of maximum ${j}, ${name},`);
        for (let i = 0; i <= j; i++) {
          const scale = (found.unit[i] * found.unit[j]) / (expected.unit[i] * expected.unit[j]);
          atMost(
            Math.abs(scatter[i * d + j] * scale - truth[i * d + j]),
            limit,
            `error of scatter ${i}, ${j}, ${name},`,
          );
        }
      }
    }
  },

  async 'work is submitted in slices, limited by the measured speed'({ engine, gpu }) {
    const [n, d] = [300, 200];
    const block: DenseBlock = {
      kind: 'dense',
      rows: n,
      cols: d,
      stride: d,
      data: Float32Array.from({ length: n * d }, random(8).normal),
    };
    // Operations of one tile in two parts, the smallest unit of work.
    const tile = 2 * 64 * 64 * 320 * 12;
    const own = { step: gpu.step, finish: gpu.finish };
    const { now } = performance;
    let waiting = 0;
    try {
      gpu.step = function step(operations, onSlice) {
        atMost(operations, Math.max(this.slice, tile), 'operations of one submission');
        atMost(waiting, this.slice, 'operations that were submitted and not awaited');
        waiting += operations;
        return own.step.call(this, operations, onSlice);
      };
      gpu.finish = function finish() {
        waiting = 0;
        return own.finish.call(this);
      };
      const loaded = await engine.load(block);
      await loaded.gram(scaled(Float64Array.from(block.data), d, n, false), new Float64Array(d * d), none);
      await loaded.normal(
        scaled(Float64Array.from(block.data), d, n, false),
        new Float64Array(40 * d).fill(1),
        40,
        new Float64Array(40 * d),
        none,
      );
      loaded.release();
      // The clock is replaced. If a slice takes four times too long, the next slice is a quarter as long.
      const before = gpu.slice;
      let ticks = 0;
      performance.now = () => 100 * ticks++;
      await own.step.call(gpu, before, none);
      atMost(gpu.slice, Math.max(1e6, before / 4), 'operations of the slice after a slow one');
    } finally {
      performance.now = now;
      Object.assign(gpu, own);
    }
  },

  async 'leading eigenvectors agree with those of the full decomposition, for decreasing spectra'({ engine, gpu }) {
    for (const [d, count, spectrum] of [
      [120, 6, (i: number) => 0.8 ** i],
      [100, 5, (i: number) => 1e4 / (1 + i) ** 2],
    ] as const) {
      const rows = withSpectrum(d + 1, d, (i) => Math.sqrt(spectrum(i)));
      const scatter = new Float64Array(d * d);
      for (const row of rows) {
        for (let i = 0; i < d; i++) for (let j = i; j < d; j++) scatter[i * d + j] += row[i] * row[j];
      }
      const request = { upper: scatter, size: d, count, tolerance: 1e-8, seed: 0, also: undefined };
      const found = await leadingEigen(gpu, request, engine.symmetricEigen, none);
      if (!found) throw new Error(`nothing found for ${d} × ${d}`);
      const all = await engine.symmetricEigen(scatter.slice(), d, count, none);
      for (let i = 0; i < count; i++) {
        atMost(Math.abs(found.values[i] - all.values[i]), 1e-11 * all.values[0], `error of eigenvalue ${i} of ${d}`);
      }
      const angles = principalAngles(
        { rows: count, cols: d, data: found.vectors },
        { rows: count, cols: d, data: all.vectors },
      );
      atMost(angles[angles.length - 1], 1e-6, `angle of the subspace, ${d} × ${d},`);
    }
  },
};

const failing = (error: unknown, one: { shape: string; name: string }): Error =>
  new Error(`${one.shape}: ${one.name}: ${(error as Error).message}`, { cause: error });

/** Every solver on dense cases against svd on the reference engine. */
const solverChecks = (cases: typeof solverCases): Record<string, (opened: OpenDevice) => Promise<void>> =>
  Object.fromEntries(
    solverNames.map((solver) => [
      `${solver} agrees with svd on the reference engine`,
      async ({ engine }: OpenDevice) => {
        for (const one of cases) {
          await checkSolver({ engine: engine as never, solver }, one).catch((error) => {
            throw failing(error, one);
          });
        }
      },
    ]),
  );

const dense = solverCases.filter(({ layout }) => layout === 'dense');
/** The cases for a software driver, which is slow: the hard cases for two float32 parts. */
const hard = dense.filter(
  ({ shape, dtype, weighted }) =>
    (shape === 'huge offset' && dtype === 'float64' && weighted) ||
    (shape === 'tiny scale' && dtype === 'float64' && !weighted) ||
    (shape === 'wide' && dtype === 'float32' && !weighted),
);

/** The checks of every engine that need no large blocks. */
const SMALL = [
  'gram: S += BᵀB, upper triangle, added to the given sums',
  'multiply: Y = BVᵀ; multiplyTransposed: Z += YᵀB; normal: Z += VBᵀB',
  'the same input gives the same bits',
  'stops at the next tile when onStep throws',
];

/** Every check by name: all checks, for a GPU; and the checks that a software driver can do in seconds. */
export const webGpuChecks: Record<string, (opened: OpenDevice) => Promise<void>> = {
  ...Object.fromEntries(
    Object.entries(engineChecks).map(
      ([name, check]) => [name, async ({ engine }: OpenDevice) => check(engine)] as const,
    ),
  ),
  ...ownChecks,
  ...solverChecks(dense),
};
export const quickChecks: typeof webGpuChecks = {
  ...Object.fromEntries(SMALL.map((name) => [name, webGpuChecks[name]])),
  ...ownChecks,
  ...solverChecks(hard),
};

import type { DenseBlock, Scaler } from '../../data/blocks/block.js';
import { messageOf } from '../../errors.js';
import { random } from '../../linalg/random.js';
import { reference } from '../reference/reference.js';
import { type Arithmetic, arithmeticCode, PRODUCT_FORMS, SUM_FORMS, UNIFORM_HEAD } from './arithmetic.js';
import { GpuDense } from './dense.js';
import { DeviceFailure, type Gpu } from './device.js';

/** Number of pairs whose sums and products are checked. */
const PAIRS = 4096;
/** The size of the test problem: several tiles and parts of sums, and rows that end inside a tile. */
const PROBLEM = { rows: 600, cols: 100, few: 20, many: 40 };
/** Maximum errors of kernels, relative to the largest entry. Correct kernels have a thousandth of them. */
const ALLOWED = { float32: 1e-5, two: 1e-11 };

/**
 * Finds the forms of arithmetic that are exact on this device, and compares its kernels with the reference engine on a small problem.
 * Returns the reason why the device cannot be used, or undefined if it can.
 */
export async function probe(gpu: Gpu): Promise<string | undefined> {
  try {
    const arithmetic = await exactForms(gpu);
    if (!arithmetic) return 'its compiler undoes every form of exact arithmetic that is known';
    gpu.arithmetic = arithmetic;
    return await wrongKernel(gpu);
  } catch (error) {
    return `its kernels do not run (${messageOf(error)})`;
  }
}

async function exactForms(gpu: Gpu): Promise<Arithmetic | undefined> {
  const { normal, uniform } = random(5);
  // Exponents differ by at most 20, so the exact sum fits into a float64.
  const numbers = Float32Array.from({ length: 2 * PAIRS }, () => normal() * 2 ** Math.floor(20 * uniform() - 10));
  const input = await gpu.allocate(numbers.byteLength);
  const output = await gpu.allocate(PAIRS * 16);
  try {
    gpu.write(input, numbers);
    let sum: Arithmetic['sum'] | undefined;
    let product: Arithmetic['product'] | undefined;
    for (const form of SUM_FORMS) {
      const exact = await exactOn(gpu, { sum: form, product: 'fma' }, input, output, numbers);
      if (exact.product) product = 'fma';
      if (!exact.sum) continue;
      sum = form;
      break;
    }
    if (sum === undefined) return undefined;
    for (const form of PRODUCT_FORMS) {
      if (product !== undefined) break;
      if ((await exactOn(gpu, { sum, product: form }, input, output, numbers)).product) product = form;
    }
    return product && { sum, product };
  } finally {
    gpu.submit();
    gpu.free(input);
    gpu.free(output);
  }
}

/** Tests whether the forms give exact sums and products of all pairs, for single numbers and vectors of four. */
async function exactOn(
  gpu: Gpu,
  arithmetic: Arithmetic,
  input: GPUBuffer,
  output: GPUBuffer,
  numbers: Float32Array,
): Promise<{ sum: boolean; product: boolean }> {
  const exact = { sum: true, product: true };
  for (const lanes of [1, 4]) {
    const pipeline = gpu.pipeline(`probe ${arithmetic.sum} ${arithmetic.product} ${lanes}`, () =>
      probeCode(arithmetic, lanes),
    );
    gpu.dispatch(pipeline, [], [input, output], [PAIRS / lanes / 64]);
    await gpu.read([output], PAIRS * 4, ([found]) => {
      for (let i = 0; i < PAIRS; i++) {
        const [a, b] = [numbers[i], numbers[PAIRS + i]];
        const [s, e, q, f] = found.subarray(4 * i, 4 * i + 4);
        if (s !== Math.fround(a + b) || s + e !== a + b) exact.sum = false;
        if (q !== Math.fround(a * b) || q + f !== a * b) exact.product = false;
      }
    });
  }
  return exact;
}

function probeCode(arithmetic: Arithmetic, lanes: number): string {
  const type = lanes === 1 ? 'f32' : 'vec4f';
  const results = Array.from({ length: lanes }, (_, i) => {
    const lane = lanes === 1 ? '' : `[${i}]`;
    return `out[${lanes}u * g.x + ${i}u] = vec4f(s.h${lane}, s.l${lane}, q${lane}, e${lane});`;
  });
  return `
struct Params { ${UNIFORM_HEAD} }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> numbers: array<${type}>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4f>;
${arithmeticCode(arithmetic)}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3u) {
  let a = numbers[g.x];
  let b = numbers[${PAIRS / lanes}u + g.x];
  let s = twoSum${lanes}(a, b);
  let q = opaque${lanes}(a * b);
  let e = productError${lanes}(a, b, q);
  ${results.join('\n')}
}`;
}

/** Compares the passes with the reference engine on a small problem. Returns a message about the first wrong pass. */
async function wrongKernel(gpu: Gpu): Promise<string | undefined> {
  const { rows, cols, few, many } = PROBLEM;
  const { normal, uniform } = random(6);
  const data = Float64Array.from({ length: rows * cols }, (_, at) => 1000 * (at % cols) + normal());
  const block: DenseBlock = { kind: 'dense', rows, cols, stride: cols, data };
  const scaler: Scaler = {
    shift: Float64Array.from({ length: cols }, (_, j) => 1000 * j + normal() / 10),
    factor: Float64Array.from({ length: cols }, () => 0.5 + uniform()),
    rootWeights: Float64Array.from({ length: rows }, uniform),
  };
  const vectors = Float64Array.from({ length: many * cols }, normal);
  const none = (): void => {};
  const truth = await reference.load(block);
  const device = {
    gpu,
    confirms: false,
    load: () => Promise.reject(new DeviceFailure('a kernel failed')),
    failed: (reason: string) => {
      throw new Error(reason);
    },
  };
  const rough = new GpuDense(block, device, true);
  const exact = rough.exact();
  const passes: Record<string, (loaded: typeof exact, out: Float64Array) => void | Promise<void>> = {
    gram: (loaded, out) => loaded.gram(scaler, out, none),
    normal: (loaded, out) => loaded.normal(scaler, vectors, few, out, none),
    multiply: (loaded, out) => loaded.multiply(scaler, vectors, many, out, none),
  };
  const sizes = { gram: cols * cols, normal: few * cols, multiply: rows * many };
  try {
    for (const [name, run] of Object.entries(passes)) {
      const expected = new Float64Array(sizes[name as keyof typeof sizes]);
      await run(truth as typeof exact, expected);
      const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      for (const [loaded, allowed] of [
        [exact, ALLOWED.two],
        ...(name === 'gram' ? ([[rough, ALLOWED.float32]] as const) : []),
      ] as const) {
        const found = new Float64Array(expected.length);
        await run(loaded as typeof exact, found);
        for (let i = 0; i < found.length; i++) {
          if (!(Math.abs(found[i] - expected[i]) <= allowed * size)) {
            return `its kernel for ${name} computes something wrong (${(Math.abs(found[i] - expected[i]) / size).toExponential(1)} off)`;
          }
        }
      }
    }
    return undefined;
  } finally {
    rough.release();
    exact.release();
  }
}

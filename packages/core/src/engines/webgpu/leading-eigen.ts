import { cholesky, invertLower } from '../../linalg/cholesky.js';
import { random } from '../../linalg/random.js';
import { transpose } from '../../linalg/row-products.js';
import { norm, powerOfTwo, scale } from '../../linalg/vector.js';
import type { Engine, LeadingEigen, OnStep } from '../engine.js';
import { arithmeticCode, UNIFORM_HEAD } from './arithmetic.js';
import type { Gpu } from './device.js';
import { addProducts, type GpuMatrix, padded, readMatrix, reduceSums } from './matrices.js';
import { PassBuffers } from './pass-buffers.js';

/** Vectors beyond the wanted ones: at least so many, and at least this share of them. */
const FEWEST_EXTRA = 16;
const EXTRA_SHARE = 1 / 6;
/** How many times longer than another a direction may become between two orthonormalisations: the square of it costs digits. */
const MOST_CONDITION = 1e3;
/** How much of a direction orthonormalisation leaves in the vectors that should not have it. */
const LEFT_OVER = 1e-8;
/** Most degree of a filter, and most filters. Spectra without a gap need more, and go to the processor. */
const MOST_DEGREE = 30;
const MOST_FILTERS = 24;
/** Wanted Ritz values that move no more than this, relative to the largest, have vectors that are worth checking. */
const SETTLED = 1e-11;
/** Rows that keep less than this share of their square are too close to the others for Cholesky QR. */
const INDEPENDENT = 1e-10;

/**
 * The leading eigenpairs of a symmetric positive semidefinite matrix by subspace iteration with Chebyshev filters (Zhou, Saad,
 * Tiago & Chelikowsky 2006): products with the matrix stay on the device, problems of the size of the block are solved on the processor.
 *
 * V is a block of orthonormal rows. A filter multiplies it by a polynomial in S that is small on [0, θ] and grows fast above, θ the
 * smallest Ritz value. Cholesky QR keeps the order of the rows, so that leading directions leave the later rows, and filters may have a
 * higher degree from one to the next. All in two float32 parts. Returns undefined where residuals ‖Sv − λv‖ do not fall to tolerance·λ₁.
 */
export async function leadingEigen(
  gpu: Gpu,
  upper: Float64Array,
  d: number,
  count: number,
  tolerance: number,
  eigen: Engine['symmetricEigen'],
  onStep: OnStep,
): Promise<LeadingEigen | undefined> {
  const b = count + Math.max(FEWEST_EXTRA, Math.ceil(count * EXTRA_SHARE));
  if (b > d / 2) return undefined;
  const use = new PassBuffers(gpu);
  try {
    return await iterate(gpu, use, upper, d, count, b, tolerance, eigen, () => onStep(0));
  } finally {
    use.release();
  }
}

async function iterate(
  gpu: Gpu,
  use: PassBuffers,
  upper: Float64Array,
  d: number,
  count: number,
  b: number,
  tolerance: number,
  eigen: Engine['symmetricEigen'],
  onSlice: () => void | Promise<void>,
): Promise<LeadingEigen | undefined> {
  let largest = 0;
  for (let i = 0; i < d; i++) largest = Math.max(largest, upper[i * d + i]);
  const unit = powerOfTwo(largest);
  const s = await use.symmetric(upper, d, 1 / unit, onSlice);
  const block = new Block(gpu, use, s, d, b, onSlice);
  await block.allocate();
  await block.start();
  let before: Float64Array | undefined;
  let leftOver = 1;
  // The tangent of the angle between a wanted eigenvector and the random start is below 30·√(d/b), but for a probability of 30⁻ᵇ; filters
  // divide it by what they grow the vector by. Where that leaves a tenth, no wanted eigenvalue hides from the block.
  const leastGain = Math.log(300 * Math.sqrt(d / b));
  let gain = 0;
  for (let filter = 0; filter < MOST_FILTERS; filter++) {
    if (!(await block.orthonormalise())) return undefined;
    const t = await block.project();
    const { values } = await eigen(t.slice(), b, 0, onSlice);
    const [top, cut] = [values[0], values[b - 1]];
    if (!(cut > 0)) return undefined;
    const settled = before?.every((x, i) => i >= count || Math.abs(x - values[i]) <= SETTLED * top) ?? false;
    before = values;
    if (settled && gain >= leastGain) {
      const found = await block.ritz(t, count, eigen);
      if (found.residual <= tolerance * top) {
        scale(unit, found.values);
        scale(unit, found.images);
        return found;
      }
      leftOver = LEFT_OVER;
    }
    const growth = Math.acosh(Math.max(1.0001, (2 * top) / cut - 1));
    const degree = Math.max(1, Math.min(MOST_DEGREE, Math.floor(Math.log((2 * MOST_CONDITION) / leftOver) / growth)));
    await block.filter(degree, cut);
    const least = Math.acosh(Math.max(1, (2 * values[count - 1]) / cut - 1));
    gain += Math.max(0, degree * least - Math.LN2);
    leftOver = Math.max(LEFT_OVER, leftOver / Math.cosh(degree * growth));
  }
  return undefined;
}

/** A block of vectors on the device, its image under S, and room for the polynomial's recurrence. */
class Block {
  readonly #gpu: Gpu;
  readonly #use: PassBuffers;
  readonly #s: GpuMatrix;
  readonly #d: number;
  readonly #b: number;
  readonly #onSlice: () => void | Promise<void>;
  #v!: GpuMatrix;
  #image!: GpuMatrix;
  /** Two matrices of the same size that are free to write to. */
  #free!: [GpuMatrix, GpuMatrix];

  constructor(gpu: Gpu, use: PassBuffers, s: GpuMatrix, d: number, b: number, onSlice: () => void | Promise<void>) {
    this.#gpu = gpu;
    this.#use = use;
    this.#s = s;
    this.#d = d;
    this.#b = b;
    this.#onSlice = onSlice;
  }

  async allocate(): Promise<void> {
    const make = async (): Promise<GpuMatrix> => this.#use.zeros(this.#b, this.#d);
    this.#v = await make();
    this.#image = await make();
    this.#free = [await make(), await make()];
  }

  /** S times random vectors. */
  async start(): Promise<void> {
    const { uniform } = random(this.#d);
    const numbers = Float64Array.from({ length: this.#b * this.#d }, () => uniform() - 0.5);
    await this.#use.write(this.#v, numbers, this.#b, this.#d, this.#onSlice);
    await this.#multiply(this.#v, this.#image);
    [this.#v, this.#image] = [this.#image, this.#v];
  }

  /** V ← L⁻¹V, where LLᵀ = VVᵀ. False where rows depend on one another. */
  async orthonormalise(): Promise<boolean> {
    const b = this.#b;
    const products = await this.#products(this.#v, this.#v);
    // Rows of length 1 first: their lengths differ by orders of magnitude, their directions do not.
    const lengths = Float64Array.from({ length: b }, (_, i) => Math.sqrt(products[i * b + i]));
    for (let i = 0; i < b; i++) for (let j = 0; j < b; j++) products[i * b + j] /= lengths[i] * lengths[j];
    const lower = cholesky(products, b, INDEPENDENT);
    if (!lower) return false;
    const inverse = invertLower(lower, b);
    for (let i = 0; i < b; i++) for (let j = 0; j <= i; j++) inverse[i * b + j] /= lengths[j];
    await this.#combine(inverse, b, this.#v, this.#image);
    [this.#v, this.#image] = [this.#image, this.#v];
    return true;
  }

  /** T = VSVᵀ; the image of V is kept. */
  async project(): Promise<Float64Array> {
    const b = this.#b;
    await this.#multiply(this.#v, this.#image);
    const t = await this.#products(this.#image, this.#v);
    for (let i = 0; i < b; i++) for (let j = i; j < b; j++) t[i * b + j] = (t[i * b + j] + t[j * b + i]) / 2;
    return t;
  }

  /** V ← p(S)V, p the Chebyshev polynomial of that degree on [0, cut]. */
  async filter(degree: number, cut: number): Promise<void> {
    // p₁ = 2x/cut − 1, pⱼ₊₁ = 2·p₁·pⱼ − pⱼ₋₁.
    const [first, second] = this.#free;
    this.#add(this.#image, 2 / cut, this.#v, -1, this.#v, 0, first);
    let [previous, current, free, other] = [this.#v, first, this.#image, second];
    for (let j = 1; j < degree; j++) {
      await this.#multiply(current, free);
      this.#add(free, 4 / cut, current, -2, previous, -1, other);
      [previous, current, other] = [current, other, previous];
    }
    [this.#v, this.#image, this.#free] = [current, previous, [free, other]];
  }

  /** Ritz pairs of the block, read back, and the largest residual of the first `count`. V becomes the Ritz vectors. */
  async ritz(
    t: Float64Array,
    count: number,
    eigen: Engine['symmetricEigen'],
  ): Promise<LeadingEigen & { readonly residual: number }> {
    const [b, d] = [this.#b, this.#d];
    const { values, vectors } = await eigen(t.slice(), b, b, this.#onSlice);
    const [first, second] = this.#free;
    await this.#combine(vectors, b, this.#v, first);
    await this.#combine(vectors, b, this.#image, second);
    [this.#v, this.#image, this.#free] = [first, second, [this.#v, this.#image]];
    const [found, image] = [new Float64Array(count * d), new Float64Array(count * d)];
    await readMatrix(this.#gpu, this.#v, count, d, (i, row) => found.set(row, i * d));
    await readMatrix(this.#gpu, this.#image, count, d, (i, row) => image.set(row, i * d));
    let residual = 0;
    const rest = new Float64Array(d);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < d; j++) rest[j] = image[i * d + j] - values[i] * found[i * d + j];
      residual = Math.max(residual, norm(rest));
    }
    return { values: values.slice(0, count), vectors: found, images: image, residual };
  }

  /** into = XS. */
  async #multiply(x: GpuMatrix, into: GpuMatrix): Promise<void> {
    const sums = await this.#use.sums(this.#b, this.#d, padded(this.#d), 'image');
    const shape = { n: padded(this.#d), terms: padded(this.#d) };
    await addProducts(this.#gpu, { over: 'rows', precision: 'two' }, x, this.#s, sums, shape, this.#onSlice);
    reduceSums(this.#gpu, sums, into);
  }

  /** XYᵀ, read back. */
  async #products(x: GpuMatrix, y: GpuMatrix): Promise<Float64Array> {
    const b = this.#b;
    const sums = await this.#use.sums(b, b, padded(this.#d), 'products');
    const shape = { n: padded(b), terms: padded(this.#d) };
    await addProducts(this.#gpu, { over: 'rows', precision: 'two' }, x, y, sums, shape, this.#onSlice);
    const result = await this.#use.reduced(sums, true, 'products');
    const out = new Float64Array(b * b);
    await readMatrix(this.#gpu, result, b, b, (i, row) => out.set(row, i * b));
    return out;
  }

  /** into = CX for coefficients C (count × b). */
  async #combine(coefficients: Float64Array, count: number, x: GpuMatrix, into: GpuMatrix): Promise<void> {
    const b = this.#b;
    const c = await this.#use.zeros(b, count, 'coefficients');
    await this.#use.write(c, transpose(coefficients, count, b), b, count, this.#onSlice);
    const sums = await this.#use.sums(count, this.#d, padded(b), 'combined');
    const shape = { n: padded(this.#d), terms: padded(b) };
    await addProducts(this.#gpu, { over: 'columns', precision: 'two' }, c, x, sums, shape, this.#onSlice);
    reduceSums(this.#gpu, sums, into);
  }

  /** into = αX + βY + γZ. */
  #add(x: GpuMatrix, alpha: number, y: GpuMatrix, beta: number, z: GpuMatrix, gamma: number, into: GpuMatrix): void {
    const gpu = this.#gpu;
    const count = padded(this.#b) * x.ld;
    const bits = new Uint32Array(Float32Array.of(alpha, beta, gamma).buffer);
    const pipeline = gpu.pipeline('add', () => addCode(arithmeticCode(gpu.arithmetic)));
    const buffers = [x.high, x.low!, y.high, y.low!, z.high, z.low!, into.high, into.low!];
    gpu.dispatch(pipeline, [count, ...bits], buffers, [Math.ceil(count / 256 / 64), 64]);
  }
}

function addCode(arithmetic: string): string {
  const inputs = ['xh', 'xl', 'yh', 'yl', 'zh', 'zl'];
  return `
struct Params { ${UNIFORM_HEAD} count: u32, alpha: f32, beta: f32, gamma: f32 }
@group(0) @binding(0) var<uniform> p: Params;
${inputs.map((name, i) => `@group(0) @binding(${i + 1}) var<storage, read> ${name}: array<f32>;`).join('\n')}
@group(0) @binding(7) var<storage, read_write> high: array<f32>;
@group(0) @binding(8) var<storage, read_write> low: array<f32>;
${arithmetic}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u) {
  let at = g.y * n.x * 256u + g.x;
  if (at >= p.count) { return; }
  let x = multiplyTwo1(Two1(xh[at], xl[at]), Two1(p.alpha, 0.0));
  let y = multiplyTwo1(Two1(yh[at], yl[at]), Two1(p.beta, 0.0));
  let z = multiplyTwo1(Two1(zh[at], zl[at]), Two1(p.gamma, 0.0));
  let sum = addTwo1(addTwo1(x, y), z);
  high[at] = sum.h;
  low[at] = sum.l;
}`;
}

import { transpose } from '../../linalg/transpose.js';
import { powerOfTwo, scale } from '../../linalg/vector.js';
import type { Engine, LeadingEigen, OnStep } from '../engine.js';
import { arithmeticCode, UNIFORM_HEAD } from './arithmetic.js';
import type { Gpu } from './device.js';
import { CHOLESKY_PARAMS, choleskyCode, NOISE_CODE } from './leading-eigen-code.js';
import { addProducts, type GpuMatrix, joinParts, padded, readMatrix, reduceSums } from './matrices.js';
import { PassBuffers } from './pass-buffers.js';

/** Minimum number of vectors beyond the wanted ones, absolute and as a share of the wanted ones. */
const FEWEST_EXTRA = 16;
const EXTRA_SHARE = 1 / 6;
/** Maximum growth of an unwanted direction relative to the rest of a row between two orthonormalisations. */
const MOST_CONDITION = 1e3;
/** Orthonormalisation leaves this share of an unwanted direction, times the square of its growth. */
const ORTHONORMAL = 1e-14;
/** Target for the remaining share of an unwanted direction. */
const LEFT_OVER = 1e-11;
/** Maximum degree of a filter, and maximum number of filters. Spectra without a gap need more and are left to the processor. */
const MOST_DEGREE = 30;
const MOST_FILTERS = 24;
/** Residuals should be this many times smaller than the tolerance when they are first measured. This takes one or two more products. */
const MARGIN = 50;
/** Eigenvalues are estimated after each of the first filters, and later after every fourth filter, because they change little. */
const FIRST_VALUES = 3;
const VALUES_EVERY = 4;
/** Filters damp all eigenvalues up to at least this share of the smallest wanted one. Their vectors are not needed, and their rows become zero. */
const LEAST_CUT = 1 / 4;
/** Rows that keep less than this share of their square are too close to other rows for Cholesky QR. */
const INDEPENDENT = 1e-10;
/** Entries that the Cholesky kernel changes per dispatch: some milliseconds of one workgroup, which uses a small part of a device. */
const CHOLESKY_ENTRIES = 2 ** 22;
const CHOLESKY_COST = 4096;

/** The arguments of `Engine.leadingEigen`. */
interface EigenRequest {
  readonly upper: Float64Array;
  readonly size: number;
  readonly count: number;
  readonly tolerance: number;
  readonly seed: number;
  readonly also: Float64Array | undefined;
}

const TWO_BY_ROWS = { over: 'rows', precision: 'two' } as const;

/**
 * The leading eigenpairs of a symmetric positive semidefinite matrix by subspace iteration with Chebyshev filters (Zhou, Saad, Tiago &
 * Chelikowsky 2006): products with the matrix stay on the device, problems of the size of the block are solved on the processor.
 *
 * V is a block of orthonormal rows. A filter multiplies it by a polynomial in S that is small on [0, θ] and grows fast above θ, which is
 * about the smallest eigenvalue of the block. Cholesky QR, also on the device, keeps the order of the rows. So leading directions vanish
 * from later rows, and the degree of the filters can increase. Diagonal entries of VSVᵀ serve as estimates of eigenvalues. Ritz values and
 * vectors are computed at the end. All numbers have two float32 parts. Returns undefined if residuals ‖Sv − λv‖ do not fall to
 * tolerance·λ₁. If `also` is given, its products with the matrix are returned too.
 */
export async function leadingEigen(
  gpu: Gpu,
  request: EigenRequest,
  eigen: Engine['symmetricEigen'],
  onStep: OnStep,
): Promise<LeadingEigen | undefined> {
  const { size: d, count } = request;
  const least = count + Math.max(FEWEST_EXTRA, Math.ceil(count * EXTRA_SHARE));
  if (least > d / 2) return undefined;
  // Matrices are padded, so more vectors cost nothing, and with them filters of a lower degree suffice.
  const b = Math.min(padded(least), Math.floor(d / 2));
  const use = new PassBuffers(gpu);
  try {
    return await iterate(gpu, use, request, b, eigen, () => onStep(0));
  } finally {
    use.release();
  }
}

/** Filters a block of b vectors until the residuals are small enough. */
async function iterate(
  gpu: Gpu,
  use: PassBuffers,
  { upper, size: d, count, tolerance, seed, also }: EigenRequest,
  b: number,
  eigen: Engine['symmetricEigen'],
  onSlice: () => void | Promise<void>,
): Promise<LeadingEigen | undefined> {
  let largest = 0;
  for (let i = 0; i < d; i++) largest = Math.max(largest, upper[i * d + i]);
  const unit = powerOfTwo(largest);
  const s = await use.symmetric(upper, d, 1 / unit, onSlice);
  const block = new Block(gpu, use, s, d, b, onSlice);
  await block.allocate();
  await block.start(seed);
  let values: Float64Array = new Float64Array(b);
  let leftOver = 1;
  const filters: { readonly degree: number; readonly cut: number }[] = [];
  /** A lower bound of the logarithm of the growth of an eigenvector by all filters. It uses cosh x > eˣ/2. */
  const gainOf = (value: number): number =>
    filters.reduce((sum, { degree, cut }) => sum + Math.max(0, degree * growthOf(value, cut) - Math.LN2), 0);
  // The tangent of the angle between a wanted eigenvector and the random start is below 30·√(d/b), except with probability 30⁻ᵇ. Filters
  // divide the tangent by the growth of the vector. If at most a tenth is left, the block contains every wanted eigenvalue.
  const leastGain = Math.log(300 * Math.sqrt(d / b));
  let enough = leastGain;
  for (let filter = 0; filter < MOST_FILTERS; filter++) {
    await block.orthonormalise();
    await block.multiply();
    const last = filter > 0 && gainOf(values[count - 1]) >= enough;
    if (last || filter < FIRST_VALUES || filter % VALUES_EVERY === 0) {
      const t = await block.project();
      values = Float64Array.from({ length: b }, (_, i) => t[i * b + i]).sort((x, y) => y - x);
      if (!(values[count - 1] > 0)) return undefined;
      // After this growth, the residuals of vectors from a typical start are well within the tolerance.
      const share = values[count - 1] / values[0];
      enough = Math.max(enough, Math.log((MARGIN * Math.sqrt(d / b) * share) / tolerance));
      if (last) {
        const ritz = await eigen(t, b, count, onSlice);
        values = ritz.values;
        const found = await block.combined(ritz.vectors, values, count);
        const gain = gainOf(values[count - 1]);
        if (found.residual <= tolerance * values[0] && gain >= leastGain) {
          scale(unit, found.values);
          scale(unit, found.images);
          return also ? { ...found, products: (await block.products(also)).map((x) => unit * x) } : found;
        }
        enough = Math.max(leastGain, gain + Math.log((MARGIN * found.residual) / (tolerance * values[0])));
        leftOver = LEFT_OVER;
      }
    }
    const cut = Math.max(values[b - 1], values[count - 1] * LEAST_CUT);
    const growth = growthOf(Math.max(values[0], 1.0001 * cut), cut);
    const needed = Math.ceil((enough - gainOf(values[count - 1]) + Math.LN2) / growthOf(values[count - 1], cut));
    const condition = Math.min(MOST_CONDITION, Math.sqrt(leftOver / ORTHONORMAL));
    const possible = Math.floor(Math.log((2 * condition) / leftOver) / growth);
    const degree = Math.max(1, Math.min(MOST_DEGREE, possible, needed));
    await block.filter(degree, cut);
    filters.push({ degree, cut });
    leftOver = Math.max(LEFT_OVER, leftOver / Math.cosh(degree * growth));
  }
  return undefined;
}

/** A filter of degree m on [0, cut] multiplies the eigenvector of a value above `cut` by cosh(m·growth). */
const growthOf = (value: number, cut: number): number => Math.acosh(Math.max(1, (2 * value) / cut - 1));

/** A block of vectors on the device, its image under S, and two matrices for the polynomial's recurrence. */
class Block {
  readonly #gpu: Gpu;
  readonly #use: PassBuffers;
  readonly #s: GpuMatrix;
  readonly #d: number;
  readonly #b: number;
  readonly #onSlice: () => void | Promise<void>;
  #v!: GpuMatrix;
  #image!: GpuMatrix;
  /** Two matrices of the same size for intermediate results. */
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

  /** Starts from S times random vectors. */
  async start(seed: number): Promise<void> {
    const { high, low, ld } = this.#v;
    const pipeline = this.#gpu.pipeline('noise', () => NOISE_CODE);
    this.#gpu.dispatch(pipeline, [this.#b, this.#d, ld, seed >>> 0], [high, low!], [ld / 64, padded(this.#b) / 4]);
    await this.multiply();
    [this.#v, this.#image] = [this.#image, this.#v];
  }

  /** V ← L⁻¹V with LLᵀ = VVᵀ. Rows that depend on earlier rows become zero. */
  async orthonormalise(): Promise<void> {
    const [gpu, size] = [this.#gpu, this.#b];
    const g = await this.#products(this.#v, this.#v);
    const inverse = await this.#use.zeros(size, size, 'coefficients');
    const column = await this.#use.buffer(16 * size, 'column');
    const pipeline = gpu.pipeline('cholesky', () => choleskyCode(gpu.arithmetic, gpu.threads));
    const columns = Math.max(1, Math.floor((2 * CHOLESKY_ENTRIES) / size ** 2));
    const [least] = new Uint32Array(Float32Array.of(INDEPENDENT).buffer);
    for (let start = 0; start < size; start += columns) {
      const end = Math.min(size, start + columns);
      const given: Record<(typeof CHOLESKY_PARAMS)[number], number> = {
        size,
        ldg: g.ld,
        ldo: inverse.ld,
        start,
        end,
        least,
      };
      const params = CHOLESKY_PARAMS.map((key) => given[key]);
      gpu.dispatch(pipeline, params, [g.high, g.low!, column, inverse.high, inverse.low!], [1]);
      await gpu.step(CHOLESKY_COST * size ** 2 * (end - start), this.#onSlice);
    }
    await this.#combine(inverse, size, this.#v, this.#image);
    [this.#v, this.#image] = [this.#image, this.#v];
  }

  /** Computes the image of V under S. */
  multiply(): Promise<void> {
    return this.#multiply(this.#v, this.#image);
  }

  /** Returns T = VSVᵀ, from V and its image. */
  async project(): Promise<Float64Array> {
    const b = this.#b;
    const t = new Float64Array(b * b);
    await readMatrix(this.#gpu, await this.#products(this.#image, this.#v), b, b, (i, row) => t.set(row, i * b));
    for (let i = 0; i < b; i++) for (let j = i; j < b; j++) t[i * b + j] = (t[i * b + j] + t[j * b + i]) / 2;
    return t;
  }

  /** V ← p(S)V for the Chebyshev polynomial p of this degree on [0, cut]. */
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

  /** Reads back `count` Ritz vectors (combinations of the block) and their images, and computes the largest residual. */
  async combined(
    vectors: Float64Array,
    values: Float64Array,
    count: number,
  ): Promise<LeadingEigen & { readonly residual: number }> {
    const [b, d] = [this.#b, this.#d];
    const [v, image] = this.#free;
    const coefficients = await this.#use.zeros(b, count, 'ritz');
    await this.#use.write(coefficients, transpose(vectors, count, b), b, count, this.#onSlice);
    await this.#combine(coefficients, count, this.#v, v);
    await this.#combine(coefficients, count, this.#image, image);
    const [found, images] = [new Float64Array(count * d), new Float64Array(count * d)];
    let residual = 0;
    await this.#gpu.read(
      [v.high, v.low!, image.high, image.low!],
      count * v.ld,
      ([vh, vl, ih, il], start) => {
        for (let at = 0; at < vh.length; at += v.ld) {
          const i = (start + at) / v.ld;
          joinParts(vh, vl, at, found, i * d, d);
          joinParts(ih, il, at, images, i * d, d);
          residual = Math.max(residual, distance(images, values[i], found, i * d, d));
        }
      },
      v.ld,
    );
    return { values: values.slice(0, count), vectors: found, images, residual };
  }

  /** Returns the products of S with vectors, one per row. */
  async products(vectors: Float64Array): Promise<Float64Array> {
    const [gpu, d] = [this.#gpu, this.#d];
    const k = vectors.length / d;
    const { matrix, scales } = await this.#use.matrix(vectors, k, d);
    const sums = await this.#use.sums(d, k, padded(d));
    await addProducts(gpu, TWO_BY_ROWS, this.#s, matrix, sums, { n: k, terms: padded(d) }, this.#onSlice);
    const out = new Float64Array(k * d);
    await readMatrix(gpu, await this.#use.reduced(sums), d, k, (j, values) => {
      for (let c = 0; c < k; c++) out[c * d + j] = values[c] / scales[c];
    });
    return out;
  }

  /** into = XS. */
  async #multiply(x: GpuMatrix, into: GpuMatrix): Promise<void> {
    const sums = await this.#use.sums(this.#b, this.#d, padded(this.#d), 'image');
    const shape = { n: padded(this.#d), terms: padded(this.#d) };
    await addProducts(this.#gpu, TWO_BY_ROWS, x, this.#s, sums, shape, this.#onSlice);
    reduceSums(this.#gpu, sums, into);
  }

  /** Returns XYᵀ, valid until the next call. */
  async #products(x: GpuMatrix, y: GpuMatrix): Promise<GpuMatrix> {
    const b = this.#b;
    const sums = await this.#use.sums(b, b, padded(this.#d), 'products');
    const shape = { n: padded(b), terms: padded(this.#d) };
    await addProducts(this.#gpu, TWO_BY_ROWS, x, y, sums, shape, this.#onSlice);
    return this.#use.reduced(sums, true, 'products');
  }

  /** into = CᵀX for coefficients C (b × count). */
  async #combine(c: GpuMatrix, count: number, x: GpuMatrix, into: GpuMatrix): Promise<void> {
    const sums = await this.#use.sums(count, this.#d, padded(this.#b), `combined ${count}`);
    const shape = { n: padded(this.#d), terms: padded(this.#b) };
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

/** ‖y − λx‖ of two vectors of this length, both from `start` on. */
function distance(y: Float64Array, lambda: number, x: Float64Array, start: number, length: number): number {
  let square = 0;
  for (let i = start; i < start + length; i++) square += (y[i] - lambda * x[i]) ** 2;
  return Math.sqrt(square);
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

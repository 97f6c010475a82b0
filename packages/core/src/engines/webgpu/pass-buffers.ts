import type { Scaler } from '../../data/blocks/block.js';
import { powerOfTwo } from '../../linalg/vector.js';
import type { Gpu } from './device.js';
import { MIRROR_CODE } from './leading-eigen-code.js';
import { type GpuMatrix, type ProductSums, padded, planSums, reduceSums, splitNumbers, sumBytes } from './matrices.js';
import { ResidentRows } from './resident.js';
import { ScaledRows, slabRows } from './scaled-rows.js';

type OnSlice = () => void | Promise<void>;

/** The buffers of a pass, freed together. A buffer with a name is created once and reused. */
export class PassBuffers {
  readonly #gpu: Gpu;
  readonly #buffers = new Set<GPUBuffer>();
  readonly #named = new Map<string, GPUBuffer>();
  readonly #scaled: ScaledRows[] = [];

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  async buffer(bytes: number, name?: string): Promise<GPUBuffer> {
    const known = name === undefined ? undefined : this.#named.get(name);
    if (known) return known;
    const buffer = await this.#gpu.allocate(bytes);
    this.#buffers.add(buffer);
    if (name !== undefined) this.#named.set(name, buffer);
    return buffer;
  }

  async rows(resident: ResidentRows, rows: number, cols: number, scaler: Scaler, two: boolean): Promise<ScaledRows> {
    const scaled = await ScaledRows.make(this.#gpu, resident, rows, cols, scaler, two);
    this.#scaled.push(scaled);
    return scaled;
  }

  /** Allocates the sums of an m × n product over `terms` terms. */
  async sums(m: number, n: number, terms: number, name?: string): Promise<ProductSums> {
    const plan = planSums(m, n, terms);
    return { ...plan, c: await this.buffer(sumBytes(plan), name && `sums ${name}`) };
  }

  /** Allocates a matrix for the sums. If `now` is true, adds up their parts in it. */
  async reduced(sums: ProductSums, now = true, name?: string): Promise<GpuMatrix> {
    const matrix = await this.zeros(sums.rows, sums.ld, name && `reduced ${name}`);
    if (now) reduceSums(this.#gpu, sums, matrix);
    return matrix;
  }

  /** Allocates a matrix of zeros, or returns the existing matrix of this name. */
  async zeros(rows: number, cols: number, name?: string): Promise<GpuMatrix> {
    const ld = padded(cols);
    const bytes = padded(rows) * ld * 4;
    return {
      high: await this.buffer(bytes, name && `high ${name}`),
      low: await this.buffer(bytes, name && `low ${name}`),
      ld,
    };
  }

  /** Writes rows × cols numbers into a matrix. */
  async write(matrix: GpuMatrix, numbers: Float64Array, rows: number, cols: number, onSlice: OnSlice): Promise<void> {
    const { high, low } = splitNumbers(numbers, rows, cols, matrix.ld, () => 1);
    await this.#upload(matrix.high, high, onSlice);
    await this.#upload(matrix.low!, low, onSlice);
  }

  /** Uploads a symmetric matrix, given by its upper triangle, times a factor. */
  async symmetric(upper: Float64Array, d: number, factor: number, onSlice: OnSlice): Promise<GpuMatrix> {
    const matrix = await this.zeros(d, d);
    const { high, low, ld } = matrix;
    const block = { kind: 'dense', rows: d, cols: d, stride: d, data: upper } as const;
    const resident = new ResidentRows(this.#gpu, block, slabRows(d));
    try {
      const scaler = { shift: new Float64Array(d), factor: new Float64Array(d).fill(factor) };
      const rows = await this.rows(resident, d, d, scaler, true);
      for (const { first, rows: count } of rows.slabs()) {
        const part = await rows.decode(first, count, onSlice);
        const [at, bytes] = [first * ld * 4, padded(count) * ld * 4];
        this.#gpu.copy(part.high, high, at, bytes);
        this.#gpu.copy(part.low!, low!, at, bytes);
      }
      const pipeline = this.#gpu.pipeline('mirror', () => MIRROR_CODE);
      this.#gpu.dispatch(pipeline, [ld], [high, low!], [ld / 16, ld / 16]);
      this.#gpu.submit();
    } finally {
      resident.release();
    }
    return matrix;
  }

  /** Uploads k vectors of length d, each times a power of two that brings it to size 1. */
  async matrix(vectors: Float64Array, k: number, d: number): Promise<{ matrix: GpuMatrix; scales: Float64Array }> {
    const scales = scalesOf(vectors, k, (c, j) => c * d + j, d);
    const matrix = await this.zeros(k, d);
    const { high, low } = splitNumbers(vectors, k, d, matrix.ld, (c) => scales[c]);
    this.#gpu.write(matrix.high, high);
    this.#gpu.write(matrix.low!, low);
    return { matrix, scales };
  }

  free(...buffers: GPUBuffer[]): void {
    this.#gpu.submit();
    for (const buffer of buffers) if (this.#buffers.delete(buffer)) this.#gpu.free(buffer);
  }

  release(): void {
    for (const scaled of this.#scaled) scaled.release();
    this.free(...this.#buffers);
  }

  async #upload(target: GPUBuffer, numbers: Float32Array, onSlice: OnSlice): Promise<void> {
    const bytes = new Uint8Array(numbers.buffer);
    await this.#gpu.upload(
      target,
      bytes.length,
      (into, start) => into.set(bytes.subarray(start, start + into.length)),
      onSlice,
    );
  }
}

/** Rows that a pass reads: on the device, or not uploaded yet. */
export interface StoredRows {
  readonly gpu: Gpu;
  readonly resident: ResidentRows;
  readonly rows: number;
  readonly cols: number;
}

/** Work for the processor while the device computes. It is called after all commands of a pass are submitted and before the result is read. */
export type Meanwhile = () => Promise<void>;

/** Runs a pass on the device, and frees its buffers afterwards. */
export async function withBuffers<Result>(gpu: Gpu, pass: (use: PassBuffers) => Promise<Result>): Promise<Result> {
  const use = new PassBuffers(gpu);
  try {
    const result = await pass(use);
    // The device reports errors late.
    gpu.check();
    return result;
  } finally {
    use.release();
  }
}

/** For each of k vectors, the power of two that brings its largest entry to between 1 and 2. */
export function scalesOf(
  numbers: Float64Array,
  k: number,
  at: (c: number, i: number) => number,
  length: number,
): Float64Array {
  return Float64Array.from({ length: k }, (_, c) => {
    let most = 0;
    for (let i = 0; i < length; i++) most = Math.max(most, Math.abs(numbers[at(c, i)]));
    return 1 / powerOfTwo(most);
  });
}

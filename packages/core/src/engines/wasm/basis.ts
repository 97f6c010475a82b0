import { transpose } from '../../linalg/transpose.js';
import type { Basis, OnStep } from '../engine.js';
import type { Kernels } from './kernels.js';
import type { RunnerProvider } from './runner-provider.js';
import type { JobRunner } from './threads/job-runner.js';

/** Rows of Q, and columns of Z, per job. */
const ROWS = 32;
const COLUMNS = 1024;

/** A basis in a separate WebAssembly memory. Vectors are copied in once, never packed, and shared by all threads. */
export class WasmBasis implements Basis {
  readonly #length: number;
  readonly #stride: number;
  readonly #provider: RunnerProvider;
  #kernels: Kernels | undefined;
  #start = 0;
  size = 0;

  constructor(length: number, provider: RunnerProvider, kernels: Kernels) {
    this.#kernels = kernels;
    this.#length = length;
    // Rows start at cache lines.
    this.#stride = Math.ceil(length / 8) * 8;
    this.#provider = provider;
  }

  append(vectors: Float64Array, count: number): void {
    this.#kernels ??= this.#provider.takeKernels();
    const kernels = this.#kernels;
    if (!kernels) throw new RangeError('WebAssembly.Memory(): could not allocate memory');
    // The basis is the only kept array in this memory, so new vectors follow the old ones without a gap.
    kernels.clear();
    const start = kernels.allocate(count * this.#stride * 8);
    if (this.size === 0) this.#start = start;
    this.#put(kernels, start, vectors, count);
    kernels.keep();
    this.size += count;
  }

  async project(vectors: Float64Array, count: number, from: number, onStep: OnStep): Promise<Float64Array> {
    const rows = this.size - from;
    if (rows === 0) return new Float64Array(0);
    return this.#run(4 * rows * this.#length * count, (runner) => this.#project(runner, vectors, count, from, onStep));
  }

  async #project(
    runner: JobRunner,
    vectors: Float64Array,
    count: number,
    from: number,
    onStep: OnStep,
  ): Promise<Float64Array> {
    const rows = this.size - from;
    const { kernels } = runner;
    const q = this.#start + from * this.#stride * 8;
    const z = kernels.allocate(count * this.#stride * 8);
    const h = kernels.allocate(rows * count * 8);
    this.#put(kernels, z, vectors, count);
    this.#reserve(runner, rows);
    for (let r = 0; r < rows; r += ROWS) {
      const some = Math.min(ROWS, rows - r);
      runner.addJob('basisProducts', q + r * this.#stride * 8, some, this.#stride, z, count, h + r * count * 8);
    }
    await runner.runJobs(onStep);
    await this.#subtract(runner, q, rows, z, count, h, onStep);
    this.#get(kernels, z, vectors, count);
    return kernels.doubles(h, rows * count).slice();
  }

  async combine(coordinates: Float64Array, count: number, onStep: OnStep): Promise<Float64Array> {
    if (this.size === 0) return new Float64Array(count * this.#length);
    return this.#run(2 * this.size * this.#length * count, (runner) =>
      this.#combine(runner, coordinates, count, onStep),
    );
  }

  async #combine(runner: JobRunner, coordinates: Float64Array, count: number, onStep: OnStep): Promise<Float64Array> {
    const out = new Float64Array(count * this.#length);
    const { kernels } = runner;
    const z = kernels.zeros(count * this.#stride);
    const h = kernels.put(transpose(coordinates, count, this.size).map((value) => -value));
    this.#reserve(runner, this.size);
    await this.#subtract(runner, this.#start, this.size, z, count, h, onStep);
    this.#get(kernels, z, out, count);
    return out;
  }

  release(): void {
    if (this.#kernels) this.#provider.returnKernels(this.#kernels);
    this.#kernels = undefined;
    this.size = 0;
  }

  #reserve(runner: JobRunner, rows: number): void {
    runner.reserve(Math.max(Math.ceil(rows / ROWS), Math.ceil(this.#stride / COLUMNS)));
  }

  async #subtract(
    runner: JobRunner,
    q: number,
    rows: number,
    z: number,
    count: number,
    h: number,
    onStep: OnStep,
  ): Promise<void> {
    for (let left = 0; left < this.#stride; left += COLUMNS) {
      const right = Math.min(this.#stride, left + COLUMNS);
      runner.addJob('basisSubtract', q, rows, this.#stride, z, count, h, left, right);
    }
    await runner.runJobs(onStep);
  }

  #run<Result>(flops: number, pass: (runner: JobRunner) => Promise<Result>): Promise<Result> {
    return this.#provider.runOn(this.#kernels as Kernels, flops, pass);
  }

  /** Copies vectors into the memory and pads them with zeros up to the stride. */
  #put(kernels: Kernels, start: number, vectors: Float64Array, count: number): void {
    const [length, stride] = [this.#length, this.#stride];
    const rows = kernels.doubles(start, count * stride);
    for (let i = 0; i < count; i++) {
      rows.set(vectors.subarray(i * length, (i + 1) * length), i * stride);
      rows.fill(0, i * stride + length, (i + 1) * stride);
    }
  }

  #get(kernels: Kernels, start: number, vectors: Float64Array, count: number): void {
    const [length, stride] = [this.#length, this.#stride];
    const rows = kernels.doubles(start, count * stride);
    for (let i = 0; i < count; i++) vectors.set(rows.subarray(i * stride, i * stride + length), i * length);
  }
}

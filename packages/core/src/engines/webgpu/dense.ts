import type { DenseBlock, Frame } from '../../data/block.js';
import type { ColumnStatistics } from '../../data/statistics.js';
import { powerOfTwo } from '../../linalg/vector.js';
import { dualByMultiply } from '../dual-by-multiply.js';
import type { LoadedBlock, OnStep, Products, RowsAt } from '../engine.js';
import type { PilotSums } from '../pilot.js';
import { summariseOnce } from '../summarise-once.js';
import { STRIP } from './decode-code.js';
import { DeviceFailure, type Gpu } from './device.js';
import { FramedRows, slabRows } from './framed-rows.js';
import {
  addProducts,
  type GpuMatrix,
  isNarrow,
  padded,
  panelWidth,
  planSums,
  readMatrix,
  reduceSums,
  type Sums,
  splitNumbers,
  sumBytes,
} from './matrices.js';
import { ResidentRows } from './resident.js';

/** Sizes of columns whose numbers, in units of the frame, do not fit into the kernels' integers. */
const FARTHEST = 2 ** 900;

/** A device and what stands in for it. */
export interface GpuWithFallback {
  readonly gpu: Gpu;
  /** Loads the block into the engine that takes over. */
  load(block: DenseBlock): Promise<LoadedBlock>;
  /** Notes why a pass was computed elsewhere. */
  failed(reason: string): void;
}

/**
 * The passes over dense rows on a device: a slab of rows is decoded through the frame, then multiplied. With `float32` the products of
 * `gram` and of the scatter are float32, everything else is computed in two float32 parts. A pass that the device cannot finish is repeated
 * by the wasm engine: results are added to what the caller gave only at the end.
 */
export class GpuDense implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: DenseBlock;
  readonly #device: GpuWithFallback;
  readonly #float32: boolean;
  readonly #resident: ResidentRows;
  #elsewhere: Promise<LoadedBlock> | undefined;
  #released = false;

  constructor(block: DenseBlock, device: GpuWithFallback, float32: boolean, resident?: ResidentRows) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#device = device;
    this.#float32 = float32;
    this.#resident = resident ?? new ResidentRows(device.gpu, block, slabRows(block.cols));
  }

  /** Whether one slab of this many columns fits into a buffer. */
  static suits(gpu: Gpu, cols: number): boolean {
    return padded(cols) * slabRows(cols) * 4 <= gpu.largestBinding && cols * slabRows(cols) * 8 <= gpu.largestBinding;
  }

  /** The same rows on the device for passes in two parts. */
  exact(): LoadedBlock {
    return new GpuDense(this.#block, this.#device, false, this.#resident.share());
  }

  summarise(at: RowsAt, scatter: Float64Array | undefined, onStep: OnStep): Promise<ColumnStatistics> {
    return this.#orElsewhere(
      onStep,
      (report) =>
        summariseOnce(this.#block, at, scatter, true, async (frame, sums) => {
          if (frame.factor.some((factor) => !(factor > 1 / FARTHEST && factor < FARTHEST))) {
            throw new DeviceFailure('columns are too large or too small for it');
          }
          await this.#columnSums(frame, sums, scatter ? () => report(0) : report);
          if (scatter && sums.bad === undefined) await this.#gram(frame, scatter, report);
        }),
      (block, rest) => block.summarise(at, scatter?.fill(0), rest),
    );
  }

  gram(frame: Frame, scatter: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orElsewhere(
      onStep,
      (report) => this.#gram(frame, scatter, report),
      (block, rest) => block.gram(frame, scatter, rest),
    );
  }

  dual(frame: Frame, other: LoadedBlock, otherFrame: Frame, into: Products, onStep: OnStep): Promise<void> {
    if (!(other instanceof GpuDense)) return dualByMultiply(this.#block, frame, other, otherFrame, into, onStep);
    return this.#orElsewhere(
      onStep,
      (report) => this.#dual(frame, other, otherFrame, into, report),
      async (block, rest) => {
        const right = other === this ? block : await other.#loadElsewhere();
        await block.dual(frame, right, otherFrame, into, rest);
      },
    );
  }

  multiply(frame: Frame, vectors: Float64Array, k: number, scores: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orElsewhere(
      onStep,
      (report) => this.#multiply(frame, vectors, k, scores, report),
      (block, rest) => block.multiply(frame, vectors, k, scores, rest),
    );
  }

  multiplyTransposed(frame: Frame, scores: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orElsewhere(
      onStep,
      (report) => this.#multiplyTransposed(frame, scores, k, out, report),
      (block, rest) => block.multiplyTransposed(frame, scores, k, out, rest),
    );
  }

  normal(frame: Frame, vectors: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orElsewhere(
      onStep,
      (report) => this.#normal(frame, vectors, k, out, report),
      (block, rest) => block.normal(frame, vectors, k, out, rest),
    );
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#resident.release();
    void this.#elsewhere?.then((block) => block.release());
  }

  /** Σw·t, Σw·t² and ranges of the columns. */
  async #columnSums(frame: Frame, sums: PilotSums, report: OnStep): Promise<void> {
    const { gpu } = this.#device;
    const onSlice = (): void | Promise<void> => report(0);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, this.cols, frame, false);
      const strips = Math.ceil(rows.slab / STRIP);
      const into = await use.buffer(strips * 8 * rows.ld * 4);
      const planes = new Float64Array(4 * this.cols);
      for (const { first, rows: count } of rows.slabs()) {
        await rows.sums(first, count, into, onSlice);
        const used = Math.ceil(count / STRIP);
        const found = new Float32Array(used * 8 * rows.ld);
        await gpu.read(into, found.length, (numbers, start) => found.set(numbers, start));
        const [bad] = await rows.badRows(used);
        for (let strip = 0; strip < used; strip++) {
          for (let plane = 0; plane < 4; plane++) {
            const at = (strip * 8 + 2 * plane) * rows.ld;
            for (let j = 0; j < this.cols; j++) planes[plane * this.cols + j] = found[at + j] + found[at + rows.ld + j];
          }
          sums.add(planes, first + strip * STRIP);
        }
        if (bad !== undefined) sums.bad ??= first + bad * STRIP;
        await report(count);
      }
    });
  }

  async #gram(frame: Frame, scatter: Float64Array, report: OnStep): Promise<void> {
    const { gpu } = this.#device;
    const d = this.cols;
    const onSlice = (): void | Promise<void> => report(0);
    const two = !this.#float32;
    const width = panelWidth(gpu, d, d);
    const found = new Float64Array(d * d);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, d, frame, two);
      for (let column = 0; column < d; column += width) {
        const n = Math.min(width, padded(d) - column);
        // Rows below the panel are in the lower triangle.
        const sums = await use.sums(Math.min(d, column + n), n, padded(Math.min(rows.slab, this.rows)));
        for (const { first, rows: count } of rows.slabs()) {
          const b = await rows.decode(first, count, onSlice);
          const shape = { n, terms: padded(count), column, upper: true, add: first > 0 };
          await addProducts(gpu, { over: 'columns', precision: two ? 'two' : 'float32' }, b, b, sums, shape, onSlice);
          await report(column === 0 ? count : 0);
        }
        const result = await use.reduced(sums);
        await readMatrix(gpu, result, Math.min(d, column + n), Math.min(n, d - column), (i, values) =>
          found.set(values, i * d + column),
        );
        use.free(sums.c, result.high, result.low!);
      }
    });
    for (let i = 0; i < d; i++) for (let j = i; j < d; j++) scatter[i * d + j] += found[i * d + j];
  }

  async #dual(frame: Frame, other: GpuDense, otherFrame: Frame, into: Products, report: OnStep): Promise<void> {
    const { gpu } = this.#device;
    const d = this.cols;
    const onSlice = (): void | Promise<void> => report(0);
    await this.#with(async (use) => {
      const left = await use.rows(this.#resident, this.rows, d, frame, true);
      const right = await use.rows(other.#resident, other.rows, d, otherFrame, true);
      for (const { first, rows } of left.slabs()) {
        const a = await left.decode(first, rows, onSlice);
        for (const { first: start, rows: cols } of right.slabs()) {
          if (other === this && start + cols <= first) continue;
          const b = await right.decode(start, cols, onSlice);
          const width = panelWidth(gpu, rows, cols);
          for (let column = 0; column < cols; column += width) {
            const n = Math.min(width, padded(cols) - column);
            const sums = await use.sums(rows, n, padded(d));
            const shape = { n, terms: padded(d), column };
            await addProducts(gpu, { over: 'rows', precision: 'two' }, a, b, sums, shape, onSlice);
            const result = await use.reduced(sums);
            await readMatrix(gpu, result, rows, Math.min(n, cols - column), (i, values) => {
              const to = (into.row + first + i) * into.size + into.column + start + column;
              into.products.set(values, to);
            });
            use.free(sums.c, result.high, result.low!);
            await report(0);
          }
        }
        await report(rows);
      }
    });
  }

  async #multiply(frame: Frame, vectors: Float64Array, k: number, scores: Float64Array, report: OnStep): Promise<void> {
    const { gpu } = this.#device;
    const d = this.cols;
    const onSlice = (): void | Promise<void> => report(0);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, d, frame, true);
      const { matrix: v, scales } = await use.matrix(vectors, k, d);
      const sums = await use.sums(Math.min(rows.slab, this.rows), k, padded(d));
      const result = await use.reduced(sums, false);
      for (const { first, rows: count } of rows.slabs()) {
        const b = await rows.decode(first, count, onSlice);
        const shape = { n: k, terms: padded(d) };
        await addProducts(gpu, { over: 'rows', precision: 'two' }, b, v, sums, shape, onSlice);
        reduceSums(gpu, sums, result);
        const bad = await rows.badRows(count);
        await readMatrix(gpu, result, count, k, (i, values) => {
          for (let c = 0; c < k; c++) scores[(first + i) * k + c] = values[c] / scales[c];
        });
        for (const i of bad) scores.fill(Number.NaN, (first + i) * k, (first + i + 1) * k);
        await report(count);
      }
    });
  }

  async #multiplyTransposed(
    frame: Frame,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    report: OnStep,
  ): Promise<void> {
    const { gpu } = this.#device;
    const d = this.cols;
    const onSlice = (): void | Promise<void> => report(0);
    const scales = scalesOf(scores, k, (c, i) => i * k + c, this.rows);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, d, frame, true);
      const ld = padded(k);
      const y: GpuMatrix = {
        high: await use.buffer(rows.slab * ld * 4),
        low: await use.buffer(rows.slab * ld * 4),
        ld,
      };
      const z = await CollectedRows.make(gpu, use, k, d, padded(Math.min(rows.slab, this.rows)));
      for (const { first, rows: count } of rows.slabs()) {
        const b = await rows.decode(first, count, onSlice);
        const part = scores.subarray(first * k, (first + count) * k);
        const { high, low } = splitNumbers(part, count, k, ld, (_, c) => scales[c]);
        gpu.write(y.high, high);
        gpu.write(y.low!, low);
        await z.add(y, b, count, first > 0, onSlice);
        await report(count);
      }
      await z.read(out, scales);
    });
  }

  async #normal(frame: Frame, vectors: Float64Array, k: number, out: Float64Array, report: OnStep): Promise<void> {
    const { gpu } = this.#device;
    const d = this.cols;
    const onSlice = (): void | Promise<void> => report(0);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, d, frame, true);
      const { matrix: v, scales } = await use.matrix(vectors, k, d);
      const height = Math.min(rows.slab, this.rows);
      const scoreSums = await use.sums(height, k, padded(d));
      const y = await use.reduced(scoreSums, false);
      const z = await CollectedRows.make(gpu, use, k, d, padded(height));
      for (const { first, rows: count } of rows.slabs()) {
        const b = await rows.decode(first, count, onSlice);
        await addProducts(
          gpu,
          { over: 'rows', precision: 'two' },
          b,
          v,
          scoreSums,
          { n: k, terms: padded(d) },
          onSlice,
        );
        reduceSums(gpu, scoreSums, y);
        await z.add(y, b, count, first > 0, onSlice);
        await report(count);
      }
      await z.read(out, scales);
    });
  }

  /** Runs a pass on the device, and frees the buffers that it took. */
  async #with(pass: (use: PassBuffers) => Promise<void>): Promise<void> {
    const use = new PassBuffers(this.#device.gpu);
    try {
      await pass(use);
      // Errors of the device are reported late.
      this.#device.gpu.check();
    } finally {
      use.release();
    }
  }

  /** Runs a pass on the device; where that fails, elsewhere. Rows that were reported are not reported twice. */
  async #orElsewhere<Result>(
    onStep: OnStep,
    pass: (report: OnStep) => Promise<Result>,
    elsewhere: (block: LoadedBlock, onStep: OnStep) => Result | Promise<Result>,
  ): Promise<Result> {
    const { gpu } = this.#device;
    let reported = 0;
    if (gpu.failure === undefined) {
      try {
        return await pass((rows) => {
          const news = Math.min(rows, this.rows - reported);
          reported += news;
          return onStep(news);
        });
      } catch (error) {
        if (!(error instanceof DeviceFailure)) throw error;
        this.#device.failed(error.message);
      }
    }
    let skip = reported;
    return elsewhere(await this.#loadElsewhere(), (rows) => {
      const old = Math.min(skip, rows);
      skip -= old;
      return onStep(rows - old);
    });
  }

  #loadElsewhere(): Promise<LoadedBlock> {
    this.#elsewhere ??= this.#device.load(this.#block);
    return this.#elsewhere;
  }
}

/** Z = YᵀB (k × d), summed slab by slab; where k is small its transpose, whose tiles are narrow. */
class CollectedRows {
  readonly #gpu: Gpu;
  readonly #use: PassBuffers;
  readonly #sums: Sums;
  readonly #k: number;
  readonly #d: number;

  private constructor(gpu: Gpu, use: PassBuffers, sums: Sums, k: number, d: number) {
    this.#gpu = gpu;
    this.#use = use;
    this.#sums = sums;
    this.#k = k;
    this.#d = d;
  }

  static async make(gpu: Gpu, use: PassBuffers, k: number, d: number, terms: number): Promise<CollectedRows> {
    const sums = isNarrow(k) ? await use.sums(d, k, terms) : await use.sums(k, d, terms);
    return new CollectedRows(gpu, use, sums, k, d);
  }

  /** Adds the products of `rows` rows, or begins with them. */
  async add(
    y: GpuMatrix,
    b: GpuMatrix,
    rows: number,
    add: boolean,
    onSlice: () => void | Promise<void>,
  ): Promise<void> {
    const kind = { over: 'columns', precision: 'two' } as const;
    const terms = padded(rows);
    if (isNarrow(this.#k)) await addProducts(this.#gpu, kind, b, y, this.#sums, { n: this.#k, terms, add }, onSlice);
    else await addProducts(this.#gpu, kind, y, b, this.#sums, { n: padded(this.#d), terms, add }, onSlice);
  }

  /** Adds Z, each row divided by its scale, to `out`. */
  async read(out: Float64Array, scales: Float64Array): Promise<void> {
    const [k, d] = [this.#k, this.#d];
    const result = await this.#use.reduced(this.#sums);
    if (isNarrow(k)) {
      await readMatrix(this.#gpu, result, d, k, (j, values) => {
        for (let c = 0; c < k; c++) out[c * d + j] += values[c] / scales[c];
      });
      return;
    }
    await readMatrix(this.#gpu, result, k, d, (c, values) => {
      for (let j = 0; j < d; j++) out[c * d + j] += values[j] / scales[c];
    });
  }
}

/** Buffers of one pass. */
class PassBuffers {
  readonly #gpu: Gpu;
  readonly #buffers = new Set<GPUBuffer>();
  readonly #framed: FramedRows[] = [];

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  async buffer(bytes: number): Promise<GPUBuffer> {
    const buffer = await this.#gpu.allocate(bytes);
    this.#buffers.add(buffer);
    return buffer;
  }

  async rows(resident: ResidentRows, rows: number, cols: number, frame: Frame, two: boolean): Promise<FramedRows> {
    const framed = await FramedRows.make(this.#gpu, resident, rows, cols, frame, two);
    this.#framed.push(framed);
    return framed;
  }

  /** Room for the sums of an m × n product of so many terms. */
  async sums(m: number, n: number, terms: number): Promise<Sums> {
    const plan = planSums(m, n, terms);
    return { ...plan, c: await this.buffer(sumBytes(plan)) };
  }

  /** A matrix for the sums, and, unless they are still to come, their parts added up in it. */
  async reduced(sums: Sums, now = true): Promise<GpuMatrix> {
    const bytes = sums.rows * sums.ld * 4;
    const matrix = { high: await this.buffer(bytes), low: await this.buffer(bytes), ld: sums.ld };
    if (now) reduceSums(this.#gpu, sums, matrix);
    return matrix;
  }

  /** Uploads k vectors of length d, each times a power of two that brings it to size 1. */
  async matrix(vectors: Float64Array, k: number, d: number): Promise<{ matrix: GpuMatrix; scales: Float64Array }> {
    const ld = padded(d);
    const scales = scalesOf(vectors, k, (c, j) => c * d + j, d);
    const { high, low } = splitNumbers(vectors, k, d, ld, (c) => scales[c]);
    const matrix = { high: await this.buffer(high.byteLength), low: await this.buffer(low.byteLength), ld };
    this.#gpu.write(matrix.high, high);
    this.#gpu.write(matrix.low, low);
    return { matrix, scales };
  }

  free(...buffers: GPUBuffer[]): void {
    this.#gpu.submit();
    for (const buffer of buffers) if (this.#buffers.delete(buffer)) this.#gpu.free(buffer);
  }

  release(): void {
    for (const framed of this.#framed) framed.release();
    this.free(...this.#buffers);
  }
}

/** For each of k vectors, the power of two that brings its largest entry to between 1 and 2. */
function scalesOf(
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

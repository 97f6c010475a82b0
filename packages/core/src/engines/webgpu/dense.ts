import type { DenseBlock, Frame } from '../../data/block.js';
import type { ColumnStatistics } from '../../data/statistics.js';
import { random } from '../../linalg/random.js';
import { axpy, dot, norm } from '../../linalg/vector.js';
import { settle } from '../../maybe-promise.js';
import { dualByMultiply } from '../dual-by-multiply.js';
import type { LoadedBlock, OnStep, Products, RowsAt } from '../engine.js';
import type { PilotSums } from '../pilot.js';
import { summariseOnce } from '../summarise-once.js';
import { STRIP } from './decode-code.js';
import { DeviceFailure, type Gpu } from './device.js';
import { readFlags, slabRows } from './framed-rows.js';
import {
  addProducts,
  type GpuMatrix,
  isNarrow,
  padded,
  panelWidth,
  readMatrix,
  readRows,
  reduceSums,
  type Sums,
  splitNumbers,
} from './matrices.js';
import { PassBuffers, scalesOf } from './pass-buffers.js';
import { ResidentRows } from './resident.js';

/** Sizes of columns whose numbers, in units of the frame, do not fit into the kernels' integers. */
const FARTHEST = 2 ** 900;
/** Bytes of the columns' sums that are read back at a time. */
const SUMS_BYTES = 16 * 2 ** 20;
/** Relative difference up to which sums agree with those of another kernel or of the processor: a thousand times what rounding makes of them. */
const CONFIRMED = 1e-10;
/** Vectors whose products are compared with each other. */
const CONFIRMED_PAIRS = 8;

/** A device and what stands in for it. */
export interface GpuWithFallback {
  readonly gpu: Gpu;
  /** Loads the block into the engine that takes over. */
  load(block: DenseBlock): Promise<LoadedBlock>;
  /** Whether sums are confirmed on the processor. */
  readonly confirms: boolean;
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
      async (report) => {
        const sum = async (frame: Frame, sums: PilotSums): Promise<void> => {
          if (frame.factor.some((factor) => !(factor > 1 / FARTHEST && factor < FARTHEST))) {
            throw new DeviceFailure('columns are too large or too small for it');
          }
          await this.#columnSums(frame, sums, scatter ? () => report(0) : report);
          if (!scatter || sums.bad !== undefined) return;
          await this.#gram(frame, scatter, report);
          // The float32 scatter is measured by the solver that asks for it.
          if (this.#device.confirms && !this.#float32) await this.#confirmScatter(frame, scatter, sums.squares, report);
        };
        return settle(summariseOnce(this.#block, at, scatter, true, sum));
      },
      (block, rest) => block.summarise(at, scatter?.fill(0), rest),
    );
  }

  gram(frame: Frame, scatter: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orElsewhere(
      onStep,
      async (report) => {
        const found = new Float64Array(scatter.length);
        await this.#gram(frame, found, report);
        if (this.#device.confirms && !this.#float32) await this.#confirmScatter(frame, found, undefined, report);
        const d = this.cols;
        for (let i = 0; i < d; i++) for (let at = i * d + i; at < (i + 1) * d; at++) scatter[at] += found[at];
      },
      (block, rest) => block.gram(frame, scatter, rest),
    );
  }

  async dual(frame: Frame, other: LoadedBlock, otherFrame: Frame, into: Products, onStep: OnStep): Promise<void> {
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

  normal(
    frame: Frame,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
    measured = false,
  ): Promise<void> {
    return this.#orElsewhere(
      onStep,
      async (report) => {
        const found = await this.#normal(frame, vectors, k, report);
        if (measured && this.#device.confirms) await this.#confirmProducts(frame, vectors, k, found, report);
        for (let i = 0; i < out.length; i++) out[i] += found[i];
      },
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
      const perSlab = Math.ceil(rows.slab / STRIP);
      const most = perSlab * Math.max(1, Math.floor(SUMS_BYTES / (perSlab * 32 * rows.ld)));
      const into = { sums: await use.buffer(most * 32 * rows.ld), flags: await use.buffer(most * 4), strip: 0 };
      gpu.clear(into.flags);
      const planes = new Float64Array(4 * this.cols);
      let strips: number[] = [];
      const flush = async (): Promise<void> => {
        await gpu.read(
          [into.sums],
          strips.length * 8 * rows.ld,
          ([found], start) => {
            for (let at = 0; at < found.length; at += 8 * rows.ld) {
              for (let plane = 0; plane < 4; plane++) {
                const high = at + 2 * plane * rows.ld;
                for (let j = 0; j < this.cols; j++)
                  planes[plane * this.cols + j] = found[high + j] + found[high + rows.ld + j];
              }
              sums.add(planes, strips[(start + at) / (8 * rows.ld)]);
            }
          },
          8 * rows.ld,
        );
        const [bad] = await readFlags(gpu, into.flags, strips.length);
        if (bad !== undefined) sums.bad ??= strips[bad];
        strips = [];
      };
      for (const { first, rows: count } of rows.slabs()) {
        if (strips.length + perSlab > most) {
          await flush();
          gpu.clear(into.flags);
        }
        await rows.sums(first, count, { ...into, strip: strips.length }, onSlice);
        for (let row = 0; row < count; row += STRIP) strips.push(first + row);
        await report(count);
      }
      await flush();
    });
  }

  /** Writes the upper triangle. */
  async #gram(frame: Frame, scatter: Float64Array, report: OnStep, slab?: number): Promise<void> {
    const { gpu } = this.#device;
    const d = this.cols;
    const onSlice = (): void | Promise<void> => report(0);
    const two = !this.#float32;
    const most = panelWidth(gpu, d, d);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, d, frame, two);
      for (let column = 0; column < d; column += most) {
        const n = Math.min(most, padded(d) - column);
        // Rows below the panel are in the lower triangle.
        const sums = await use.sums(Math.min(d, column + n), n, padded(Math.min(rows.slab, this.rows)));
        let add = false;
        for (const { first, rows: count } of rows.slabs(slab)) {
          const b = await rows.decode(first, count, onSlice);
          const shape = { n, terms: padded(count), column, upper: true, add };
          add = true;
          await addProducts(gpu, { over: 'columns', precision: two ? 'two' : 'float32' }, b, b, sums, shape, onSlice);
          await report(column === 0 ? count : 0);
        }
        const result = await use.reduced(sums);
        const width = Math.min(n, d - column);
        await readRows(gpu, result, Math.min(d, column + n), (i, high, low, at) => {
          const to = i * d + column;
          for (let j = Math.max(0, i - column); j < width; j++) scatter[to + j] = high[at + j] + low[at + j];
        });
        use.free(sums.c, result.high, result.low!);
      }
    });
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

  async #normal(frame: Frame, vectors: Float64Array, k: number, report: OnStep, slab?: number): Promise<Float64Array> {
    const { gpu } = this.#device;
    const d = this.cols;
    const out = new Float64Array(k * d);
    const onSlice = (): void | Promise<void> => report(0);
    await this.#with(async (use) => {
      const rows = await use.rows(this.#resident, this.rows, d, frame, true);
      const { matrix: v, scales } = await use.matrix(vectors, k, d);
      const height = Math.min(rows.slab, this.rows);
      const scoreSums = await use.sums(height, k, padded(d));
      const y = await use.reduced(scoreSums, false);
      const z = await CollectedRows.make(gpu, use, k, d, padded(height));
      let add = false;
      for (const { first, rows: count } of rows.slabs(slab)) {
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
        await z.add(y, b, count, add, onSlice);
        add = true;
        await report(count);
      }
      await z.read(out, scales);
    });
    return out;
  }

  /**
   * Confirms products VBᵀB. M = (VBᵀB)Vᵀ is symmetric, which an error in a part of them is not. And one slab of rows, whichever the
   * shape says, is multiplied by one combination of the vectors on the processor as well.
   */
  async #confirmProducts(
    frame: Frame,
    vectors: Float64Array,
    k: number,
    found: Float64Array,
    report: OnStep,
  ): Promise<void> {
    const d = this.cols;
    for (let i = 0; i < Math.min(k, CONFIRMED_PAIRS); i++) {
      for (let j = 0; j < i; j++) {
        const difference = dot(found, i * d, vectors, j * d, d) - dot(found, j * d, vectors, i * d, d);
        const size = norm(found, i * d, d) * norm(vectors, j * d, d) + norm(found, j * d, d) * norm(vectors, i * d, d);
        this.#expect(Math.abs(difference), size);
      }
    }
    const { normal } = random(k + d);
    const vector = new Float64Array(d);
    for (let c = 0; c < k; c++) axpy(normal() / (norm(vectors, c * d, d) || 1), vectors, c * d, vector, 0, d);
    const slab = this.#someSlab();
    const image = await this.#normal(frame, vector, 1, () => report(0), slab);
    await this.#confirmSlab(frame, vector, image, slab, report);
  }

  /** Confirms a scatter: its diagonal by the sums of squares that another kernel made of all rows, and one slab on the processor. */
  async #confirmScatter(
    frame: Frame,
    scatter: Float64Array,
    squares: Float64Array | undefined,
    report: OnStep,
  ): Promise<void> {
    const d = this.cols;
    if (squares) for (let j = 0; j < d; j++) this.#expect(Math.abs(scatter[j * d + j] - squares[j]), squares[j]);
    const slab = this.#someSlab();
    const part = new Float64Array(d * d);
    await this.#gram(frame, part, () => report(0), slab);
    const vector = Float64Array.from({ length: d }, random(d).normal);
    const image = new Float64Array(d);
    for (let i = 0; i < d; i++) {
      image[i] += part[i * d + i] * vector[i] + dot(part, i * d + i + 1, vector, i + 1, d - i - 1);
      axpy(vector[i], part, i * d + i + 1, image, i + 1, d - i - 1);
    }
    await this.#confirmSlab(frame, vector, image, slab, report);
  }

  /** The number of a slab, by the shape of the data. */
  #someSlab(): number {
    return Math.floor(random(this.rows + this.cols).uniform() * Math.ceil(this.rows / slabRows(this.cols)));
  }

  /** Fails where `image` is not BᵀB of that slab times the vector, as the processor computes it in float64. */
  async #confirmSlab(
    frame: Frame,
    vector: Float64Array,
    image: Float64Array,
    slab: number,
    report: OnStep,
  ): Promise<void> {
    const { stride, data } = this.#block;
    const first = slab * slabRows(this.cols);
    const rows = Math.min(slabRows(this.cols), this.rows - first);
    const roots = frame.rootWeights?.subarray(first, first + rows);
    const block = { ...this.#block, rows, data: data.subarray(first * stride) };
    const loaded = await this.#device.load(block);
    try {
      const expected = new Float64Array(this.cols);
      await loaded.normal(roots ? { ...frame, rootWeights: roots } : frame, vector, 1, expected, () => report(0));
      const size = norm(expected);
      axpy(-1, image, 0, expected, 0, this.cols);
      this.#expect(norm(expected), size);
    } finally {
      loaded.release();
    }
  }

  /** Fails where an error is more than rounding of something of that size. */
  #expect(error: number, size: number): void {
    if (error <= CONFIRMED * size) return;
    const { gpu } = this.#device;
    gpu.failure ??= `it computed something wrong (off by ${(error / size).toExponential(1)}, found by checking its sums)`;
    throw new DeviceFailure(gpu.failure);
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

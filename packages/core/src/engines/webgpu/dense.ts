import type { DenseBlock, Scaler } from '../../data/blocks/block.js';
import type { ColumnStatistics } from '../../data/statistics/statistics.js';
import { random } from '../../linalg/random.js';
import { dualByMultiply } from '../dual-by-multiply.js';
import type { DualTarget, LoadedBlock, OnStep, RowsAt } from '../engine.js';
import type { ShiftedSums } from '../provisional-means.js';
import { summariseOnePass } from '../summarise-one-pass.js';
import { columnSums } from './column-sums.js';
import { confirmDiagonal, confirmSymmetry, randomCombination, SlabCheck } from './confirm.js';
import { DeviceFailure, type Gpu } from './device.js';
import { dualPass } from './dual-pass.js';
import { fitsOnePanel, GramPanel, gramPass } from './gram-pass.js';
import { IntegerPanel } from './integer-gram.js';
import { padded } from './matrices.js';
import { type StoredRows, withBuffers } from './pass-buffers.js';
import { multiplyPass, multiplyTransposedPass, normalPass } from './products-pass.js';
import { ResidentRows } from './resident.js';
import { slabRows } from './scaled-rows.js';

/** Maximum (and, inverted, minimum) factor of columns. Beyond it, exponents do not fit into the kernels' integers. */
const FARTHEST = 2 ** 900;

/** A device and its fallback. */
export interface GpuWithFallback {
  readonly gpu: Gpu;
  /** Loads the block into the fallback engine. */
  load(block: DenseBlock): Promise<LoadedBlock>;
  /** True if sums are confirmed by the processor. */
  readonly confirms: boolean;
  /** Records why a pass used the fallback engine. */
  failed(reason: string): void;
}

/**
 * The passes over dense rows on a device. A pass decodes and scales a slab of rows, then multiplies it. If `float32` is true, the products
 * of `gram` and of the scatter are float32. All other numbers have two float32 parts. If the device cannot finish a pass, the fallback
 * engine repeats it: results are added to the caller's arrays only at the end.
 */
export class GpuDense implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: DenseBlock;
  readonly #device: GpuWithFallback;
  readonly #float32: boolean;
  readonly #stored: StoredRows;
  #fallback: Promise<LoadedBlock> | undefined;
  #released = false;

  constructor(block: DenseBlock, device: GpuWithFallback, float32: boolean, resident?: ResidentRows) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#device = device;
    this.#float32 = float32;
    const { gpu } = device;
    const rows = resident ?? new ResidentRows(gpu, block, slabRows(block.cols));
    this.#stored = { gpu, resident: rows, rows: block.rows, cols: block.cols };
  }

  /** Returns true if one slab of this many columns fits into a buffer. */
  static suits(gpu: Gpu, cols: number): boolean {
    return padded(cols) * slabRows(cols) * 4 <= gpu.largestBinding && cols * slabRows(cols) * 8 <= gpu.largestBinding;
  }

  /** Returns the same rows on the device, for passes in two parts. */
  exact(): LoadedBlock {
    return new GpuDense(this.#block, this.#device, false, this.#stored.resident.share());
  }

  summarise(at: RowsAt, scatter: Float64Array | undefined, onStep: OnStep): Promise<ColumnStatistics> {
    return this.#orFallback(
      onStep,
      async (report) => {
        const sum = async (scaler: Scaler, sums: ShiftedSums): Promise<void> => {
          if (scaler.factor.some((factor) => !(factor > 1 / FARTHEST && factor < FARTHEST))) {
            throw new DeviceFailure('columns are too large or too small for it');
          }
          await (scatter
            ? this.#sumsAndScatter(scaler, sums, scatter, report)
            : columnSums(this.#stored, scaler, sums, report));
        };
        return summariseOnePass(this.#block, at, scatter, true, sum);
      },
      (block, rest) => block.summarise(at, scatter?.fill(0), rest),
    );
  }

  gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orFallback(
      onStep,
      async (report) => {
        const found = new Float64Array(scatter.length);
        const check = this.#scatterCheck(scaler, report);
        await gramPass(this.#stored, scaler, !this.#float32, found, report, { meanwhile: check?.meanwhile });
        await check?.scatter(this.#stored, report);
        const d = this.cols;
        for (let i = 0; i < d; i++) for (let at = i * d + i; at < (i + 1) * d; at++) scatter[at] += found[at];
      },
      (block, rest) => block.gram(scaler, scatter, rest),
    );
  }

  async dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    if (!(other instanceof GpuDense)) return dualByMultiply(this.#block, scaler, other, otherScaler, into, onStep);
    return this.#orFallback(
      onStep,
      (report) => dualPass(this.#stored, scaler, other.#stored, otherScaler, into, report),
      async (block, rest) => {
        const right = other === this ? block : await other.#loadFallback();
        await block.dual(scaler, right, otherScaler, into, rest);
      },
    );
  }

  multiply(scaler: Scaler, vectors: Float64Array, k: number, scores: Float64Array, onStep: OnStep): Promise<void> {
    return this.#orFallback(
      onStep,
      (report) => multiplyPass(this.#stored, scaler, vectors, k, scores, report),
      (block, rest) => block.multiply(scaler, vectors, k, scores, rest),
    );
  }

  multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    return this.#orFallback(
      onStep,
      (report) => multiplyTransposedPass(this.#stored, scaler, scores, k, out, report),
      (block, rest) => block.multiplyTransposed(scaler, scores, k, out, rest),
    );
  }

  normal(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
    measured = false,
  ): Promise<void> {
    return this.#orFallback(
      onStep,
      async (report) => {
        const check =
          measured && this.#device.confirms
            ? this.#slabCheck(scaler, randomCombination(vectors, k, this.cols), report)
            : undefined;
        const found = await normalPass(this.#stored, scaler, vectors, k, report, { meanwhile: check?.meanwhile });
        if (check) {
          confirmSymmetry(this.#stored.gpu, vectors, k, found, this.cols);
          await check.products(this.#stored, report);
        }
        for (let i = 0; i < out.length; i++) out[i] += found[i];
      },
      (block, rest) => block.normal(scaler, vectors, k, out, rest),
    );
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#stored.resident.release();
    void this.#fallback?.then((block) => block.release());
  }

  /** Sums of the columns and the scatter. Both are computed for a slab while the next slab is uploaded. */
  async #sumsAndScatter(scaler: Scaler, sums: ShiftedSums, scatter: Float64Array, report: OnStep): Promise<void> {
    const [stored, two] = [this.#stored, !this.#float32];
    const { gpu, resident, rows: total, cols: d } = stored;
    const onSlice = (): void | Promise<void> => report(0);
    const check = this.#scatterCheck(scaler, report);
    if (fitsOnePanel(gpu, d + 1)) {
      await withBuffers(gpu, async (use) => {
        const panel = IntegerPanel.suits(stored, scaler)
          ? await IntegerPanel.make(use, stored, scaler, Math.min(slabRows(d), padded(total)))
          : await GramPanel.make(use, stored, await use.rows(resident, total, d, scaler, two), two);
        await columnSums(stored, scaler, sums, report, (first, rows) => panel.add(first, rows, onSlice));
        if (sums.bad !== undefined) return;
        await check?.meanwhile();
        await panel.read(scatter);
      });
    } else {
      await columnSums(stored, scaler, sums, onSlice);
      if (sums.bad === undefined) await gramPass(stored, scaler, two, scatter, report, { meanwhile: check?.meanwhile });
    }
    if (!check || sums.bad !== undefined) return;
    confirmDiagonal(gpu, scatter, sums.squares, d);
    await check.scatter(stored, report);
  }

  /** Returns a check of a scatter in two parts. A float32 scatter needs no check here, because the solver that uses it measures it. */
  #scatterCheck(scaler: Scaler, report: OnStep): SlabCheck | undefined {
    if (!this.#device.confirms || this.#float32) return undefined;
    return this.#slabCheck(scaler, Float64Array.from({ length: this.cols }, random(this.cols).normal), report);
  }

  #slabCheck(scaler: Scaler, vector: Float64Array, report: OnStep): SlabCheck {
    return new SlabCheck(this.#block, (block) => this.#device.load(block), scaler, vector, report);
  }

  /** Runs a pass on the device, or on the fallback engine if the device fails. Progress is not reported twice. */
  async #orFallback<Result>(
    onStep: OnStep,
    pass: (report: OnStep) => Promise<Result>,
    fallback: (block: LoadedBlock, onStep: OnStep) => Result | Promise<Result>,
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
    return fallback(await this.#loadFallback(), (rows) => {
      const old = Math.min(skip, rows);
      skip -= old;
      return onStep(rows - old);
    });
  }

  #loadFallback(): Promise<LoadedBlock> {
    this.#fallback ??= this.#device.load(this.#block);
    return this.#fallback;
  }
}

import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { ColumnStatistics } from '../../../data/statistics/statistics.js';
import { dualByMultiply } from '../../dual-by-multiply.js';
import type { DualScaler, DualTarget, LoadedBlock, OnStep, RowsAt } from '../../engine.js';
import type { PrecomputedDual } from '../../precomputed-dual.js';
import type { ShiftedSums } from '../../provisional-means.js';
import { summariseOnePass } from '../../summarise-one-pass.js';
import type { RunnerProvider } from '../runner-provider.js';
import type { JobRunner } from '../threads/job-runner.js';
import type { RowRange } from './dual.js';
import { suitsStrips, WIDE_COLUMNS } from './layout.js';
import { NormalByRows } from './normal-by-rows.js';
import { type Packed, RowPipeline } from './row-pipeline.js';
import { Scores } from './scores.js';

/** Loads the code for wide data and row products, which most fits do not need. */
const widePasses = (): Promise<typeof import('./wide.js')> => import('./wide.js');

/** Rows per group in the dual pass: the products of two groups take 32 MB. */
const GROUP = 2048;

/** The time to copy and pack one number, in flops. */
const READING = 40;

/**
 * The passes over dense rows in WebAssembly. A pass copies chunks of rows in, packs them (shifted, scaled, weighted) and multiplies them.
 * If `float32` is true, the products of gram and dual are float32, and their sums over tiles float64.
 */
export class WasmDense implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: DenseBlock;
  readonly #provider: RunnerProvider;
  readonly #float32: boolean;
  readonly #byRows: NormalByRows;
  #precomputed: PrecomputedDual | undefined;

  constructor(block: DenseBlock, provider: RunnerProvider, float32: boolean) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#provider = provider;
    this.#float32 = float32;
    this.#byRows = new NormalByRows(block, provider);
  }

  async summarise(
    at: RowsAt,
    scatter: Float64Array | undefined,
    onStep: OnStep,
    dualScaler?: DualScaler,
  ): Promise<ColumnStatistics> {
    const { rows, cols } = this;
    if (dualScaler && !this.#float32 && rows <= GROUP && cols > WIDE_COLUMNS) {
      const { summariseWithDual } = await widePasses();
      const found = await this.#withRunner(rows * rows * cols, (runner) =>
        summariseWithDual(runner, this.#block, at.weights, dualScaler, onStep),
      );
      this.#precomputed = found?.dual;
      if (found) return found.stats;
    }
    return summariseOnePass(this.#block, at, scatter, this.#float32, (scaler, sums) =>
      this.#sum(scaler, scatter, sums, onStep),
    );
  }

  gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    return this.#sum(scaler, scatter, undefined, onStep);
  }

  /** Multiplies pairs of row groups. Each pair is read once, in tiles of columns. */
  dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    if (other instanceof WasmDense) return this.#dual(scaler, other, otherScaler, into, onStep);
    return dualByMultiply(this.#block, scaler, other, otherScaler, into, onStep);
  }

  async #dual(scaler: Scaler, other: WasmDense, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    if (other === this && this.#precomputed) {
      const { writePrecomputedDual } = await widePasses();
      if (writePrecomputedDual(this.#precomputed, scaler, into)) {
        await onStep(this.rows);
        return;
      }
    }
    const { multiplyRows } = await widePasses();
    for (let i = 0; i < this.rows; i += GROUP) {
      const count = Math.min(GROUP, this.rows - i);
      const a: RowRange = { block: this.#block, scaler, first: i, count };
      for (let j = other === this ? i : 0; j < other.rows; j += GROUP) {
        const cols = Math.min(GROUP, other.rows - j);
        const b: RowRange = { block: other.#block, scaler: otherScaler, first: j, count: cols };
        const float32 = this.#float32;
        await this.#withRunner(2 * count * cols * this.cols, async (runner) => {
          const sums = await multiplyRows(runner, a, b, float32, () => onStep(0));
          const found = runner.kernels.doubles(sums, count * cols);
          for (let r = 0; r < count; r++) {
            const target = (into.row + i + r) * into.size + into.column + j;
            into.products.set(found.subarray(r * cols, (r + 1) * cols), target);
          }
        });
      }
      await onStep(count);
    }
  }

  multiply(scaler: Scaler, vectors: Float64Array, k: number, scores: Float64Array, onStep: OnStep): Promise<void> {
    const flops = this.rows * this.cols * (READING + 2 * k);
    return this.#withRunner(flops, (runner) => this.#multiply(runner, scaler, vectors, k, scores, onStep));
  }

  async #multiply(
    runner: JobRunner,
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    scores: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const d = this.cols;
    const packed = packVectors(runner, vectors, k, d);
    const pipeline = new RowPipeline(runner, this.#block, scaler);
    const y = new Scores(runner, pipeline, k);
    runner.reserve(y.scoreJobs + pipeline.packJobs);
    await pipeline.run(onStep, {
      first: (chunk) => y.score(chunk, packed, d),
      after: (chunk) => y.read(chunk, scores),
    });
  }

  async multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const flops = this.rows * this.cols * (READING + 2 * k);
    if (!suitsStrips(this.cols, k)) {
      return this.#withRunner(flops, (runner) => this.#multiplyTransposed(runner, scaler, scores, k, out, onStep));
    }
    const { collectStrips } = await widePasses();
    return this.#withRunner(flops, (runner) => collectStrips(runner, this.#block, scaler, scores, k, out, onStep));
  }

  async #multiplyTransposed(
    runner: JobRunner,
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const d = this.cols;
    const { kernels } = runner;
    const sums = kernels.zeros(k * d);
    const pipeline = new RowPipeline(runner, this.#block, scaler);
    const y = new Scores(runner, pipeline, k);
    const room = pipeline.tiles * pipeline.height * k * 8;
    const given = [kernels.allocate(room), kernels.allocate(room)];
    const zeros = kernels.zeros(k);
    const ones = kernels.put(new Float64Array(k).fill(1));
    runner.reserve(y.collectJobs + pipeline.packJobs + pipeline.tiles);
    await pipeline.run(onStep, {
      begin: (chunk) => {
        const { first, rows, buffer } = chunk;
        kernels.doubles(given[buffer], rows * k).set(scores.subarray(first * k, (first + rows) * k));
        y.pack(chunk, given[buffer], zeros, ones);
      },
      first: (chunk) => y.collect(chunk, sums, d),
    });
    add(out, kernels.doubles(sums, k * d));
  }

  normal(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
    measured = false,
  ): Promise<void> {
    const flops = this.rows * this.cols * (READING + 4 * k);
    if (this.#byRows.suits(k)) return this.#byRows.normal(scaler, vectors, k, out, onStep, { flops, once: measured });
    return this.#withRunner(flops, (runner) => this.#normal(runner, scaler, vectors, k, out, onStep));
  }

  async #normal(
    runner: JobRunner,
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const d = this.cols;
    const packed = packVectors(runner, vectors, k, d);
    const sums = runner.kernels.zeros(k * d);
    const pipeline = new RowPipeline(runner, this.#block, scaler);
    const y = new Scores(runner, pipeline, k);
    runner.reserve(Math.max(y.scoreJobs, y.collectJobs + pipeline.packJobs));
    await pipeline.run(onStep, {
      first: (chunk) => y.score(chunk, packed, d),
      second: (chunk) => y.collect(chunk, sums, d),
    });
    add(out, runner.kernels.doubles(sums, k * d));
  }

  release(): void {
    this.#byRows.release();
    this.#precomputed = undefined;
  }

  #withRunner<Result>(flops: number, pass: (runner: JobRunner) => Promise<Result>): Promise<Result> {
    return this.#provider.withRunner(flops, pass, this.#block.data.buffer);
  }

  /** Computes the scaled scatter, the columns' sums, or both, in one reading. */
  #sum(
    scaler: Scaler,
    scatter: Float64Array | undefined,
    sums: ShiftedSums | undefined,
    onStep: OnStep,
  ): Promise<void> {
    const flops = this.rows * this.cols * (READING + (scatter ? this.cols : 0));
    return this.#withRunner(flops, (runner) => this.#sumWith(runner, scaler, scatter, sums, onStep));
  }

  async #sumWith(
    runner: JobRunner,
    scaler: Scaler,
    scatter: Float64Array | undefined,
    sums: ShiftedSums | undefined,
    onStep: OnStep,
  ): Promise<void> {
    const d = this.cols;
    const { kernels } = runner;
    const float32 = this.#float32 ? 1 : 0;
    const squares = scatter !== undefined;
    const options = { float32: this.#float32, slots: squares, stats: sums !== undefined, squares };
    const pipeline = new RowPipeline(runner, this.#block, scaler, options);
    const { groups, width, slot, tile } = pipeline;
    // The products of a pair of column groups are contiguous, so that they take few pages of memory.
    const pairs = scatter ? (groups * (groups + 1)) / 2 : 0;
    const products = kernels.zeros(pairs * width * width);
    runner.reserve(pipeline.packJobs + pairs);
    const multiply = ({ slots, tiles }: Packed): void => {
      let at = products;
      for (let g = 0; g < groups; g++) {
        for (let h = g; h < groups; h++) {
          const left = slots + g * slot;
          const right = slots + h * slot;
          const upper = g === h ? 1 : 0;
          // The kernel numbers lines by the columns of all data, so it gets the address that entry (0, 0) would have.
          const origin = at - (g * width + h) * width * 8;
          runner.addJob('multiplySlots', left, tile, right, tile, tiles, origin, width, upper, float32, 1, 0);
          at += width * width * 8;
        }
      }
    };
    const addSums = ({ stats, tiles, first }: Packed): void => {
      for (let t = 0; t < tiles; t++) {
        sums?.add(kernels.doubles(stats + t * 4 * d * 8, 4 * d), first + t * pipeline.height);
      }
    };
    await pipeline.run(onStep, { first: scatter && multiply, after: sums && addSums });
    if (scatter) addPairs(scatter, kernels.doubles(products, pairs * width * width), d, width);
  }
}

/** Adds the products of all pairs of column groups to the upper triangle of `into` (d × d). */
function addPairs(into: Float64Array, products: Float64Array, d: number, width: number): void {
  let pair = 0;
  for (let left = 0; left < d; left += width) {
    for (let right = left; right < d; right += width, pair += width * width) {
      const end = Math.min(d, right + width);
      for (let i = left; i < Math.min(d, left + width); i++) {
        const first = Math.max(i, right);
        addRow(into, i * d + first, products, pair + (i - left) * width + first - right, end - first);
      }
    }
  }
}

/** A separate function, so that the engine compiles it after a few rows. */
function addRow(into: Float64Array, at: number, more: Float64Array, from: number, count: number): void {
  for (let i = 0; i < count; i++) into[at + i] += more[from + i];
}

/** Packs k vectors of length d side by side, for `scoreSlots`. */
function packVectors({ kernels }: JobRunner, vectors: Float64Array, k: number, d: number): number {
  const out = kernels.allocate(Math.ceil(k / 4) * 4 * d * 8);
  const source = kernels.put(vectors.subarray(0, k * d));
  kernels.run.packVectors(source, k, d, out);
  return out;
}

function add(into: Float64Array, more: Float64Array): void {
  for (let i = 0; i < more.length; i++) into[i] += more[i];
}

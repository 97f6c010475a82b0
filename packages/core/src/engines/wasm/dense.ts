import type { DenseBlock, Frame } from '../../data/block.js';
import type { ColumnStatistics } from '../../data/statistics.js';
import { dualByMultiply } from '../dual-by-multiply.js';
import type { Beat, LoadedBlock, Products, RowsAt } from '../engine.js';
import { summariseTwice } from '../summarise.js';
import type { Kernels } from './kernels.js';
import { Plain, packVectors, panelNumbers, Stage, TILE, tileCols, tileRows } from './stage.js';

/** Rows of a group in the dual pass: its products are 32 MB. */
const GROUP = 2048;

/** Lends kernels to a pass and takes them back when it is done. */
export type Borrow = (pass: (kernels: Kernels) => Promise<void>) => Promise<void>;

/** The five passes over dense rows in WebAssembly: tiles of rows are copied in, packed through the frame, multiplied. */
export class WasmDense implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: DenseBlock;
  readonly #borrow: Borrow;

  constructor(block: DenseBlock, borrow: Borrow) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#borrow = borrow;
  }

  summarise(at: RowsAt, scatter: Float64Array | undefined, beat: Beat): Promise<ColumnStatistics> {
    return summariseTwice(this.#block, this, at, scatter, beat);
  }

  gram(frame: Frame, scatter: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    return this.#borrow(async (kernels) => {
      const height = this.#height();
      const sums = kernels.put(new Float64Array(d * d));
      const stage = new Stage(kernels, this.#block, frame, height, d);
      const columns = kernels.allocate(panelNumbers(d, height) * 8);
      await this.#tiles(beat, (from, rows) => {
        stage.load(from, rows, 0, d);
        stage.packColumns(columns);
        kernels.run.multiplyPanels(columns, 4 * rows, d, columns, 4 * rows, d, rows, sums, d, true);
      });
      add(scatter, kernels.doubles(sums, d * d));
    });
  }

  /** Groups of rows are multiplied pair by pair; of each pair, tiles of columns go through, each number once. */
  async dual(frame: Frame, other: LoadedBlock, otherFrame: Frame, into: Products, beat: Beat): Promise<void> {
    if (!(other instanceof WasmDense)) {
      return dualByMultiply(this.#block, frame, other, otherFrame, into, beat);
    }
    for (let i = 0; i < this.rows; i += GROUP) {
      const rows = Math.min(GROUP, this.rows - i);
      for (let j = other === this ? i : 0; j < other.rows; j += GROUP) {
        const cols = Math.min(GROUP, other.rows - j);
        await this.#borrow(async (kernels) => {
          const sums = kernels.put(new Float64Array(rows * cols));
          await this.#multiplyGroups(kernels, frame, i, rows, other, otherFrame, j, cols, sums, () => beat(0));
          const found = kernels.doubles(sums, rows * cols);
          for (let r = 0; r < rows; r++) {
            const target = (into.row + i + r) * into.size + into.column + j;
            into.products.set(found.subarray(r * cols, (r + 1) * cols), target);
          }
        });
      }
      const pause = beat(rows);
      if (pause) await pause;
    }
  }

  multiply(frame: Frame, vectors: Float64Array, k: number, scores: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    return this.#borrow(async (kernels) => {
      const height = this.#height();
      const b = packVectors(kernels, vectors, k, d);
      const stage = new Stage(kernels, this.#block, frame, height, d);
      const lines = kernels.allocate(panelNumbers(height, TILE) * 8);
      const y = kernels.allocate(height * k * 8);
      await this.#tiles(beat, (from, rows) => {
        stage.load(from, rows, 0, d);
        this.#score(kernels, stage, rows, lines, b, k, y);
        scores.set(kernels.doubles(y, rows * k), from * k);
      });
    });
  }

  multiplyTransposed(frame: Frame, scores: Float64Array, k: number, out: Float64Array, beat: Beat): Promise<void> {
    return this.#borrow(async (kernels) => {
      const collect = this.#collector(kernels, frame, k);
      await this.#tiles(beat, (from, rows) => {
        collect.stage.load(from, rows, 0, this.cols);
        kernels.doubles(collect.scores, rows * k).set(scores.subarray(from * k, (from + rows) * k));
        collect.add(rows);
      });
      collect.finish(out);
    });
  }

  normal(frame: Frame, vectors: Float64Array, k: number, out: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    return this.#borrow(async (kernels) => {
      const b = packVectors(kernels, vectors, k, d);
      const lines = kernels.allocate(panelNumbers(this.#height(), TILE) * 8);
      const collect = this.#collector(kernels, frame, k);
      await this.#tiles(beat, (from, rows) => {
        collect.stage.load(from, rows, 0, d);
        this.#score(kernels, collect.stage, rows, lines, b, k, collect.scores);
        collect.add(rows);
      });
      collect.finish(out);
    });
  }

  release(): void {}

  /** Y = BVᵀ for the tile that is staged, TILE columns at a time; `lines` is room for their panels. */
  #score(kernels: Kernels, stage: Stage, rows: number, lines: number, vectors: number, k: number, y: number): void {
    const d = this.cols;
    kernels.doubles(y, rows * k).fill(0);
    for (let step = 0; step < d; step += TILE) {
      const steps = Math.min(TILE, d - step);
      stage.packRows(step, steps, lines);
      kernels.run.multiplyPanels(lines, 4 * steps, rows, vectors + step * 32, 4 * d, k, steps, y, k, false);
    }
  }

  /** Z += YᵀB for the tile that is staged and the scores beside it. */
  #collector(kernels: Kernels, frame: Frame, k: number) {
    const d = this.cols;
    const height = this.#height();
    const sums = kernels.put(new Float64Array(k * d));
    const stage = new Stage(kernels, this.#block, frame, height, d);
    const scores = kernels.allocate(height * k * 8);
    const plain = new Plain(kernels, k);
    const columns = kernels.allocate(panelNumbers(d, height) * 8);
    const scorePanels = kernels.allocate(panelNumbers(k, height) * 8);
    return {
      stage,
      scores,
      add(rows: number): void {
        stage.packColumns(columns);
        plain.packColumns(scores, rows, scorePanels);
        kernels.run.multiplyPanels(scorePanels, 4 * rows, k, columns, 4 * rows, d, rows, sums, d, false);
      },
      finish: (out: Float64Array): void => add(out, kernels.doubles(sums, k * d)),
    };
  }

  /** sums += B₁B₂ᵀ for a group of rows of this block and one of another. */
  async #multiplyGroups(
    kernels: Kernels,
    frame: Frame,
    i: number,
    rows: number,
    other: WasmDense,
    otherFrame: Frame,
    j: number,
    cols: number,
    sums: number,
    beat: () => void | Promise<void>,
  ): Promise<void> {
    const d = this.cols;
    const width = Math.min(d, tileCols(Math.max(rows, cols)));
    const left = new Stage(kernels, this.#block, frame, rows, width);
    const right = new Stage(kernels, other.#block, otherFrame, cols, width);
    const a = kernels.allocate(panelNumbers(rows, TILE) * 8);
    const b = kernels.allocate(panelNumbers(cols, TILE) * 8);
    const same = other === this && i === j;
    for (let from = 0; from < d; from += width) {
      const to = Math.min(d, from + width);
      left.load(i, rows, from, to);
      if (!same) right.load(j, cols, from, to);
      for (let step = 0; step < to - from; step += TILE) {
        const steps = Math.min(TILE, to - from - step);
        left.packRows(step, steps, a);
        if (!same) right.packRows(step, steps, b);
        kernels.run.multiplyPanels(a, 4 * steps, rows, same ? a : b, 4 * steps, cols, steps, sums, cols, same);
        const pause = beat();
        if (pause) await pause;
      }
    }
  }

  #height(): number {
    return Math.min(this.rows, tileRows(this.cols));
  }

  async #tiles(beat: Beat, visit: (from: number, rows: number) => void): Promise<void> {
    const height = this.#height();
    for (let from = 0; from < this.rows; from += height) {
      const rows = Math.min(height, this.rows - from);
      visit(from, rows);
      const pause = beat(rows);
      if (pause) await pause;
    }
  }
}

function add(into: Float64Array, more: Float64Array): void {
  for (let i = 0; i < more.length; i++) into[i] += more[i];
}

import type { DenseBlock, Frame } from '../../data/block.js';
import { dualByMultiply } from '../dual-by-multiply.js';
import type { Beat, LoadedBlock } from '../engine.js';
import type { Kernels } from './kernels.js';
import { multiplyRows, Plain, packVectors, panelNumbers, Stage, TILE } from './stage.js';

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

  gram(frame: Frame, scatter: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    return this.#borrow(async (kernels) => {
      const sums = kernels.put(new Float64Array(d * d));
      const stage = new Stage(kernels, this.#block, frame);
      const columns = kernels.allocate(panelNumbers(d, TILE) * 8);
      await this.#tiles(beat, (from, rows) => {
        stage.load(from, rows);
        stage.packColumns(rows, columns);
        kernels.run.multiplyPanels(columns, 4 * rows, d, columns, 4 * rows, d, rows, sums, d, true);
      });
      add(scatter, kernels.doubles(sums, d * d));
    });
  }

  async dual(
    frame: Frame,
    other: LoadedBlock,
    otherFrame: Frame,
    products: Float64Array,
    size: number,
    i0: number,
    j0: number,
    beat: Beat,
  ): Promise<void> {
    if (!(other instanceof WasmDense)) {
      return dualByMultiply(this.#block, frame, other, otherFrame, products, size, i0, j0, beat);
    }
    const d = this.cols;
    await this.#borrow(async (kernels) => {
      const left = new Stage(kernels, this.#block, frame);
      const right = new Stage(kernels, other.#block, otherFrame);
      const a = kernels.allocate(panelNumbers(TILE, d) * 8);
      const b = kernels.allocate(panelNumbers(TILE, d) * 8);
      const sums = kernels.allocate(TILE * TILE * 8);
      await this.#tiles(beat, async (tileFrom, tileRows) => {
        left.load(tileFrom, tileRows);
        left.packRows(tileRows, a);
        const pair = (from: number, rows: number): void => {
          if (other === this && from < tileFrom) return;
          right.load(from, rows);
          right.packRows(rows, b);
          const tile = kernels.doubles(sums, TILE * TILE).fill(0);
          multiplyRows(kernels, a, tileRows, b, rows, d, sums, TILE);
          for (let i = 0; i < tileRows; i++) {
            products.set(tile.subarray(i * TILE, i * TILE + rows), (i0 + tileFrom + i) * size + j0 + from);
          }
        };
        await other.#tiles(() => beat(0), pair);
      });
    });
  }

  multiply(frame: Frame, vectors: Float64Array, k: number, scores: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    return this.#borrow(async (kernels) => {
      const b = packVectors(kernels, vectors, k, d);
      const stage = new Stage(kernels, this.#block, frame);
      const a = kernels.allocate(panelNumbers(TILE, d) * 8);
      const y = kernels.allocate(TILE * k * 8);
      await this.#tiles(beat, (from, rows) => {
        stage.load(from, rows);
        stage.packRows(rows, a);
        const tile = kernels.doubles(y, rows * k).fill(0);
        multiplyRows(kernels, a, rows, b, k, d, y, k);
        scores.set(tile, from * k);
      });
    });
  }

  multiplyTransposed(frame: Frame, scores: Float64Array, k: number, out: Float64Array, beat: Beat): Promise<void> {
    return this.#borrow(async (kernels) => {
      const collect = this.#collector(kernels, frame, k);
      await this.#tiles(beat, (from, rows) => {
        collect.stage.load(from, rows);
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
      const lines = kernels.allocate(panelNumbers(TILE, d) * 8);
      const collect = this.#collector(kernels, frame, k);
      await this.#tiles(beat, (from, rows) => {
        collect.stage.load(from, rows);
        collect.stage.packRows(rows, lines);
        kernels.doubles(collect.scores, rows * k).fill(0);
        multiplyRows(kernels, lines, rows, b, k, d, collect.scores, k);
        collect.add(rows);
      });
      collect.finish(out);
    });
  }

  release(): void {}

  /** Z += YᵀB for the tile that is staged and the scores beside it. */
  #collector(kernels: Kernels, frame: Frame, k: number) {
    const d = this.cols;
    const sums = kernels.put(new Float64Array(k * d));
    const stage = new Stage(kernels, this.#block, frame);
    const scores = kernels.allocate(TILE * k * 8);
    const plain = new Plain(kernels, k);
    const columns = kernels.allocate(panelNumbers(d, TILE) * 8);
    const scorePanels = kernels.allocate(panelNumbers(k, TILE) * 8);
    return {
      stage,
      scores,
      add(rows: number): void {
        stage.packColumns(rows, columns);
        plain.packColumns(scores, rows, scorePanels);
        kernels.run.multiplyPanels(scorePanels, 4 * rows, k, columns, 4 * rows, d, rows, sums, d, false);
      },
      finish: (out: Float64Array): void => add(out, kernels.doubles(sums, k * d)),
    };
  }

  async #tiles(beat: Beat, visit: (from: number, rows: number) => void | Promise<void>): Promise<void> {
    for (let from = 0; from < this.rows; from += TILE) {
      const rows = Math.min(TILE, this.rows - from);
      const visited = visit(from, rows);
      if (visited) await visited;
      const pause = beat(rows);
      if (pause) await pause;
    }
  }
}

function add(into: Float64Array, more: Float64Array): void {
  for (let i = 0; i < more.length; i++) into[i] += more[i];
}

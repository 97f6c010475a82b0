import type { DenseBlock, Frame } from '../../data/block.js';
import type { Kernels } from './kernels.js';

/** Rows of a tile, and steps of a product before its sum joins the others: rounding grows with TILE + n/TILE. */
export const TILE = 256;

/** Numbers that the panels of `lines` lines over `steps` steps take. */
export function panelNumbers(lines: number, steps: number): number {
  return Math.ceil(lines / 4) * 4 * steps;
}

/** A tile of rows in the kernels' memory, as it is stored, and its way into panels through the frame. */
export class Stage {
  readonly #kernels: Kernels;
  readonly #block: DenseBlock;
  readonly #single: boolean;
  readonly #rows: number;
  readonly #shift: number;
  readonly #factor: number;
  readonly #roots: number;
  readonly #rootWeights: Float64Array | undefined;

  constructor(kernels: Kernels, block: DenseBlock, frame: Frame) {
    const height = Math.min(TILE, block.rows);
    this.#kernels = kernels;
    this.#block = block;
    this.#single = block.data instanceof Float32Array;
    this.#rows = kernels.allocate(height * block.cols * block.data.BYTES_PER_ELEMENT);
    this.#shift = kernels.put(frame.shift);
    this.#factor = kernels.put(frame.factor);
    this.#rootWeights = frame.rootWeights;
    this.#roots = frame.rootWeights ? kernels.allocate(height * 8) : 0;
  }

  /** Copies rows in. */
  load(from: number, rows: number): void {
    const { data, stride, cols } = this.#block;
    const length = rows * cols;
    const target = this.#single ? this.#kernels.singles(this.#rows, length) : this.#kernels.doubles(this.#rows, length);
    if (stride === cols) target.set(data.subarray(from * cols, from * cols + length));
    else
      for (let i = 0; i < rows; i++)
        target.set(data.subarray((from + i) * stride, (from + i) * stride + cols), i * cols);
    if (this.#rootWeights) this.#kernels.doubles(this.#roots, rows).set(this.#rootWeights.subarray(from, from + rows));
  }

  /** Panels whose lines are the columns. */
  packColumns(rows: number, out: number): void {
    const { cols } = this.#block;
    this.#kernels.run.packColumns(
      this.#rows,
      this.#single,
      cols,
      rows,
      cols,
      this.#shift,
      this.#factor,
      this.#roots,
      out,
    );
  }

  /** Panels whose lines are the rows. */
  packRows(rows: number, out: number): void {
    const { cols } = this.#block;
    this.#kernels.run.packRows(this.#rows, this.#single, cols, rows, cols, this.#shift, this.#factor, this.#roots, out);
  }
}

/** Packs numbers that have no frame: vectors and scores. */
export class Plain {
  readonly #kernels: Kernels;
  readonly #cols: number;
  readonly #zeros: number;
  readonly #ones: number;

  constructor(kernels: Kernels, cols: number) {
    this.#kernels = kernels;
    this.#cols = cols;
    this.#zeros = kernels.put(new Float64Array(cols));
    this.#ones = kernels.put(new Float64Array(cols).fill(1));
  }

  packColumns(source: number, rows: number, out: number): void {
    this.#kernels.run.packColumns(source, false, this.#cols, rows, this.#cols, this.#zeros, this.#ones, 0, out);
  }

  packRows(source: number, rows: number, out: number): void {
    this.#kernels.run.packRows(source, false, this.#cols, rows, this.#cols, this.#zeros, this.#ones, 0, out);
  }
}

/** Row panels of k vectors of length d. */
export function packVectors(kernels: Kernels, vectors: Float64Array, k: number, d: number): number {
  const source = kernels.put(vectors.subarray(0, k * d));
  const out = kernels.allocate(panelNumbers(k, d) * 8);
  new Plain(kernels, d).packRows(source, k, out);
  return out;
}

/** C += AᵀB for row panels over d steps, TILE steps at a time. */
export function multiplyRows(
  kernels: Kernels,
  a: number,
  rows: number,
  b: number,
  cols: number,
  d: number,
  c: number,
  stride: number,
): void {
  for (let step = 0; step < d; step += TILE) {
    const steps = Math.min(TILE, d - step);
    kernels.run.multiplyPanels(a + step * 32, 4 * d, rows, b + step * 32, 4 * d, cols, steps, c, stride, false);
  }
}

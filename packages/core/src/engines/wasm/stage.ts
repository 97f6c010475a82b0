import type { DenseBlock, Frame } from '../../data/block.js';
import type { Kernels } from './kernels.js';

/** Most rows of a tile, and steps of a product before its sum joins the others: rounding grows with TILE + n/TILE. */
export const TILE = 256;

/** Values that are staged at a time, at most: 32 MB of float64. */
const STAGED = 1 << 22;

/** Rows of a tile of d columns: TILE, or what fits for wide data, a whole number of panels. */
export function tileRows(d: number): number {
  return Math.max(4, Math.min(TILE, Math.floor(STAGED / d / 4) * 4));
}

/** Columns of a tile of whole columns of `rows` rows. */
export function tileCols(rows: number): number {
  return Math.max(TILE, Math.floor(STAGED / rows / TILE) * TILE);
}

/** Numbers that the panels of `lines` lines over `steps` steps take. */
export function panelNumbers(lines: number, steps: number): number {
  return Math.ceil(lines / 4) * 4 * steps;
}

/** A tile of the data in the kernels' memory, as it is stored, and its way into panels through the frame. */
export class Stage {
  readonly #kernels: Kernels;
  readonly #block: DenseBlock;
  readonly #bytes: number;
  readonly #start: number;
  readonly #shift: number;
  readonly #factor: number;
  readonly #roots: number;
  readonly #rootWeights: Float64Array | undefined;
  #rows = 0;
  #left = 0;
  #cols = 0;

  /** Room for tiles of up to `rows` × `cols`. */
  constructor(kernels: Kernels, block: DenseBlock, frame: Frame, rows: number, cols: number) {
    this.#kernels = kernels;
    this.#block = block;
    this.#bytes = block.data.BYTES_PER_ELEMENT;
    this.#start = kernels.allocate(rows * cols * this.#bytes);
    this.#shift = kernels.put(frame.shift);
    this.#factor = kernels.put(frame.factor);
    this.#rootWeights = frame.rootWeights;
    this.#roots = frame.rootWeights ? kernels.allocate(rows * 8) : 0;
  }

  /** Copies a tile in: `rows` rows from `from` on, columns left to right − 1. */
  load(from: number, rows: number, left: number, right: number): void {
    const { data, stride } = this.#block;
    const cols = right - left;
    [this.#rows, this.#left, this.#cols] = [rows, left, cols];
    const length = rows * cols;
    const target =
      this.#bytes === 4 ? this.#kernels.singles(this.#start, length) : this.#kernels.doubles(this.#start, length);
    if (stride === cols) {
      target.set(data.subarray(from * stride, from * stride + length));
    } else {
      for (let i = 0; i < rows; i++) {
        const at = (from + i) * stride + left;
        target.set(data.subarray(at, at + cols), i * cols);
      }
    }
    if (this.#rootWeights) this.#kernels.doubles(this.#roots, rows).set(this.#rootWeights.subarray(from, from + rows));
  }

  /** Panels whose lines are the tile's columns. */
  packColumns(out: number): void {
    this.#pack(this.#kernels.run.packColumns, 0, this.#cols, out);
  }

  /** Panels whose lines are the tile's rows, over its columns `first` to `first + count` − 1. */
  packRows(first: number, count: number, out: number): void {
    this.#pack(this.#kernels.run.packRows, first, count, out);
  }

  #pack(pack: Kernels['run']['packRows'], first: number, count: number, out: number): void {
    const column = (this.#left + first) * 8;
    const start = this.#start + first * this.#bytes;
    pack(
      start,
      this.#bytes === 4,
      this.#cols,
      this.#rows,
      count,
      this.#shift + column,
      this.#factor + column,
      this.#roots,
      out,
    );
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

import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { Kernels } from '../kernels.js';
import type { JobRunner } from '../threads/job-runner.js';
import { typeCode } from './layout.js';

/** Approximate number of bytes per copy job. */
const COPIED = 1 << 18;

/** Returns the number of rows per copy job, for rows of `bytes` bytes. */
export function copiedRows(bytes: number): number {
  return Math.max(1, Math.floor(COPIED / bytes));
}

/** A part of the data in the kernels' memory, in its stored type. Passes use two chunks in turn: one is filled while the other is packed. */
export class Chunk {
  readonly start: number;
  readonly roots: number;
  readonly type: number;
  readonly bytes: number;
  readonly #kernels: Kernels;
  readonly #block: DenseBlock;
  readonly #rootWeights: Float64Array | undefined;
  readonly #padding: number;
  rows = 0;
  cols = 0;
  /** Distance between rows, in numbers. */
  stride = 0;

  /** Allocates up to `rows` × `cols` values, with `padding` numbers after each row. */
  constructor(
    kernels: Kernels,
    block: DenseBlock,
    scaler: Pick<Scaler, 'rootWeights'>,
    rows: number,
    cols: number,
    padding = 0,
  ) {
    this.#kernels = kernels;
    this.#block = block;
    this.bytes = block.data.BYTES_PER_ELEMENT;
    this.type = typeCode(block);
    this.#padding = padding;
    this.start = kernels.allocate(rows * (cols + padding) * this.bytes);
    this.#rootWeights = scaler.rootWeights;
    this.roots = scaler.rootWeights ? kernels.allocate(rows * 8) : 0;
  }

  /** Copies rows [from, from + rows) and columns [left, right). */
  load(from: number, rows: number, left: number, right: number): void {
    const { data, stride } = this.#block;
    const cols = right - left;
    this.#begin(from, rows, cols);
    const Stored = data.constructor as Float64ArrayConstructor;
    const target = new Stored(this.#kernels.buffer, this.start, rows * this.stride);
    if (stride === this.stride) {
      target.set(data.subarray(from * stride, from * stride + rows * cols));
    } else {
      for (let i = 0; i < rows; i++) {
        const at = (from + i) * stride + left;
        target.set(data.subarray(at, at + cols), i * this.stride);
      }
    }
  }

  /** Adds jobs that do the same as `load`, for shared data. */
  addCopies(runner: JobRunner, from: number, rows: number, left: number, right: number): void {
    const { data, stride } = this.#block;
    const bytes = (right - left) * this.bytes;
    this.#begin(from, rows, right - left);
    const step = this.#padding > 0 ? 1 : copiedRows(bytes);
    for (let i = 0; i < rows; i += step) {
      const offset = data.byteOffset + ((from + i) * stride + left) * this.bytes;
      runner.addCopy(
        this.start + i * this.stride * this.bytes,
        Math.min(step, rows - i),
        bytes,
        stride * this.bytes,
        offset,
      );
    }
  }

  #begin(from: number, rows: number, cols: number): void {
    this.rows = rows;
    this.cols = cols;
    this.stride = cols + this.#padding;
    if (this.#rootWeights) this.#kernels.doubles(this.roots, rows).set(this.#rootWeights.subarray(from, from + rows));
  }
}

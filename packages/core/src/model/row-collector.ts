import type { Block } from '../data/blocks/block.js';
import { type FloatArray, fitsFloat32 } from '../data/blocks/matrix.js';
import { RowMatrix } from '../data/blocks/row-matrix.js';

/** Collects rows of known width into a matrix. It is float32 until a float64 block arrives. */
export class RowCollector {
  #rows = 0;
  readonly #cols: number;
  #data: FloatArray = new Float32Array(0);

  readonly #names: readonly string[];

  constructor(cols: number, names: readonly string[]) {
    this.#cols = cols;
    this.#names = names;
  }

  /** Allocates memory for the rows of a block. */
  reserve(block: Block): void {
    const needed = (this.#rows + block.rows) * this.#cols;
    const double = !fitsFloat32(block.data) || this.#data instanceof Float64Array;
    if (needed <= this.#data.length && double === this.#data instanceof Float64Array) return;
    const length = this.#rows === 0 ? needed : Math.max(needed, 2 * this.#data.length);
    const grown = double ? new Float64Array(length) : new Float32Array(length);
    grown.set(this.#data.subarray(0, this.#rows * this.#cols));
    this.#data = grown;
  }

  /** Adds the results of a block. The array of the first block is kept without a copy. */
  append(rows: Float64Array, block: Block): void {
    if (this.#rows === 0 && !fitsFloat32(block.data)) this.#data = rows;
    else {
      this.reserve(block);
      this.#data.set(rows, this.#rows * this.#cols);
    }
    this.#rows += block.rows;
  }

  push(row: Float64Array): void {
    this.#data.set(row, this.#rows * this.#cols);
    this.#rows++;
  }

  matrix(): RowMatrix {
    const length = this.#rows * this.#cols;
    const data = this.#rows === 0 ? new Float64Array(0) : this.#data;
    return new RowMatrix(this.#rows, this.#cols, data.length === length ? data : data.slice(0, length), this.#names);
  }
}

import { DataError, type Matrix, type NumberArray } from '@scree/core';
import type { Block } from '@scree/core/data';
import { packTile } from '@scree/core/data';

/** Joins blocks of rows to one matrix in memory, in the type of the blocks. */
export class MatrixBuilder {
  readonly #cols: number;
  readonly #maxBytes: number;
  readonly #name: string;
  readonly #expected: number | undefined;
  #data: NumberArray | undefined;
  #rows = 0;

  constructor(cols: number, expected: number | undefined, mostBytes: number, name: string) {
    this.#cols = cols;
    this.#expected = expected;
    this.#maxBytes = mostBytes;
    this.#name = name;
  }

  get rows(): number {
    return this.#rows;
  }

  add(block: Block): void {
    const dense = this.#denseValues(block);
    this.#data ??= this.#allocate(dense, this.#expected ?? block.rows);
    const needed = (this.#rows + block.rows) * this.#cols;
    if (needed > this.#data.length) {
      const grown = this.#allocate(this.#data, Math.max(this.#rows + block.rows, Math.ceil(1.5 * this.#rows)));
      grown.set(this.#data.subarray(0, this.#rows * this.#cols));
      this.#data = grown;
    }
    this.#data.set(dense, this.#rows * this.#cols);
    this.#rows += block.rows;
  }

  matrix(): Matrix<NumberArray> {
    const length = this.#rows * this.#cols;
    if (!this.#data || this.#rows === 0) throw new DataError('EMPTY_DATA', `${this.#name} has no rows.`);
    return { rows: this.#rows, cols: this.#cols, data: this.#data.subarray(0, length) };
  }

  /** The numbers of a block as a dense array: sparse blocks with their zeros, half precision as float32. */
  #denseValues(block: Block): NumberArray {
    const { rows, cols } = block;
    if (block.kind === 'dense' && !block.half && block.stride === cols) return block.data.subarray(0, rows * cols);
    const plain = { shift: new Float64Array(cols), factor: new Float64Array(cols).fill(1) };
    const tile = new Float64Array(rows * cols);
    packTile(block, plain, { from: 0, to: rows, left: 0, right: cols }, tile);
    if (block.kind === 'dense' && !block.half && block.data instanceof Float64Array) return tile;
    return Float32Array.from(tile);
  }

  #allocate(like: NumberArray, rows: number): NumberArray {
    const bytes = rows * this.#cols * like.BYTES_PER_ELEMENT;
    if (bytes > this.#maxBytes) {
      throw new DataError(
        'TOO_LARGE',
        `${this.#name} has ${(bytes / 2 ** 30).toFixed(1)} GB of numbers or more, too much for a page. The command reads files of any size: scree fit ${this.#name} -o model.json`,
      );
    }
    return new (like.constructor as new (length: number) => NumberArray)(rows * this.#cols);
  }
}

import { DataError, type Matrix, type NumberArray } from '@scree/core';
import { type Block, decoded, packedRows, type Table } from '@scree/core/data';
import { ProgressTracker } from '@scree/core/pipeline';
import type { Control } from './messages.js';

/** Most bytes of numbers that a page keeps in memory. Browsers refuse more, some by closing the page. */
const MAX_BYTES = 1.5 * 2 ** 30;

/** Reads columns of numbers into one matrix in memory, in the type of the blocks. */
export async function loadMatrix(
  table: Table,
  columns: readonly number[] | 'all',
  name: string,
  control: Control,
): Promise<Matrix<NumberArray>> {
  const builder = new MatrixBuilder(columns === 'all' ? table.width : columns.length, table.rows, name);
  const progress = new ProgressTracker(control);
  progress.begin('reading', table.rows);
  for await (const { block } of table.read({ numbers: columns })) {
    builder.add(block);
    const pause = progress.step(block.rows);
    if (pause) await pause;
  }
  progress.end();
  return builder.matrix();
}

/** Joins blocks of rows to one matrix. */
export class MatrixBuilder {
  readonly #cols: number;
  readonly #name: string;
  readonly #expected: number | undefined;
  #data: NumberArray | undefined;
  #rows = 0;

  constructor(cols: number, expected: number | undefined, name: string) {
    this.#cols = cols;
    this.#expected = expected;
    this.#name = name;
  }

  get rows(): number {
    return this.#rows;
  }

  add(block: Block): void {
    const { rows } = block;
    const { data, stride } = denseNumbers(block);
    const cols = this.#cols;
    this.#data ??= this.#allocate(data, this.#expected ?? rows);
    const needed = this.#rows + rows;
    if (needed * cols > this.#data.length) {
      const grown = this.#allocate(this.#data, Math.max(needed, Math.ceil(1.5 * this.#rows)));
      grown.set(this.#data.subarray(0, this.#rows * cols));
      this.#data = grown;
    }
    const start = this.#rows * cols;
    if (stride === cols) this.#data.set(data.subarray(0, rows * cols), start);
    else for (let i = 0; i < rows; i++) this.#data.set(data.subarray(i * stride, i * stride + cols), start + i * cols);
    this.#rows = needed;
  }

  matrix(): Matrix<NumberArray> {
    if (!this.#data || this.#rows === 0) throw new DataError('EMPTY_DATA', `${this.#name} has no rows.`);
    return { rows: this.#rows, cols: this.#cols, data: this.#data.subarray(0, this.#rows * this.#cols) };
  }

  #allocate(like: NumberArray, rows: number): NumberArray {
    const bytes = rows * this.#cols * like.BYTES_PER_ELEMENT;
    if (bytes > MAX_BYTES) {
      throw new DataError(
        'TOO_LARGE',
        `${this.#name} has ${(bytes / 2 ** 30).toFixed(1)} GB of numbers or more, too much for a page. The command reads files of any size: scree fit ${this.#name} -o model.json`,
      );
    }
    return new (like.constructor as new (length: number) => NumberArray)(rows * this.#cols);
  }
}

/** The numbers of a block: half precision as float32; sparse rows with their zeros, also as float32. */
function denseNumbers(block: Block): { readonly data: NumberArray; readonly stride: number } {
  return block.kind === 'dense' ? decoded(block) : { data: Float32Array.from(packedRows(block)), stride: block.cols };
}

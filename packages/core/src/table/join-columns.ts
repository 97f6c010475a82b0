import { runTaskSync } from '../base/progress.js';
import type { Block } from '../data/blocks/block.js';
import { packedRows, rowsOfBlock } from '../data/blocks/block-rows.js';
import { checkBlockWidth, type RowSource } from '../data/blocks/row-source.js';
import { checkFinite } from '../data/statistics/statistics.js';
import { DataError } from '../errors.js';

/** Blocks of two sources with the same rows. */
export interface BlockPair {
  readonly left: Block;
  readonly right: Block;
  /** Number of the first row. */
  readonly first: number;
}

/** Reads two tables of the same rows in step, however each of them is cut into blocks. */
export async function* pairedBlocks(left: RowSource, right: RowSource): AsyncGenerator<BlockPair, void, void> {
  const a = new BlockReader(left);
  const b = new BlockReader(right);
  let first = 0;
  try {
    for (;;) {
      const [here, there] = [await a.available(), await b.available()];
      if (here === 0 && there === 0) return;
      if (here === 0 || there === 0) {
        const [shorter, longer] = here === 0 ? ['first', 'second'] : ['second', 'first'];
        throw new DataError(
          'BAD_DATA',
          `The ${shorter} table has ${first} ${first === 1 ? 'row' : 'rows'}, the ${longer} has more. Tables that are compared must have the same rows.`,
          { value: first },
        );
      }
      const rows = Math.min(here, there);
      yield { left: a.take(rows), right: b.take(rows), first };
      first += rows;
    }
  } finally {
    await a.end();
    await b.end();
  }
}

/** Takes rows from the blocks of a source, as many at a time as wanted. */
class BlockReader {
  readonly #source: RowSource;
  readonly #blocks: Iterator<Block> | AsyncIterator<Block>;
  #block: Block | undefined;
  #used = 0;
  #read = 0;

  constructor(source: RowSource) {
    this.#source = source;
    const blocks = source.blocks();
    this.#blocks = Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]();
  }

  /** Rows that can be taken now; 0 at the end. */
  async available(): Promise<number> {
    while (!this.#block || this.#used === this.#block.rows) {
      const next = await this.#blocks.next();
      if (next.done) return 0;
      checkBlockWidth(next.value, this.#source, this.#read);
      this.#read += next.value.rows;
      this.#block = next.value;
      this.#used = 0;
    }
    return this.#block.rows - this.#used;
  }

  take(rows: number): Block {
    if (!this.#block) throw new RangeError('no rows are available');
    const from = this.#used;
    this.#used += rows;
    return rowsOfBlock(this.#block, from, from + rows);
  }

  async end(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** Two tables of the same rows as one: the columns of the first, then those of the second. */
export function joinColumns(left: RowSource, right: RowSource): RowSource {
  const cols = left.cols + right.cols;
  const rows = left.rows ?? right.rows;
  return {
    ...(rows === undefined ? {} : { rows }),
    cols,
    dtype: 'float64',
    rereadable: left.rereadable && right.rereadable,
    resident: false,
    async *blocks() {
      for await (const { left: a, right: b, first } of pairedBlocks(left, right)) {
        // Here, so that a message names the column of its own table.
        runTaskSync(checkFinite(a, first, left.columnNames));
        runTaskSync(checkFinite(b, first, right.columnNames));
        const data = new Float64Array(a.rows * cols);
        const [x, y] = [packedRows(a), packedRows(b)];
        for (let i = 0; i < a.rows; i++) {
          data.set(x.subarray(i * a.cols, (i + 1) * a.cols), i * cols);
          data.set(y.subarray(i * b.cols, (i + 1) * b.cols), i * cols + a.cols);
        }
        yield { kind: 'dense', rows: a.rows, cols, stride: cols, data };
      }
    },
    async close() {
      await left.close?.();
      await right.close?.();
    },
  };
}

import type { Beat, DenseBlock, Frame, LoadedBlock, Products as Place, RowsAt } from '@scree/core';
import { type ColumnStatistics, dualByMultiply, summariseTwice } from '@scree/core/engine';
import type { Numbers, Products } from './functions.js';
import { Packer } from './pack.js';
import { summariseOnce } from './summarise.js';
import { Sums } from './sums.js';
import { tileCols, tileRows } from './tiles.js';

/**
 * The five passes over dense rows as products of BLAS. Tiles of rows are packed through the frame, one while BLAS works on
 * the other; where the frame changes nothing BLAS reads the data where they are.
 */
export class BlasDense implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: DenseBlock;
  readonly #blas: Products;

  constructor(block: DenseBlock, blas: Products) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#blas = blas;
  }

  async summarise(at: RowsAt, scatter: Float64Array | undefined, beat: Beat): Promise<ColumnStatistics> {
    const once = await summariseOnce(this.#block, this.#blas, at, scatter, beat);
    if (once) return once;
    // Its rows were counted by the reading that did not do.
    return summariseTwice(this.#block, this, at, scatter?.fill(0), () => beat(0));
  }

  async gram(frame: Frame, scatter: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    const sums = new Sums(this.#blas, { products: scatter, size: d, row: 0, column: 0 }, d, d, true);
    await this.#tiles(frame, beat, [sums], (tile, stride, _, rows, index) => {
      const { into, beta, size } = sums.next(index);
      return this.#blas.syrk(true, d, rows, tile, stride, beta, into, size);
    });
  }

  async dual(frame: Frame, other: LoadedBlock, otherFrame: Frame, into: Place, beat: Beat): Promise<void> {
    if (!(other instanceof BlasDense)) return dualByMultiply(this.#block, frame, other, otherFrame, into, beat);
    const blas = this.#blas;
    const [n, m, d] = [this.rows, other.rows, this.cols];
    const same = other === this;
    const width = Math.min(d, tileCols(Math.max(n, m), blas.bytes));
    const left = this.#reader(frame, n, width);
    const right = same ? left : other.#reader(otherFrame, m, width);
    const clear = into.products;
    for (let i = 0; i < n; i++) {
      const start = (into.row + i) * into.size + into.column;
      clear.fill(0, start + (same ? i : 0), start + m);
    }
    const sums = new Sums(blas, into, n, m, same);
    const read = (index: number): [Tile, Tile] => {
      const first = index * width;
      const count = Math.min(width, d - first);
      const a = left.read(index, 0, n, first, count);
      return [a, same ? a : right.read(index, 0, m, first, count)];
    };
    try {
      await pipeline(
        Math.ceil(d / width),
        read,
        [sums],
        async ([a, b], index) => {
          const count = Math.min(width, d - index * width);
          const { into: c, beta, size } = sums.next(index);
          if (same) await blas.syrk(false, n, count, a.numbers, a.stride, beta, c, size);
          else await blas.gemm(false, true, n, m, count, a.numbers, a.stride, b.numbers, b.stride, beta, c, size);
        },
        () => beat(0),
      );
    } finally {
      left.release();
      if (!same) right.release();
    }
    await beat(n);
  }

  async multiply(frame: Frame, vectors: Float64Array, k: number, scores: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    const v = this.#own(vectors, k * d);
    const single = this.#blas.bytes === 4;
    await this.#tiles(frame, beat, [], async (tile, stride, from, rows) => {
      const target = scores.subarray(from * k, (from + rows) * k);
      const y = single ? this.#blas.make(rows * k) : target;
      await this.#blas.gemm(false, true, rows, k, d, tile, stride, v, d, 0, y, k);
      if (single) target.set(y);
    });
  }

  async multiplyTransposed(
    frame: Frame,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    beat: Beat,
  ): Promise<void> {
    const d = this.cols;
    const sums = new Sums(this.#blas, { products: out, size: d, row: 0, column: 0 }, k, d, false);
    await this.#tiles(frame, beat, [sums], (tile, stride, from, rows, index) => {
      const y = this.#own(scores.subarray(from * k, (from + rows) * k), rows * k);
      const { into, beta, size } = sums.next(index);
      return this.#blas.gemm(true, false, k, d, rows, y, k, tile, stride, beta, into, size);
    });
  }

  async normal(frame: Frame, vectors: Float64Array, k: number, out: Float64Array, beat: Beat): Promise<void> {
    const d = this.cols;
    const v = this.#own(vectors, k * d);
    const y = this.#blas.make(Math.min(this.rows, tileRows(d, this.#blas.bytes)) * k);
    const sums = new Sums(this.#blas, { products: out, size: d, row: 0, column: 0 }, k, d, false);
    await this.#tiles(frame, beat, [sums], async (tile, stride, _, rows, index) => {
      await this.#blas.gemm(false, true, rows, k, d, tile, stride, v, d, 0, y, k);
      const { into, beta, size } = sums.next(index);
      await this.#blas.gemm(true, false, k, d, rows, y, k, tile, stride, beta, into, size);
    });
  }

  release(): void {}

  /** Numbers in the precision of the products. */
  #own(numbers: Float64Array, length: number): Numbers {
    return this.#blas.bytes === 8 ? numbers.subarray(0, length) : Float32Array.from(numbers.subarray(0, length));
  }

  /** Tiles of whole rows, one after the other through BLAS. */
  async #tiles(
    frame: Frame,
    beat: Beat,
    sums: readonly Sums[],
    visit: (tile: Numbers, stride: number, from: number, rows: number, index: number) => Promise<void>,
  ): Promise<void> {
    const height = Math.min(this.rows, tileRows(this.cols, this.#blas.bytes));
    const reader = this.#reader(frame, height, this.cols);
    const rowsOf = (index: number): number => Math.min(height, this.rows - index * height);
    try {
      await pipeline(
        Math.ceil(this.rows / height),
        (index) => reader.read(index, index * height, rowsOf(index), 0, this.cols),
        sums,
        ({ numbers, stride }, index) => visit(numbers, stride, index * height, rowsOf(index), index),
        (index) => beat(rowsOf(index)),
      );
    } finally {
      reader.release();
    }
  }

  /** Tiles of B, up to `rows` × `width`: packed, or the data themselves where the frame changes nothing. */
  #reader(frame: Frame, rows: number, width: number): Reader {
    const { data, stride } = this.#block;
    if (data.BYTES_PER_ELEMENT === this.#blas.bytes && isPlain(frame)) {
      return {
        read: (_, from, count, left) => ({
          numbers: data.subarray(from * stride + left, (from + count) * stride),
          stride,
        }),
        release: () => {},
      };
    }
    const packer = new Packer(this.#block, rows, width, this.#blas.bytes === 4);
    return {
      read: (which, from, count, left, cols) => {
        packer.through(frame, left, cols);
        return { numbers: packer.pack(which, from, count, frame.rootWeights, left), stride: cols };
      },
      release: () => packer.release(),
    };
  }
}

interface Tile {
  readonly numbers: Numbers;
  readonly stride: number;
}

interface Reader {
  read(which: number, from: number, rows: number, left: number, cols: number): Tile;
  release(): void;
}

function isPlain({ shift, factor, rootWeights }: Frame): boolean {
  return !rootWeights && shift.every((s) => s === 0) && factor.every((f) => f === 1);
}

/**
 * Reads tile after tile, each while BLAS works on the one before, and lets sums settle meanwhile. Nothing is running any
 * more when it returns or throws.
 */
export async function pipeline<Read>(
  count: number,
  read: (index: number) => Read,
  sums: readonly Sums[],
  visit: (tile: Read, index: number) => Promise<void>,
  beat: (index: number) => void | Promise<void>,
): Promise<void> {
  let tile = count > 0 ? read(0) : undefined;
  for (let index = 0; index < count; index++) {
    const running = visit(tile as Read, index);
    try {
      for (const sum of sums) sum.settle(index - 1);
      if (index + 1 < count) tile = read(index + 1);
    } finally {
      await running;
    }
    const pause = beat(index);
    if (pause) await pause;
  }
  for (const sum of sums) sum.settle(count - 1);
}

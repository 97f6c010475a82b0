import type { Products as Target } from '@scree/core';
import type { Numbers, Products } from './functions.js';

/** Bytes that the sums of all lanes may have together. */
const MOST_BYTES = 256 * 2 ** 20;

/**
 * Where products of tiles add up, in float64. Every lane has its own sums. In double precision BLAS adds tile after tile
 * to them and they join at the end, the first lane's being the result itself; in single precision a tile's float32
 * sums join the float64 result as soon as it is done.
 */
export class Sums {
  readonly #target: Target;
  readonly #rows: number;
  readonly #cols: number;
  readonly #upper: boolean;
  readonly #start: number;
  readonly #single: boolean;
  /** One a lane; the first lane in double precision has none. */
  readonly #apart: (Numbers | undefined)[];

  constructor(blas: Products, lanes: number, target: Target, rows: number, cols: number, upper: boolean) {
    this.#target = target;
    this.#rows = rows;
    this.#cols = cols;
    this.#upper = upper;
    this.#start = target.row * target.size + target.column;
    this.#single = blas.bytes === 4;
    this.#apart = Array.from({ length: lanes }, (_, lane) =>
      lane > 0 || this.#single ? blas.make(rows * cols) : undefined,
    );
  }

  /** Lanes that sums of this size allow. */
  static lanes(most: number, rows: number, cols: number): number {
    return Math.max(1, Math.min(most, Math.floor(MOST_BYTES / (rows * cols * 8))));
  }

  /** Where the tile in a lane puts its products. */
  next(lane: number): { into: Numbers; beta: number; size: number } {
    const apart = this.#apart[lane];
    if (apart) return { into: apart, beta: this.#single ? 0 : 1, size: this.#cols };
    return { into: this.#target.products.subarray(this.#start), beta: 1, size: this.#target.size };
  }

  /** Takes in what a tile has left. */
  settle(lane: number): void {
    if (this.#single) this.#join(lane);
  }

  /** Takes in what the lanes have summed. */
  finish(): void {
    if (!this.#single) for (let lane = 1; lane < this.#apart.length; lane++) this.#join(lane);
  }

  #join(lane: number): void {
    const apart = this.#apart[lane];
    if (!apart) return;
    const { products, size } = this.#target;
    const [rows, cols] = [this.#rows, this.#cols];
    for (let i = 0; i < rows; i++) {
      const [from, to] = [i * cols, this.#start + i * size];
      for (let j = this.#upper ? i : 0; j < cols; j++) products[to + j] += apart[from + j];
    }
  }
}

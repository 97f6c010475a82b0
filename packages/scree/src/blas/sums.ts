import type { Products as Place } from '@scree/core';
import type { Numbers, Products } from './functions.js';

/**
 * Where products of tiles add up, in float64. Double precision lets BLAS add them in place; single precision gives each tile
 * its own float32 sums, two in turn, which join the float64 ones while BLAS works on the next tile.
 */
export class Sums {
  readonly #place: Place;
  readonly #rows: number;
  readonly #cols: number;
  readonly #upper: boolean;
  readonly #start: number;
  readonly #apart: readonly Numbers[];
  #settled = -1;

  constructor(blas: Products, place: Place, rows: number, cols: number, upper: boolean) {
    this.#place = place;
    this.#rows = rows;
    this.#cols = cols;
    this.#upper = upper;
    this.#start = place.row * place.size + place.column;
    this.#apart = blas.bytes === 4 ? [blas.make(rows * cols), blas.make(rows * cols)] : [];
  }

  /** Where tile `index` puts its products. */
  next(index: number): { into: Numbers; beta: number; size: number } {
    if (this.#apart.length > 0) return { into: this.#apart[index & 1], beta: 0, size: this.#cols };
    return { into: this.#place.products.subarray(this.#start), beta: 1, size: this.#place.size };
  }

  /** Takes in what tile `index` has left, once. */
  settle(index: number): void {
    if (this.#apart.length === 0 || index <= this.#settled) return;
    this.#settled = index;
    const apart = this.#apart[index & 1];
    const { products, size } = this.#place;
    const [rows, cols] = [this.#rows, this.#cols];
    for (let i = 0; i < rows; i++) {
      const [from, to] = [i * cols, this.#start + i * size];
      for (let j = this.#upper ? i : 0; j < cols; j++) products[to + j] += apart[from + j];
    }
  }
}

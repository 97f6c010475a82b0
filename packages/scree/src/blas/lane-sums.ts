import type { DualTarget } from '@scree/core/engine';
import type { MatrixProducts, Numbers } from './functions.js';

/** Most bytes of the sums of all lanes together. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * The sums of the products of tiles, in float64. Every lane has its own sums. In float64, BLAS adds tile after tile to them, and
 * they are added up at the end; the first lane's are the result itself. In float32, the sums of each tile are added to the
 * float64 result as soon as the tile is done.
 */
export class LaneSums {
  readonly #target: DualTarget;
  readonly #rows: number;
  readonly #cols: number;
  readonly #upper: boolean;
  readonly #start: number;
  readonly #single: boolean;
  /** One per lane; in float64 the first lane has none, because it adds to the result itself. */
  readonly #apart: (Numbers | undefined)[];
  /** How many of the first rows and columns the last tile of each lane has filled. */
  readonly #filled: number[];

  constructor(blas: MatrixProducts, lanes: number, target: DualTarget, rows: number, cols: number, upper: boolean) {
    this.#target = target;
    this.#rows = rows;
    this.#cols = cols;
    this.#upper = upper;
    this.#start = target.row * target.size + target.column;
    this.#single = blas.bytes === 4;
    this.#apart = Array.from({ length: lanes }, (_, lane) =>
      lane > 0 || this.#single ? blas.make(rows * cols) : undefined,
    );
    this.#filled = Array<number>(lanes).fill(Number.POSITIVE_INFINITY);
  }

  /** How many lanes fit in memory with sums of this size. */
  static lanes(most: number, rows: number, cols: number): number {
    return Math.max(1, Math.min(most, Math.floor(MAX_BYTES / (rows * cols * 8))));
  }

  /** Where the tile in a lane puts its products, which may fill only the first `filled` rows and columns. */
  next(lane: number, filled = Number.POSITIVE_INFINITY): { into: Numbers; beta: number; size: number } {
    this.#filled[lane] = filled;
    const apart = this.#apart[lane];
    if (apart) return { into: apart, beta: this.#single ? 0 : 1, size: this.#cols };
    return { into: this.#target.products.subarray(this.#start), beta: 1, size: this.#target.size };
  }

  /** Adds the sums of a tile to the result, in float32. */
  settle(lane: number): void {
    if (this.#single) this.#join(lane, this.#filled[lane]);
  }

  /** Adds the sums of all lanes to the result, in float64. */
  finish(): void {
    if (!this.#single) for (let lane = 1; lane < this.#apart.length; lane++) this.#join(lane, Number.POSITIVE_INFINITY);
  }

  #join(lane: number, filled: number): void {
    const apart = this.#apart[lane];
    if (!apart) return;
    const { products, size } = this.#target;
    const [rows, cols] = [Math.min(this.#rows, filled), Math.min(this.#cols, filled)];
    for (let i = 0; i < rows; i++) {
      const [from, to] = [i * this.#cols, this.#start + i * size];
      for (let j = this.#upper ? i : 0; j < cols; j++) products[to + j] += apart[from + j];
    }
  }
}

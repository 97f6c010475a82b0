import type { DualTarget } from '@scree/core/engine';
import type { MatrixProducts, Numbers } from './functions.js';

/** Maximum bytes of the sums of all lanes. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * The sums of the products of tiles, in float64. Every lane has separate sums. With float64 products, BLAS adds tile after tile to them,
 * and they are added up at the end; the first lane adds to the result directly. With float32 products, the sums of each tile are added to
 * the float64 result when the tile is done.
 */
export class LaneSums {
  readonly #target: DualTarget;
  readonly #rows: number;
  readonly #cols: number;
  readonly #upper: boolean;
  readonly #start: number;
  readonly #single: boolean;
  /** One per lane. In float64 the first lane has none, because it adds to the result directly. */
  readonly #laneSums: (Numbers | undefined)[];
  /** Number of rows and columns that the last tile of each lane has filled. */
  readonly #filled: number[];

  constructor(blas: MatrixProducts, lanes: number, target: DualTarget, rows: number, cols: number, upper: boolean) {
    this.#target = target;
    this.#rows = rows;
    this.#cols = cols;
    this.#upper = upper;
    this.#start = target.row * target.size + target.column;
    this.#single = blas.bytes === 4;
    this.#laneSums = Array.from({ length: lanes }, (_, lane) =>
      lane > 0 || this.#single ? blas.make(rows * cols) : undefined,
    );
    this.#filled = Array<number>(lanes).fill(Number.POSITIVE_INFINITY);
  }

  /** Returns the number of lanes that fit into memory with sums of this size. */
  static lanes(most: number, rows: number, cols: number): number {
    return Math.max(1, Math.min(most, Math.floor(MAX_BYTES / (rows * cols * 8))));
  }

  /** Returns the target of the next tile in a lane. Its products may fill only the first `filled` rows and columns. */
  next(lane: number, filled = Number.POSITIVE_INFINITY): { into: Numbers; beta: number; size: number } {
    this.#filled[lane] = filled;
    const own = this.#laneSums[lane];
    if (own) return { into: own, beta: this.#single ? 0 : 1, size: this.#cols };
    return { into: this.#target.products.subarray(this.#start), beta: 1, size: this.#target.size };
  }

  /** With float32 products, adds the sums of a finished tile to the result. */
  settle(lane: number): void {
    if (this.#single) this.#join(lane, this.#filled[lane]);
  }

  /** With float64 products, adds the sums of all lanes to the result. */
  finish(): void {
    if (!this.#single)
      for (let lane = 1; lane < this.#laneSums.length; lane++) this.#join(lane, Number.POSITIVE_INFINITY);
  }

  #join(lane: number, filled: number): void {
    const own = this.#laneSums[lane];
    if (!own) return;
    const { products, size } = this.#target;
    const [rows, cols] = [Math.min(this.#rows, filled), Math.min(this.#cols, filled)];
    for (let i = 0; i < rows; i++) {
      const [from, to] = [i * this.#cols, this.#start + i * size];
      for (let j = this.#upper ? i : 0; j < cols; j++) products[to + j] += own[from + j];
    }
  }
}

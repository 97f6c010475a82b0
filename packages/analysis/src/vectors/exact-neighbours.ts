import { factorOf, lessOf, rowTerms } from './nearness.js';
import { productError, type VectorProducts } from './products.js';
import type { VectorMetric } from './query/query-model.js';
import type { RowChunk } from './row-chunks.js';

/** OpenVectors whose neighbours are searched. */
export interface Queries {
  /** count × d, row-major. */
  readonly data: Float32Array;
  readonly count: number;
  readonly d: number;
  /** The row of each query, or −1 for a query that is not a row. A row is never its own neighbour. */
  readonly own: Int32Array;
}

/** The neighbours of one query: rows at least as near as its `at`-th nearest row, nearest first. More than `at` if rows are equally near. */
export interface Neighbours {
  readonly rows: number[];
  readonly nearness: number[];
}

/**
 * Exact search for the `at` nearest rows of each query, chunk by chunk. Products are first computed in float32. Rows that are among the
 * nearest within the bound of its rounding error are compared again by float64 sums of the float32 numbers. Equally near rows are ordered by
 * their index. Cost 2·queries·n·d.
 */
export class NeighbourSearch {
  readonly #queries: Queries;
  readonly #metric: VectorMetric;
  readonly #at: number;
  readonly #products: VectorProducts;
  readonly #found: Neighbours[];
  readonly #norms: Float64Array;

  constructor(queries: Queries, metric: VectorMetric, at: number, products: VectorProducts) {
    this.#queries = queries;
    this.#metric = metric;
    this.#at = at;
    this.#products = products;
    this.#found = Array.from({ length: queries.count }, () => ({ rows: [], nearness: [] }));
    this.#norms = new Float64Array(queries.count);
    for (let q = 0; q < queries.count; q++) this.#norms[q] = Math.sqrt(this.#product(q, queries.data, q));
  }

  /** The neighbours of every query among the rows so far. */
  get neighbours(): readonly Neighbours[] {
    return this.#found;
  }

  async add(chunk: RowChunk): Promise<void> {
    const { count, d, data } = this.#queries;
    const { rows, squares } = chunk;
    const products = this.#products.scratch(0, rows * count);
    const range = { stride: d, left: 0, right: d };
    await this.#products.between({ data: chunk.data, rows, ...range }, { data, rows: count, ...range }, products);
    const [factors, less] = [new Float64Array(rows), new Float64Array(rows)];
    rowTerms(this.#metric, squares, factors, less);
    let [longest, largest] = [0, 0];
    for (let i = 0; i < rows; i++) {
      longest = Math.max(longest, Math.sqrt(squares[i]) * factors[i]);
      largest = Math.max(largest, less[i]);
    }
    const error = (q: number): number => productError(d) * this.#norms[q] * longest + 2 ** -50 * largest;
    const bounds = new Float64Array(count);
    for (let q = 0; q < count; q++) bounds[q] = this.#bound(q, error(q), products, chunk, factors, less);
    for (let i = 0, at = 0; i < rows; i++) {
      const [factor, minus] = [factors[i], less[i]];
      for (let q = 0; q < count; q++, at++) {
        if (products[at] * factor - minus < bounds[q]) continue;
        this.#offer(q, chunk, i);
        bounds[q] = Math.max(bounds[q], this.#worst(q) - error(q));
      }
    }
  }

  /** The nearness below which no row of the chunk can be a neighbour. */
  #bound(
    q: number,
    error: number,
    products: Float64Array,
    { rows, first }: RowChunk,
    factors: Float64Array,
    less: Float64Array,
  ): number {
    const known = this.#worst(q);
    if (known > Number.NEGATIVE_INFINITY) return known - error;
    // In the first chunk, the `at`-th nearest by float32 products stands for a bound that is not known yet.
    const { count, own } = this.#queries;
    const best: number[] = [];
    for (let i = 0; i < rows; i++) {
      const value = products[i * count + q] * factors[i] - less[i];
      if (first + i === own[q] || (best.length === this.#at && value <= best[0])) continue;
      if (best.length === this.#at) best.shift();
      let place = best.length;
      while (place > 0 && best[place - 1] > value) place--;
      best.splice(place, 0, value);
    }
    return best.length === this.#at ? best[0] - 2 * error : Number.NEGATIVE_INFINITY;
  }

  /** The nearness of the `at`-th nearest row so far. */
  #worst(q: number): number {
    return this.#found[q].nearness[this.#at - 1] ?? Number.NEGATIVE_INFINITY;
  }

  #offer(q: number, { first, data, squares }: RowChunk, i: number): void {
    const { own } = this.#queries;
    const row = first + i;
    if (row === own[q]) return;
    const square = squares[i];
    const value = this.#product(q, data, i) * factorOf(this.#metric, square) - lessOf(this.#metric, square);
    if (value < this.#worst(q)) return;
    const { rows, nearness } = this.#found[q];
    let place = rows.length;
    while (place > 0 && nearness[place - 1] < value) place--;
    rows.splice(place, 0, row);
    nearness.splice(place, 0, value);
    const worst = this.#worst(q);
    while (nearness[nearness.length - 1] < worst) {
      nearness.pop();
      rows.pop();
    }
  }

  /** ⟨q, x⟩ in float64, in the order of the numbers: equal rows get equal products. */
  #product(q: number, data: Float32Array, i: number): number {
    const { data: own, d } = this.#queries;
    let sum = 0;
    for (let j = 0, a = q * d, b = i * d; j < d; j++) sum += own[a + j] * data[b + j];
    return sum;
  }
}

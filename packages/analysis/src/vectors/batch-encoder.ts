import type { VectorProducts } from './products.js';
import { codesFor, entriesOf, storeNumbers } from './query/codes.js';
import { finishScores, firstNumbers } from './query/encode-vector.js';
import { toFixedPoint } from './query/exact-products.js';
import type { QueryModel, VectorCode } from './query/query-model.js';
import type { RowChunk } from './row-chunks.js';

/** Rows whose whole numbers are in memory at a time: 12 MB for 1,536 columns. */
const ROWS = 1024;

/** Stored vectors of many rows, with the bits that `encodeVector` gives one by one. */
export class BatchEncoder {
  readonly #model: QueryModel;
  readonly #products: VectorProducts;
  readonly #components: Float64Array | undefined;
  readonly #fixed: Float64Array;
  readonly #sums: Float64Array;

  constructor(model: QueryModel, products: VectorProducts) {
    this.#model = model;
    this.#products = products;
    this.#components = model.components && Float64Array.from(model.components);
    this.#fixed = new Float64Array(this.#components ? ROWS * model.d : 0);
    this.#sums = new Float64Array(this.#components ? ROWS * model.k : 0);
  }

  /** The stored vectors of a chunk, one after the other. */
  async encode(chunk: RowChunk): Promise<VectorCode> {
    const { k, store, step } = this.#model;
    const z = await this.#scores(chunk);
    const codes = codesFor(store, k, chunk.rows);
    const entries = entriesOf(store, k);
    for (let i = 0; i < chunk.rows; i++) storeNumbers(store, z, i * k, k, step, codes, i * entries);
    return codes;
  }

  /** The numbers before they are stored, as float32. */
  async #scores({ rows, data, squares }: RowChunk): Promise<Float32Array> {
    const { d, k, metric } = this.#model;
    const z = new Float32Array(rows * k);
    if (!this.#components) {
      for (let i = 0; i < rows; i++) firstNumbers(data, i * d, squares[i], this.#model, z, i * k);
      return z;
    }
    const factors = new Float64Array(ROWS);
    for (let from = 0; from < rows; from += ROWS) {
      const count = Math.min(ROWS, rows - from);
      for (let i = 0; i < count; i++) {
        const square = squares[from + i];
        factors[i] = toFixedPoint(data, (from + i) * d, d, square, metric === 'cosine', this.#fixed, i * d);
      }
      await this.#products.exact(this.#fixed, count, this.#components, k, this.#sums);
      for (let i = 0; i < count; i++) finishScores(this.#sums, i * k, factors[i], this.#model, z, (from + i) * k);
    }
    return z;
  }
}

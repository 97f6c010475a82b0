import { runTaskSync } from '../../base/progress.js';
import type { Matrix } from '../../data/blocks/matrix.js';
import { addCombination, rowProducts } from '../../linalg/row-products.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import { transpose } from '../../linalg/transpose.js';
import { dot } from '../../linalg/vector.js';
import { allRowsResult } from './engine-passes.js';
import { NO_RESULT, type PassRequest, type PassResult } from './rule.js';

/** S is computed if it takes at most this number of operations, a fraction of a second. */
const MOST_SCATTER_OPERATIONS = 2e8;

/** Computes the results of requests synchronously, for few rows in memory: plain loops over B (n × d), or over S if it is smaller. */
export class MemoryPasses {
  readonly #rows: Float64Array;
  readonly #n: number;
  readonly #d: number;
  /** S, both triangles, if d ≤ n and it takes little time to compute. */
  readonly #scatter: Float64Array | undefined;
  #batch = 0;

  constructor(rows: Float64Array, n: number, d: number) {
    this.#rows = rows;
    this.#n = n;
    this.#d = d;
    this.#scatter = d <= n && n * d * d <= MOST_SCATTER_OPERATIONS ? scatterOf(rows, n, d) : undefined;
  }

  reply(query: PassRequest): PassResult {
    switch (query.pass) {
      case 'normal':
        return allRowsResult(this.#normal(query.vectors, query.k));
      case 'multiply':
        return allRowsResult(this.multiply(query.vectors, query.k));
      case 'multiplyTransposed':
        return allRowsResult(this.#collect(query.scores, query.k, 0, 1));
      case 'batch':
        return this.#nextBatch(query.vectors, query.k, query.rows, query.first);
      case 'rows':
        return allRowsResult(this.#rows);
      case 'squares':
        return allRowsResult(Float64Array.of(this.#squares()));
      case 'pause':
        return NO_RESULT;
    }
  }

  /** BAᵀ (n × k). */
  multiply(vectors: Float64Array, k: number): Float64Array {
    return rowProducts(this.#rows, this.#n, vectors, k, this.#d);
  }

  /** Runs a generator to its end, and computes the results of its requests. */
  run<Result>(queries: Generator<PassRequest, Result, PassResult>): Result {
    let turn = queries.next();
    while (!turn.done) turn = queries.next(this.reply(turn.value));
    return turn.value;
  }

  #normal(vectors: Float64Array, k: number): Float64Array {
    if (this.#scatter) return rowProducts(vectors, k, this.#scatter, this.#d, this.#d);
    return this.#collect(this.multiply(vectors, k), k, 0, 1);
  }

  /** YᵀB over rows first, first + step, …. Y has one row for each of these rows. */
  #collect(scores: Float64Array, k: number, first: number, step: number): Float64Array {
    const d = this.#d;
    const out = new Float64Array(k * d);
    if (step === 1) {
      addCombination(1, transpose(scores, this.#n, k), k, this.#rows, this.#n, d, out);
      return out;
    }
    for (let i = first, r = 0; i < this.#n; i += step, r++) {
      const row = this.#rows.subarray(i * d, (i + 1) * d);
      addCombination(1, scores.subarray(r * k, (r + 1) * k), k, row, 1, d, out);
    }
    return out;
  }

  /** The product with every m-th row, as batches of large data are drawn. */
  #nextBatch(vectors: Float64Array, k: number, size: number, begins: boolean): PassResult {
    const [n, d] = [this.#n, this.#d];
    if (begins) this.#batch = 0;
    const step = Math.ceil(n / size);
    const first = this.#batch;
    const count = Math.ceil((n - first) / step);
    const scores = new Float64Array(count * k);
    for (let r = 0; r < count; r++) {
      for (let c = 0; c < k; c++) scores[r * k + c] = dot(this.#rows, (first + r * step) * d, vectors, c * d, d);
    }
    this.#batch = (first + 1) % step;
    return { product: this.#collect(scores, k, first, step), share: count / n, last: this.#batch === 0 };
  }

  #squares(): number {
    const square = this.#scatter ?? rowProducts(this.#rows, this.#n, this.#rows, this.#n, this.#d);
    return dot(square, 0, square, 0, square.length);
  }
}

/** S = BᵀB, both triangles. */
export function scatterOf(rows: Float64Array, n: number, d: number): Float64Array {
  const out = new Float64Array(d * d);
  for (let i = 0; i < n; i++) addCombination(1, rows.subarray(i * d, (i + 1) * d), d, rows.subarray(i * d), 1, d, out);
  return out;
}

/** A variance below this share of the largest one counts as zero, because squared data have no more digits. */
const ZERO_SHARE = 1e-12;

/** The exact principal subspace of few rows B (n × d): the eigenvectors of BᵀB, or those of BBᵀ times B. */
export function exactRows(rows: Float64Array, n: number, d: number, k: number): Matrix<Float64Array> {
  if (n < d) {
    const { values, vectors } = runTaskSync(symmetricEigen(rowProducts(rows, n, rows, n, d), n, k));
    const data = new Float64Array(k * d);
    addCombination(1, vectors, k, rows, n, d, data);
    return rowsWithVariance(values, data, k, d);
  }
  const { values, vectors } = runTaskSync(symmetricEigen(scatterOf(rows, n, d), d, k));
  return rowsWithVariance(values, vectors, k, d);
}

/** σ₁² of few rows B (n × d): the largest eigenvalue of BᵀB or BBᵀ, computed from the smaller matrix. */
export function exactTop(rows: Float64Array, n: number, d: number): number {
  const square = n < d ? rowProducts(rows, n, rows, n, d) : scatterOf(rows, n, d);
  return runTaskSync(symmetricEigen(square, Math.min(n, d), 0)).values[0];
}

/** The leading rows that have variance. The others are arbitrary. */
function rowsWithVariance(values: Float64Array, rows: Float64Array, k: number, d: number): Matrix<Float64Array> {
  const count = values.subarray(0, k).filter((value) => value > ZERO_SHARE * values[0]).length;
  return { rows: count, cols: d, data: rows.slice(0, count * d) };
}

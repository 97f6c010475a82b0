import { addCombination, rowProducts } from '../../linalg/row-products.js';
import { transpose } from '../../linalg/transpose.js';
import { dot } from '../../linalg/vector.js';
import { whole } from './replies.js';
import { NO_REPLY, type Query, type Reply } from './rule.js';

/** Operations up to which S is computed: a fraction of a second. */
const QUICK = 2e8;

/** Replies at once, from few rows in memory: plain loops over B (n × d), or over S where that is smaller. */
export class MemoryReplies {
  readonly #rows: Float64Array;
  readonly #n: number;
  readonly #d: number;
  /** S, both triangles, where there are no more columns than rows and it is quick to make. */
  readonly #scatter: Float64Array | undefined;
  #batch = 0;

  constructor(rows: Float64Array, n: number, d: number) {
    this.#rows = rows;
    this.#n = n;
    this.#d = d;
    this.#scatter = d <= n && n * d * d <= QUICK ? scatterOf(rows, n, d) : undefined;
  }

  reply(query: Query): Reply {
    switch (query.pass) {
      case 'normal':
        return whole(this.#normal(query.vectors, query.k));
      case 'multiply':
        return whole(this.multiply(query.vectors, query.k));
      case 'multiplyTransposed':
        return whole(this.#collect(query.scores, query.k, 0, 1));
      case 'batch':
        return this.#nextBatch(query.vectors, query.k, query.rows, query.first);
      case 'rows':
        return whole(this.#rows);
      case 'squares':
        return whole(Float64Array.of(this.#squares()));
      case 'pause':
        return NO_REPLY;
    }
  }

  /** BAᵀ (n × k). */
  multiply(vectors: Float64Array, k: number): Float64Array {
    return rowProducts(this.#rows, this.#n, vectors, k, this.#d);
  }

  /** Runs a generator to its end and replies to its queries. */
  run<Result>(queries: Generator<Query, Result, Reply>): Result {
    let turn = queries.next();
    while (!turn.done) turn = queries.next(this.reply(turn.value));
    return turn.value;
  }

  #normal(vectors: Float64Array, k: number): Float64Array {
    if (this.#scatter) return rowProducts(vectors, k, this.#scatter, this.#d, this.#d);
    return this.#collect(this.multiply(vectors, k), k, 0, 1);
  }

  /** YᵀB over rows first, first + step, …; Y has one row for each of them. */
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

  /** Every m-th row, as passes over large data take their batches. */
  #nextBatch(vectors: Float64Array, k: number, size: number, begins: boolean): Reply {
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

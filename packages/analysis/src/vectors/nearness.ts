import type { VectorMetric, VectorSearch } from './query/query-model.js';

/**
 * The nearness of a row to a query: v = ⟨q, x⟩·factor − less. Larger is nearer, and only the order matters.
 * | search       | factor | less    |
 * |--------------|--------|---------|
 * | dot, hamming | 1      | 0       |
 * | cosine       | 1/‖x‖  | 0       |
 * | l2           | 1      | ‖x‖²/2  |
 *
 * Bits are compared as numbers 1 and −1, whose product is k minus twice the Hamming distance.
 */
export const factorOf = (search: VectorMetric | VectorSearch, square: number): number =>
  search !== 'cosine' ? 1 : square > 0 ? 1 / Math.sqrt(square) : 0;

export const lessOf = (search: VectorMetric | VectorSearch, square: number): number =>
  search === 'l2' ? square / 2 : 0;

/** Writes the factor and the subtrahend of every row. */
export function rowTerms(
  search: VectorMetric | VectorSearch,
  squares: Float64Array,
  factors: Float64Array,
  less: Float64Array,
): void {
  for (let i = 0; i < squares.length; i++) {
    factors[i] = factorOf(search, squares[i]);
    less[i] = lessOf(search, squares[i]);
  }
}

import type { Neighbours } from './exact-neighbours.js';

/** A neighbour of a query, and its rank among the stored vectors that were read so far. */
interface Ranked {
  readonly row: number;
  readonly nearness: number;
  /** Rows that the search of stored vectors returns before this one. */
  before: number;
}

/** How many of the neighbours of one query a search of stored vectors finds. */
export interface Found {
  /** Neighbours among the `at` nearest stored vectors. */
  readonly first: number;
  /** Neighbours among the `wide` nearest: what re-ranking these by the embeddings finds. At most `at`. */
  readonly reranked: number;
}

/**
 * Counts, for every neighbour of every query, the stored vectors that a search returns before it: those that are nearer, and equally near ones
 * with a smaller index. So no list of the nearest is kept: a neighbour is among the first `at` if fewer than `at` rows come before it. A
 * neighbour with `wide` rows before it is not counted further, and a query without neighbours to count costs one comparison per row.
 */
export class RankCounter {
  readonly #at: number;
  readonly #wide: number;
  readonly #own: Int32Array;
  readonly #relevant: readonly ReadonlySet<number>[];
  /** Per query: neighbours that are still counted, farthest first. */
  readonly #open: Ranked[][];
  readonly #all: readonly (readonly Ranked[])[];
  /** Per query: the nearness of the farthest of them. */
  readonly #least: Float64Array;

  /** `nearness(q, row)` is that of the stored vector of a neighbour. */
  constructor(
    neighbours: readonly Neighbours[],
    own: Int32Array,
    at: number,
    wide: number,
    nearness: (query: number, row: number) => number,
  ) {
    this.#at = at;
    this.#wide = wide;
    this.#own = own;
    this.#relevant = neighbours.map(({ rows }) => new Set(rows));
    this.#all = neighbours.map(({ rows }, q) => {
      const ranked = rows.map((row) => ({ row, nearness: nearness(q, row), before: 0 }));
      ranked.sort((a, b) => b.nearness - a.nearness || a.row - b.row);
      ranked.forEach((each, i) => {
        each.before = i;
      });
      return ranked.reverse();
    });
    this.#open = this.#all.map((each) => each.filter(({ before }) => before < wide));
    this.#least = Float64Array.from(this.#open, ([farthest]) => farthest?.nearness ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Adds `rows` stored vectors from index `first` on. The nearness of row i to query q is products[i·queries + q]·factors[i] − less[i]. If
   * `more` is given, it is first added to the products, in the same loop.
   */
  add(
    products: Float64Array,
    rows: number,
    first: number,
    factors: Float64Array,
    less: Float64Array,
    more?: Float64Array,
  ): void {
    if (more) {
      this.#addBoth(products, more, rows, first, factors, less);
      return;
    }
    const least = this.#least;
    const queries = least.length;
    for (let i = 0, at = 0; i < rows; i++) {
      const [factor, minus] = [factors[i], less[i]];
      for (let q = 0; q < queries; q++, at++) {
        const value = products[at] * factor - minus;
        if (value >= least[q]) this.#count(q, first + i, value);
      }
    }
  }

  #addBoth(
    products: Float64Array,
    more: Float64Array,
    rows: number,
    first: number,
    factors: Float64Array,
    less: Float64Array,
  ): void {
    const least = this.#least;
    const queries = least.length;
    for (let i = 0, at = 0; i < rows; i++) {
      const [factor, minus] = [factors[i], less[i]];
      for (let q = 0; q < queries; q++, at++) {
        const sum = products[at] + more[at];
        products[at] = sum;
        const value = sum * factor - minus;
        if (value >= least[q]) this.#count(q, first + i, value);
      }
    }
  }

  /** Per query: the neighbours that were found. */
  found(): Found[] {
    return this.#all.map((ranked) => ({
      first: ranked.filter(({ before }) => before < this.#at).length,
      reranked: Math.min(this.#at, ranked.filter(({ before }) => before < this.#wide).length),
    }));
  }

  #count(q: number, row: number, value: number): void {
    if (row === this.#own[q] || this.#relevant[q].has(row)) return;
    const open = this.#open[q];
    let closed = 0;
    for (const each of open) {
      if (value < each.nearness) break;
      if (value === each.nearness && row > each.row) continue;
      each.before++;
      if (each.before >= this.#wide) closed++;
    }
    if (closed === 0) return;
    this.#open[q] = open.filter(({ before }) => before < this.#wide);
    this.#least[q] = this.#open[q][0]?.nearness ?? Number.POSITIVE_INFINITY;
  }
}

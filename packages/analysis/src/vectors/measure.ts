import type { RowSource } from '@scree/core';
import type { ProgressTracker } from '@scree/core/pipeline';
import { type Family, type ScoreFacts, storedNumbers, type VectorCandidate } from './candidates.js';
import type { Neighbours } from './exact-neighbours.js';
import { factorOf, lessOf, rowTerms } from './nearness.js';
import type { VectorProducts } from './products.js';
import { firstNumbers } from './query/encode-vector.js';
import type { VectorMetric } from './query/query-model.js';
import { type Found, RankCounter } from './rank-counter.js';
import { type RowChunk, rowChunks } from './row-chunks.js';

/** Re-ranking reads five times as many candidates as neighbours are wanted. */
export const CANDIDATES_PER_NEIGHBOUR = 5;

/** The vectors and the fit, as measuring needs them. */
export interface MeasuredVectors {
  readonly source: RowSource;
  readonly metric: VectorMetric;
  readonly at: number;
  readonly products: VectorProducts;
  readonly progress: ProgressTracker;
  /** Centred scores of rows. */
  readonly scores: (chunk: RowChunk) => Promise<Float32Array>;
  readonly facts: ScoreFacts | undefined;
  /** The step of int8 of a family. */
  readonly step: (family: Family) => number;
}

/** Some of the queries, with their exact neighbours. */
export interface QuerySet {
  /** count × d. */
  readonly chunk: RowChunk;
  readonly own: Int32Array;
  readonly neighbours: readonly Neighbours[];
  /** The embeddings of all neighbours, and the position of each row among them. */
  readonly relevant: RowChunk;
  readonly places: ReadonlyMap<number, number>;
}

/**
 * The neighbours that a search of each kind of stored vector finds, for each query: one result per candidate. All candidates are measured in one
 * reading. The products of the first k numbers are sums of products of parts, so all k of a family cost as much as the largest.
 */
export async function measure(
  candidates: readonly VectorCandidate[],
  vectors: MeasuredVectors,
  set: QuerySet,
  phase: string,
): Promise<Found[][]> {
  const unit = unitRows(vectors.metric);
  const counters: FamilyCounter[] = [];
  for (const { family, sizes } of byFamily(candidates)) {
    const numbers = (chunk: RowChunk, most: number): Promise<Float32Array> =>
      numbersOf(family, most, chunk, vectors, unit);
    counters.push(await FamilyCounter.open(family, sizes, numbers, vectors, set));
  }
  for await (const chunk of rowChunks(vectors.source, vectors.progress, phase)) {
    for (const counter of counters) await counter.add(chunk);
  }
  const found = new Map(counters.flatMap((counter) => [...counter.found()]));
  return candidates.map((each) => found.get(keyOf(each)) as Found[]);
}

/** A name of a kind of stored vector, the same for equal candidates. */
export const keyOf = (candidate: VectorCandidate): string => `${familyKey(candidate)} ${candidate.k}`;
const familyKey = ({ reduction, store, center, whiten, search }: Family): string =>
  [reduction, store, center, whiten, search].join(' ');

function byFamily(candidates: readonly VectorCandidate[]): { family: Family; sizes: number[] }[] {
  const groups = new Map<string, { family: Family; sizes: number[] }>();
  for (const { k, ...family } of candidates) {
    const key = familyKey(family);
    const group = groups.get(key) ?? { family, sizes: [] };
    groups.set(key, group);
    if (!group.sizes.includes(k)) group.sizes.push(k);
  }
  for (const { sizes } of groups.values()) sizes.sort((a, b) => a - b);
  return [...groups.values()];
}

type UnitRows = (chunk: RowChunk) => Float32Array;

/** The rows of a chunk, divided by their norms if the metric is the cosine. Families ask for the same chunk one after the other. */
function unitRows(metric: VectorMetric): UnitRows {
  let last: { readonly chunk: RowChunk; readonly numbers: Float32Array } | undefined;
  return (chunk) => {
    if (metric !== 'cosine') return chunk.data;
    if (last?.chunk === chunk) return last.numbers;
    const d = chunk.data.length / chunk.rows;
    const numbers = new Float32Array(chunk.data.length);
    for (let i = 0; i < chunk.rows; i++)
      firstNumbers(chunk.data, i * d, chunk.squares[i], { k: d, metric }, numbers, i * d);
    last = { chunk, numbers };
    return numbers;
  };
}

/** The stored numbers of a family, `most` per row. */
async function numbersOf(
  family: Family,
  most: number,
  chunk: RowChunk,
  { scores, step, facts }: MeasuredVectors,
  unit: UnitRows,
): Promise<Float32Array> {
  const pca = family.reduction === 'pca';
  const numbers = pca ? await scores(chunk) : unit(chunk);
  return storedNumbers(family, step(family), numbers, numbers.length / chunk.rows, most, pca ? facts : undefined);
}

/** Stored numbers of the rows of a chunk, `most` per row, as float32. */
type ToNumbers = (chunk: RowChunk, most: number) => Promise<Float32Array>;

/** Counts what searches of the first k stored numbers find, for several k of one family. */
export class FamilyCounter {
  readonly #family: Family;
  readonly #sizes: readonly number[];
  readonly #most: number;
  readonly #numbers: ToNumbers;
  readonly #queries: Float32Array;
  readonly #counters: readonly RankCounter[];
  readonly #tools: Pick<MeasuredVectors, 'products' | 'progress'>;

  private constructor(
    family: Family,
    sizes: readonly number[],
    numbers: ToNumbers,
    queries: Float32Array,
    counters: readonly RankCounter[],
    tools: Pick<MeasuredVectors, 'products' | 'progress'>,
  ) {
    this.#family = family;
    this.#sizes = sizes;
    this.#most = sizes[sizes.length - 1];
    this.#numbers = numbers;
    this.#queries = queries;
    this.#counters = counters;
    this.#tools = tools;
  }

  /** `sizes` are increasing numbers k. */
  static async open(
    family: Family,
    sizes: readonly number[],
    numbers: ToNumbers,
    vectors: Pick<MeasuredVectors, 'products' | 'progress' | 'at'>,
    { chunk, own, neighbours, relevant, places }: QuerySet,
  ): Promise<FamilyCounter> {
    const { search } = family;
    const most = sizes[sizes.length - 1];
    const queries = await numbers(chunk, most);
    const rows = relevant.rows > 0 ? await numbers(relevant, most) : new Float32Array(0);
    const counters = sizes.map((k) => {
      const nearness = (q: number, row: number): number => {
        const from = (places.get(row) as number) * most;
        let [product, square] = [0, 0];
        for (let c = 0; c < k; c++) {
          product += queries[q * most + c] * rows[from + c];
          square += rows[from + c] * rows[from + c];
        }
        return product * factorOf(search, square) - lessOf(search, square);
      };
      return new RankCounter(neighbours, own, vectors.at, CANDIDATES_PER_NEIGHBOUR * vectors.at, nearness);
    });
    return new FamilyCounter(family, sizes, numbers, queries, counters, vectors);
  }

  async add(chunk: RowChunk): Promise<void> {
    const most = this.#most;
    const { products, progress } = this.#tools;
    const queries = this.#queries;
    const data = await this.#numbers(chunk, most);
    const [rows, count] = [chunk.rows, queries.length / most];
    const sums = products.scratch(0, rows * count);
    const part = products.scratch(1, this.#sizes.length > 1 ? rows * count : 0);
    const squares = new Float64Array(rows);
    const [factors, less] = [new Float64Array(rows), new Float64Array(rows)];
    let left = 0;
    for (const [s, right] of this.#sizes.entries()) {
      const range = { stride: most, left, right };
      const out = s > 0 ? part : sums;
      await products.between({ data, rows, ...range }, { data: queries, rows: count, ...range }, out);
      for (let i = 0; i < rows; i++) {
        for (let c = i * most + left; c < i * most + right; c++) squares[i] += data[c] * data[c];
      }
      rowTerms(this.#family.search, squares, factors, less);
      this.#counters[s].add(sums, rows, chunk.first, factors, less, s > 0 ? part : undefined);
      left = right;
      const pause = progress.yieldToEventLoop();
      if (pause) await pause;
    }
  }

  /** The neighbours that were found, by the names of the candidates. */
  found(): Map<string, Found[]> {
    return new Map(this.#sizes.map((k, s) => [keyOf({ ...this.#family, k }), this.#counters[s].found()]));
  }
}
